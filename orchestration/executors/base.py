"""The interface of everything that runs tasks: partitions of a run, and parts of a partition.

Belongs here: what an executor promises, and the errors that it raises. Not here: processes of this machine
(local.py), a cluster (ray.py), the tasks themselves (run/loop.py, parts.py). Tasks, arguments and results are
pickled.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar

Result = TypeVar("Result")
EventSink: TypeAlias = Callable[[Any], None]


class WorkerDiedError(RuntimeError):
    """A worker ended during a task; the text says how."""

    status: int | None = None
    """The exit status of its process, if this process started it."""


class WorkerNotStartedError(RuntimeError):
    """No worker can start: one ended before it could run anything, or no machine has room for it."""

    lasting = True
    """It is not tried again, whatever caused it: whoever raises it has waited long enough."""


#: Begins the text of every ClusterLostError.
NO_CLUSTER = "no Ray cluster"


class ClusterLostError(WorkerNotStartedError):
    """No task can run on the cluster any more, whatever it needs; the text names the machine."""


class WorkerDiffersError(RuntimeError):
    """A worker has other packages or models than the driver; the text names the differences."""


@dataclass(frozen=True)
class Resources:
    """What a task may use."""

    processors: int = 1
    gpus: int = 0
    memory: int = 0
    """Bytes; 0 if it does not matter. Only an executor over several machines uses it, to choose a machine."""


class Executor(Protocol):
    """Runs tasks; results are futures, which `concurrent.futures.wait` accepts."""

    @property
    def places(self) -> int:
        """How many tasks can run at the same time."""
        ...

    def submit(self, function: Callable[..., Result], *arguments: Any) -> Future[Result]:
        """Run `function(*arguments)` once a worker is idle, with what each task of this executor may use.

        The future ends with the function's result or exception. If its worker dies, it ends with
        WorkerDiedError; that fails only this worker's tasks, and later tasks get a new worker. If no worker
        can start, it ends with WorkerNotStartedError.
        """
        ...

    def share(self, value: Result) -> Callable[[], Result]:
        """Return an argument for many tasks: called in a task, it returns `value`.

        Each worker receives the value once instead of with every task.
        """
        ...

    def channel(self, listener: EventSink) -> EventSink:
        """Return an argument through which tasks send events to `listener` in this process.

        Tasks report progress this way. The listener is called in another thread, and its exceptions are
        ignored. An event may arrive after its task's result.
        """
        ...

    def close(self) -> None:
        """Interrupt all running tasks, once each, and end all workers."""
        ...
