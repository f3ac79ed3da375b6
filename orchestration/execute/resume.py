"""Go on from the finished parts of a partition: what was computed under its key is not computed again.

Belongs here: an engine around another one, which stores each outcome as soon as it is there and tells how far
the work is. Not here: how an outcome is stored (finished_parts.py), where ops run (engine/).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Sequence, Sized
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from ops.outcome import Outcome, Outcomes
from ops.parse.progress import watched
from ops.parts import Engine
from orchestration.execute.finished_parts import FinishedParts
from orchestration.executors.parts import LocalEngine
from orchestration.files.replaced import Stamps
from orchestration.messages.progress import Notice, PartitionProgress, Recent, tell
from orchestration.state.input_snapshot import code_marks
from orchestration.workspace.workspace import Workspace

Op: TypeAlias = Callable[..., Outcome]

#: Seconds from which a part is stored even if it is the only one.
LONG = 1.0


@dataclass
class ResumableEngine:
    """Runs ops by another engine, but yields those outcomes that an earlier run stored in `folder`.

    `partition` is what is made, for people; `inputs` are the files that it is made of. `close` ends what is
    under way.
    """

    workspace: Workspace
    engine: Engine
    partition: str
    folder: Path
    inputs: Stamps
    _maps: list[Generator[Outcome, None, None]] = field(default_factory=list, init=False)

    def __reduce__(self) -> tuple[type[LocalEngine], tuple[()]]:
        """In a worker process, where no map of the partition begins, it is a plain engine."""
        return LocalEngine, ()

    def map(self, op: Op, pieces: Iterable[Any], *shared: object) -> Outcomes:
        """Yield `op(piece, *shared)` for every piece, computed now or by an earlier run."""
        # `Parts.map` hands its op over as the first that is shared
        name = getattr(shared[0] if shared and callable(shared[0]) else op, "__name__", "op")
        folder = self.folder / f"{len(self._maps)}-{name}"
        finished = FinishedParts(self.workspace, folder, self.inputs, code_marks(self.workspace))
        self._maps.append(self._map(name, finished, op, pieces, shared))
        return self._maps[-1]

    def close(self) -> None:
        """End every map that was begun."""
        for outcomes in self._maps:
            outcomes.close()

    def _map(
        self,
        name: str,
        finished: FinishedParts,
        op: Op,
        pieces: Iterable[Any],
        shared: Any,
    ) -> Generator[Outcome, None, None]:
        total = len(pieces) if isinstance(pieces, Sized) else None
        kept = finished.found()
        if kept:
            tell(Notice(self.partition, f"{name}: goes on from {len(kept)} finished parts"))
        # Of a sequence only what is missing is asked for: to read a piece may take time.
        missing = (
            ((index, pieces[index]) for index in range(len(pieces)) if index not in kept)
            if isinstance(pieces, Sequence)
            else ((index, piece) for index, piece in enumerate(pieces) if index not in kept)
        )
        computed = self.engine.map(_compute, missing, op, finished, total != 1, *shared)
        recent, done = Recent(), 0
        while True:
            tell(PartitionProgress(self.partition, name, done, total, recent.pace))
            if done in kept:
                yield finished.read(done)
            elif (outcome := self._next(computed, f"{name}, part {done + 1}")) is not None:
                recent.finished()
                yield outcome
            else:
                return
            done += 1

    def _next(self, computed: Outcomes, name: str) -> Outcome | None:
        """Return the next outcome; how far a recording is that is heard in this process is told."""
        recent, before = Recent(), 0

        def heard(seconds: int, of: int) -> None:
            nonlocal before
            recent.finished(max(0, seconds - before))
            before = seconds
            pace, unit = recent.pace, "seconds of sound"
            tell(PartitionProgress(self.partition, name, seconds, of or None, pace, unit))

        with watched(heard):
            return next(computed, None)


def _compute(
    numbered: tuple[int, Any],
    op: Op,
    finished: FinishedParts,
    several: bool,
    *shared: object,
) -> Outcome:
    """Compute a part and store it where it is computed: what is ahead of its turn is not lost either."""
    index, piece = numbered
    begun = time.monotonic()
    outcome = op(piece, *shared)
    if several or time.monotonic() - begun > LONG:
        finished.write(index, outcome)
    return outcome
