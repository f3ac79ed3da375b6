"""The engines that map ops over parts: in this process, over workers, over a cluster; the bytes are the same.

Belongs here: the order of outcomes, how many are computed ahead, which engine params.yaml asks for. Not here:
parts (ops/core/parts.py), going on from finished ones (partition/resume.py), the workers (local.py, ray.py).
"""

from __future__ import annotations

import contextlib
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from enum import Enum
from itertools import chain, islice
from typing import Any, Protocol

from orchestration.executors.base import Executor, Result
from orchestration.executors.local import WorkerProcesses


class Place(Enum):
    """Where an engine computes."""

    HERE = "in this process"
    BESIDE = "in other processes, which write to the disk of this one"
    ELSEWHERE = "in other processes, which may share no disk with this one"


class PartsEngine(Protocol):
    """Runs an op over pieces of work and yields its results in the order of the pieces."""

    @property
    def place(self) -> Place:
        """Where the op runs."""
        ...

    def map(
        self,
        op: Callable[..., Result],
        pieces: Iterable[Any],
        *shared: object,
        arrived: Callable[[Result], Result] | None = None,
    ) -> Iterator[Result]:
        """Yield `op(piece, *shared)` for every piece.

        Those of an engine that computes elsewhere come through `arrived`, which is called in another thread
        as soon as one is there: what is ahead of its turn can be stored.
        """
        ...


@dataclass(frozen=True)
class LocalEngine:
    """Runs ops in this process, or with `workers` > 1 in as many others; outcomes keep their order."""

    workers: int = 1

    @property
    def place(self) -> Place:
        """Beside this process where there are workers."""
        return Place.HERE if self.workers == 1 else Place.BESIDE

    def map(
        self,
        op: Callable[..., Result],
        pieces: Iterable[Any],
        *shared: object,
        arrived: Callable[[Result], Result] | None = None,
    ) -> Iterator[Result]:
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


def in_order(
    executor: Executor, op: Callable[..., Result], pieces: Iterable[Any], *shared: object
) -> Iterator[Result]:
    """Yield `op(piece, *shared)` for every piece, with at most two pieces a worker under way."""
    under_way: deque[Future[Result]] = deque()
    common = executor.share((op, shared))
    for piece in pieces:
        under_way.append(executor.submit(_on_piece, piece, common))
        if len(under_way) >= 2 * executor.places:
            yield under_way.popleft().result()
    while under_way:
        yield under_way.popleft().result()


def _on_piece(
    piece: object, common: Callable[[], tuple[Callable[..., Result], tuple[object, ...]]]
) -> Result:
    op, shared = common()
    return op(piece, *shared)


def engine() -> LocalEngine:
    """Return the engine of this process: `SILVERLOOM_WORKERS` processes, one by default."""
    text = os.environ.get("SILVERLOOM_WORKERS", "1")
    if not text.isdigit() or int(text) < 1:
        raise ValueError(f"SILVERLOOM_WORKERS must be a whole number from 1, found {text!r}")
    return LocalEngine(int(text))
