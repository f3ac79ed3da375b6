"""Answers of a model from text to text to many sources, batch by batch on any engine.

Belongs here: dividing the sources among tasks. Not here: the batches and the answers (model.py), what becomes
of these.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa

from ops.core.loaded import Loaded
from ops.core.outcome import Outcome
from ops.core.parts import Engine
from ops.models.seq2seq.config import BATCH

if TYPE_CHECKING:
    from ops.models.seq2seq.model import Seq2Seq

#: Batches of a task.
_BATCHES = 4

_ANSWERS = pa.schema([("source", pa.string()), ("answer", pa.string()), ("truncated", pa.bool_())])


class WrittenAnswer(NamedTuple):
    """What a model writes, and whether the source was longer than it reads."""

    text: str
    truncated: bool


def answers(engine: Engine, model: Loaded[Seq2Seq], sources: Sequence[str]) -> list[WrittenAnswer]:
    """Return an answer to each source, as `Seq2Seq.generate` does."""
    batches = -(-len(set(sources)) // BATCH)
    firsts = tuple(range(0, batches, _BATCHES))
    found: dict[str, WrittenAnswer] = {}
    for outcome in engine.map(answers_of, firsts, model, sources):
        for source, text, truncated in zip(*outcome.kept.to_pydict().values(), strict=True):
            found[source] = WrittenAnswer(text, truncated)
    return [found[source] for source in sources]


def answers_of(first: int, model: Loaded[Seq2Seq], sources: Sequence[str]) -> Outcome:
    """Return, as kept rows, the answers to some batches of the sources, from the one with this number on."""
    writer = model.model
    found = writer.answers(sources, batches=range(first, first + _BATCHES))
    truncated = [writer.length(source, "") > writer.config.longest for source in found]
    kept = pa.table([pa.array(column) for column in (found, found.values(), truncated)], _ANSWERS)
    nothing = pa.table({"id": pa.array([], pa.string())})
    return Outcome(pa.array([], pa.string()), kept, nothing, nothing)
