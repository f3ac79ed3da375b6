"""Cluster tasks that are lost or take far too long.

Belongs here: which of Ray's errors mean that a worker was lost, translating them, and when to start a second
run of a task. Not here: starting it (ray.py).
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

import ray

from silverloom.orchestration.executors.base import WorkerDiedError, WorkerNotStartedError

#: A task gets a second run if at least ENDED tasks have ended, and it takes SLOW times their median and at
#: least SECONDS.
SLOW, ENDED, SECONDS = 3.0, 5, 10.0

_LOST = "its worker died, {} times in a row: {}"


@dataclass(eq=False)
class ClusterTask:
    """A running task, possibly with a second run."""

    future: Future[Any]
    start: Callable[..., Any]
    begun: float
    runs: list[Any]
    lost: int = 0
    """How many times its worker died."""


@dataclass
class TaskPace:
    """How long tasks take, and since when a place has been idle."""

    seconds: list[float] = field(default_factory=list)
    """Durations of ended tasks."""
    idle_since: float = field(default_factory=time.monotonic)

    def stragglers(self, tasks: Iterable[ClusterTask], idle: int) -> Iterator[ClusterTask]:
        """Yield tasks that take far longer than others, one per idle place."""
        now = time.monotonic()
        if idle <= 0:
            self.idle_since = now
            return
        if len(self.seconds) < ENDED:
            return
        limit = max(SLOW * statistics.median(self.seconds), SECONDS)
        for task in tasks:
            # only count time since a place became idle: before, the task may have waited for a place
            if idle > 0 and len(task.runs) == 1 and now - max(task.begun, self.idle_since) > limit:
                yield task
                idle -= 1


def is_loss(error: Exception) -> bool:
    """Return whether a task was lost with its worker, through no known fault of its own."""
    if isinstance(error, ray.exceptions.RayTaskError):  # may come from another task whose result it needs
        return isinstance(error.cause, ray.exceptions.RayError) and is_loss(error.cause)
    return not isinstance(error, ray.exceptions.RuntimeEnvSetupError | ray.exceptions.TaskCancelledError)


def error_of_loss(error: Exception, lost: int) -> Exception:
    """Translate an error from Ray into one of an executor's errors."""
    if isinstance(error, ray.exceptions.RayTaskError):  # raised before or after the task itself
        return error.cause if isinstance(error.cause, Exception) else RuntimeError(str(error))
    if isinstance(error, ray.exceptions.RuntimeEnvSetupError):
        return WorkerNotStartedError(str(error))
    memory = isinstance(error, ray.exceptions.OutOfMemoryError)
    said = "out of memory, see engine.resources" if memory else str(error).strip().split("\n")[0]
    return WorkerDiedError(_LOST.format(lost + 1, said))
