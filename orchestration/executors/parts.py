"""The engine that maps ops over parts: in this process or over workers; the bytes are the same.

Belongs here: the order of outcomes, and how many are computed ahead. Not here: parts (ops/core/parts.py),
going on from finished ones (partition/resume.py).
"""

from __future__ import annotations

import contextlib
import os
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

from ops.core.outcome import Outcome, Outcomes
from ops.core.parts import temporary_folder
from orchestration.executors.base import Executor
from orchestration.executors.local import WorkerProcesses


@dataclass(frozen=True)
class LocalEngine:
    """Runs ops in this process, or with `workers` > 1 in as many others; outcomes keep their order."""

    workers: int = 1

    def map(self, op: Callable[..., Outcome], pieces: Iterable[Any], *shared: object) -> Outcomes:
        """Yield `op(piece, *shared)` for every piece; at most two pieces a worker are under way.

        Raises WorkerDiedError where a worker process ends. When this is closed, or raises, its workers end at
        once.
        """
        waiting = iter(pieces)
        first = tuple(islice(waiting, 2))
        if self.workers == 1 or len(first) < 2:
            yield from (op(piece, *shared) for piece in chain(first, waiting))
            return
        with contextlib.closing(WorkerProcesses(self.workers, "WORKERS")) as processes:
            yield from in_order(processes, op, chain(first, waiting), *shared)

    def scratch(self) -> AbstractContextManager[Path]:
        """Return a folder where the system has its temporary files."""
        return temporary_folder()


def in_order(
    executor: Executor, op: Callable[..., Outcome], pieces: Iterable[Any], *shared: object
) -> Outcomes:
    """Yield `op(piece, *shared)` for every piece, with at most two pieces a worker under way."""
    under_way: deque[Future[Outcome]] = deque()
    for piece in pieces:
        under_way.append(executor.submit(op, piece, *shared))
        if len(under_way) >= 2 * executor.places:
            yield under_way.popleft().result()
    while under_way:
        yield under_way.popleft().result()


def engine() -> LocalEngine:
    """Return the engine of this process: `SILVERLOOM_WORKERS` processes, one by default."""
    text = os.environ.get("SILVERLOOM_WORKERS", "1")
    if not text.isdigit() or int(text) < 1:
        raise ValueError(f"SILVERLOOM_WORKERS must be a whole number from 1, found {text!r}")
    return LocalEngine(int(text))
