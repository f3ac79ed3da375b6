"""What maps ops over parts: here, or over several processes of this machine; the bytes are the same.

Belongs here: the engines behind `ops.parts.Engine`. Not here: what a part is (ops/parts.py), going on from
finished ones (resume.py).
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from ops.outcome import Outcome, Outcomes
from orchestration.engine.processes import WorkerDiedError, Workers, begin, death


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
        workers = Workers()
        shared_by = (False, self.workers)
        pool = ProcessPoolExecutor(self.workers, mp_context=workers, initializer=begin, initargs=shared_by)
        try:
            yield from self._map(pool, op, chain(first, waiting), shared)
        except BrokenProcessPool as error:
            pool.shutdown()
            raise WorkerDiedError(death(workers.processes, "WORKERS")) from error
        except BaseException:
            workers.kill()  # or what is under way would be waited for
            raise
        finally:
            pool.shutdown()

    def _map(
        self, pool: ProcessPoolExecutor, op: Callable[..., Outcome], pieces: Iterator[Any], shared: Any
    ) -> Outcomes:
        under_way: deque[Future[Outcome]] = deque()
        for piece in pieces:
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
