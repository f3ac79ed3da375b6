"""Tasks of a cluster that are lost or take far too long.

Belongs here: which errors of Ray mean that a worker is lost, what they say in the words of an executor, and
when a task is started a second time. Not here: starting it (ray.py).
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

import ray

from orchestration.executors.base import WorkerDiedError, WorkerNotStartedError

#: A task is started a second time when it takes so many times as long as half of those that have ended, of
#: which there are so many, and so many seconds.
SLOW, ENDED, SECONDS = 3.0, 5, 10.0

_LOST = "its worker died, {} times in a row: {}"


@dataclass(eq=False)
class ClusterTask:
    """A task under way, perhaps twice."""

    future: Future[Any]
    start: Callable[..., Any]
    begun: float
    runs: list[Any]
    lost: int = 0
    """How often its worker died."""


@dataclass
class TaskPace:
    """How long tasks take, and since when a place is idle."""

    seconds: list[float] = field(default_factory=list)
    """Of the tasks that have ended."""
    idle_since: float = field(default_factory=time.monotonic)

    def stragglers(self, tasks: Iterable[ClusterTask], idle: int) -> Iterator[ClusterTask]:
        """Yield the tasks that take far longer than others, one for each idle place."""
        now = time.monotonic()
        if idle <= 0:
            self.idle_since = now
            return
        if len(self.seconds) < ENDED:
            return
        limit = max(SLOW * statistics.median(self.seconds), SECONDS)
        for task in tasks:
            # before a place was idle, it may have waited for one
            if idle > 0 and len(task.runs) == 1 and now - max(task.begun, self.idle_since) > limit:
                yield task
                idle -= 1


def is_loss(error: Exception) -> bool:
    """Say whether a task is lost with its worker, and no fault of its own is known."""
    if isinstance(error, ray.exceptions.RayTaskError):  # perhaps of another task, whose result it needs
        return isinstance(error.cause, ray.exceptions.RayError) and is_loss(error.cause)
    return not isinstance(error, ray.exceptions.RuntimeEnvSetupError | ray.exceptions.TaskCancelledError)


def in_words(error: Exception, lost: int) -> Exception:
    """Return an error of Ray as one of an executor."""
    if isinstance(error, ray.exceptions.RayTaskError):  # raised before or behind the task
        return error.cause if isinstance(error.cause, Exception) else RuntimeError(str(error))
    if isinstance(error, ray.exceptions.RuntimeEnvSetupError):
        return WorkerNotStartedError(str(error))
    memory = isinstance(error, ray.exceptions.OutOfMemoryError)
    said = "out of memory, see engine.resources" if memory else str(error).strip().split("\n")[0]
    return WorkerDiedError(_LOST.format(lost + 1, said))
