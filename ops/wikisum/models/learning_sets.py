"""What summarizers learn from and are judged by: examples of a set, streamed from part files.

Belongs here: which examples these are, as stores of tokens. Not here: making examples (examples.py), what a
model reads of one (reading.py), training (summarizer.py).
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

import pyarrow.compute as pc

from ops.core.sampling import drawn
from ops.models.training import TrainingError
from ops.outcome import Row
from ops.parts import Parts
from ops.wikisum.models.reading import Reader

if TYPE_CHECKING:
    from ops.models.long_sequences.model import TokenExample
    from ops.models.long_sequences.store import ExampleStore

#: What a model may be judged on; the later, the more it tells.
JUDGED_ON = ("training set", "validation split")


@dataclass(frozen=True)
class LearningSet:
    """A set of examples: those to learn from, and those to judge by."""

    name: str
    learnt: ExampleStore
    judges: ExampleStore
    judged_on: str
    longest_target: int | None
    """Tokens of a target that are learnt and written at most; None where the model says so."""
    read_by: Callable[[Reader], LearningSet]
    """The same examples as another reader has them."""
    counted: int | None = None
    """Sub-words of wikisum/tokenizer that are scored of the judges' targets, where tokens are others."""

    @property
    def longest_source(self) -> int:
        """Tokens of its longest source, at least 1."""
        return max(1, *(int(store.lengths[:, 0].max(initial=0)) for store in (self.learnt, self.judges)))


def check_learnable(examples: Parts, names: Iterable[str]) -> None:
    """Raise TrainingError for the first of these sets that has nothing to learn from."""
    for name in names:
        if next(rows_of(examples, name, "train", ()), None) is None:
            raise _nothing_to_learn(name)


def learning_set(examples: Parts, name: str, reader: Reader, most_judges: int, seed: int) -> LearningSet:
    """Return the set of this name, as a reader has it.

    Of the split validation, at most `most_judges` are drawn; where it is empty, as many of the training set
    stand in. Raises TrainingError where there is nothing to learn from.
    """
    from ops.models.long_sequences.store import ExampleStore

    learnt = ExampleStore(_taken(examples, name, "train", reader))
    if not len(learnt):
        raise _nothing_to_learn(name)
    split, judged_on = "validation", JUDGED_ON[1]
    if not (chosen := _drawn(examples, name, split, most_judges, seed)):
        split, judged_on = "train", JUDGED_ON[0]
        chosen = _drawn(examples, name, split, most_judges, seed)
    judges = ExampleStore(_taken(examples, name, split, reader, chosen))
    counts = (
        reader.sub_words(row)
        for row in rows_of(examples, name, split, ("id", *reader.columns))
        if row["id"] in chosen
    )
    return LearningSet(
        name,
        learnt,
        judges,
        judged_on,
        next(rows_of(examples, name, "train", ("longest_target",)))["longest_target"],
        partial(learning_set, examples, name, most_judges=most_judges, seed=seed),
        None if reader.counts_tokens else sum(counts),
    )


def rows_of(examples: Parts, name: str, split: str, columns: Collection[str]) -> Iterator[Row]:
    """Yield rows of a set and split; one part at a time is in memory."""
    return chain.from_iterable(parts_of(examples, name, split, columns))


def parts_of(examples: Parts, name: str, split: str, columns: Collection[str]) -> Iterator[list[Row]]:
    """Yield the rows of a set and split, part by part."""
    for part in examples.parts:
        table = part.read([*{*columns, "set", "split"}])
        mask = pc.and_(pc.equal(table["set"], name), pc.equal(table["split"], split))
        yield table.filter(mask).to_pylist()


def _nothing_to_learn(name: str) -> TrainingError:
    return TrainingError(f"the set {name!r} has no example in the split train: there is nothing to learn")


def _drawn(examples: Parts, name: str, split: str, most: int, seed: int) -> set[str]:
    ids = (str(row["id"]) for row in rows_of(examples, name, split, ("id",)))
    return set(heapq.nsmallest(most, ids, key=lambda example: drawn(seed, example)))


def _taken(
    examples: Parts, name: str, split: str, reader: Reader, chosen: Collection[str] | None = None
) -> Iterator[tuple[str, TokenExample]]:
    for row in rows_of(examples, name, split, ("id", *reader.columns)):
        if chosen is None or row["id"] in chosen:
            yield str(row["id"]), reader.example(row)
