"""The interface of everything that runs tasks: partitions of a run, and parts of a partition.

Belongs here: what an executor promises, and the errors that it raises. Not here: processes of this machine
(local.py), a cluster (ray.py), which tasks there are (run/loop.py, parts.py). A task, its arguments and its
result are pickled.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar

Result = TypeVar("Result")
EventSink: TypeAlias = Callable[[Any], None]


class WorkerDiedError(RuntimeError):
    """A worker ended in the middle of a task; the text says how."""


class WorkerNotStartedError(RuntimeError):
    """No worker can begin: one ended before it could run anything, or there is no place for it."""


class WorkerDiffersError(RuntimeError):
    """A worker has other packages or models than the driver; the text names what differs."""


@dataclass(frozen=True)
class Resources:
    """What a task may use for itself."""

    processors: int = 1
    gpus: int = 0
    memory: int = 0
    """Bytes; 0 where it does not matter. Only an executor over several machines chooses a place by it."""


class Executor(Protocol):
    """Runs tasks. Its results come as `concurrent.futures.wait` says."""

    @property
    def places(self) -> int:
        """How many tasks run at the same time."""
        ...

    def submit(
        self, function: Callable[..., Result], *arguments: Any, resources: Resources | None = None
    ) -> Future[Result]:
        """Run `function(*arguments)` as soon as a worker is idle; without `resources`, with an equal share.

        The future ends with what the function returns or raises. It ends with WorkerDiedError if its worker
        died, which fails the tasks of that worker alone: the next one gets a new worker. It ends with
        WorkerNotStartedError if no worker can begin.
        """
        ...

    def share(self, value: Result) -> Callable[[], Result]:
        """Return an argument for many tasks: called in a task, it returns `value`.

        So what tasks share is handed to each worker once, and not with every task.
        """
        ...

    def channel(self, listener: EventSink) -> EventSink:
        """Return an argument for tasks: what they call it with, `listener` is called with in this process.

        So a task tells of its progress. The listener is called in another thread, and what it raises is
        lost; an event may come after the result of its task.
        """
        ...

    def close(self) -> None:
        """Interrupt the tasks under way, once each, and end all workers."""
        ...
