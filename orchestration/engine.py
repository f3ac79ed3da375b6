"""What maps ops over parts: here, or over several processes of this machine; the bytes are the same.

Belongs here: the engines behind `ops.parts.Engine`. Not here: what a part is (ops/parts.py).
"""

from __future__ import annotations

import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import Any

from ops.outcome import Outcome, Outcomes


@dataclass(frozen=True)
class LocalEngine:
    """Runs ops in this process, or with `workers` > 1 in as many others; outcomes keep their order."""

    workers: int = 1

    def map(self, op: Callable[..., Outcome], pieces: Iterable[Any], *shared: object) -> Outcomes:
        """Yield `op(piece, *shared)` for every piece; at most two pieces a worker are under way."""
        waiting = iter(pieces)
        first = tuple(islice(waiting, 2))
        if self.workers == 1 or len(first) < 2:
            yield from (op(piece, *shared) for piece in (*first, *waiting))
            return
        # spawn: a fork would copy the locks of Dagster's threads in whatever state they are
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(self.workers, mp_context=context, initializer=_prepare) as pool:
            under_way: deque[Future[Outcome]] = deque()
            for piece in (*first, *waiting):
                under_way.append(pool.submit(op, piece, *shared))
                if len(under_way) >= 2 * self.workers:
                    yield under_way.popleft().result()
            while under_way:
                yield under_way.popleft().result()


def engine() -> LocalEngine:
    """Return the engine of this process: `SILVERLOOM_WORKERS` processes, one by default."""
    text = os.environ.get("SILVERLOOM_WORKERS", "1")
    if not text.isdigit() or int(text) < 1:
        raise ValueError(f"SILVERLOOM_WORKERS must be a whole number from 1, found {text!r}")
    return LocalEngine(int(text))


def _prepare() -> None:
    import orchestration  # noqa: F401  pins the numeric kernels before an op loads numpy
