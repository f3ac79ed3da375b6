"""The examples that summarizers are trained on and validated with, streamed from part files.

Belongs here: selecting these examples, as stores of tokens; what a model reads of an example, and how many
sub-words of its target are scored. Not here: making examples (ops/wikisum/examples.py), training
(summarizer_training.py).

A model that is trained from scratch reads the example's sub-words. A pretrained model has its own tokenizer
and reads the example's texts, normalised or natural; its source is cut where the other models' source is cut.
Its log-perplexity is still per sub-word of wikisum/tokenizer, so models of normalised text are comparable.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pyarrow.compute as pc

from silverloom.ops.core.joins import divided
from silverloom.ops.core.outcome import Row
from silverloom.ops.core.parts import Parts
from silverloom.ops.core.sampling import sample_names
from silverloom.ops.models.training import TrainingError
from silverloom.ops.models.training.examples import ExampleStore, TokenExample
from silverloom.ops.text.word_numbers import normalised
from silverloom.ops.wikisum.tokenizer import END

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from silverloom.ops.wikisum.long_sequences.texts import PretrainedTexts, TextModel


class Reader(Protocol):
    """How a model reads examples."""

    @property
    def columns(self) -> Sequence[str]:
        """The columns of an example that the model reads."""
        ...

    @property
    def counts_tokens(self) -> bool:
        """Whether targets are scored by the model's own tokens."""
        ...

    @property
    def natural(self) -> bool:
        """Whether the model reads and writes natural text, not normalised text."""
        ...

    def example(self, row: Row) -> TokenExample:
        """Return an example's tokens, without the end tokens of source and target."""
        ...

    def sub_words(self, row: Row) -> int:
        """Return how many sub-words of wikisum/tokenizer are scored of a target, including its end."""
        ...


class SubWords:
    """Reads the sub-words of wikisum/tokenizer."""

    columns = ("source_tokens", "target_tokens")
    counts_tokens = True
    natural = False

    def __init__(self, tokenizer: Tokenizer, longest_target: int | None = None) -> None:
        """`longest_target`: the most sub-words of a target that are scored."""
        self._end, self._most = tokenizer.token_to_id(END), longest_target

    def example(self, row: Row) -> TokenExample:
        """Return an example's sub-words."""
        source, target = (
            tokens[:-1] if tokens and tokens[-1] == self._end else tokens
            for tokens in (row["source_tokens"], row["target_tokens"])
        )
        return TokenExample(source, target)

    def sub_words(self, row: Row) -> int:
        """Return how many sub-words of a target are scored."""
        target = len(self.example(row).target)
        return (target if self._most is None else min(target, self._most)) + 1


class OwnTokens:
    """Reads with a pretrained model's own tokenizer."""

    counts_tokens = False

    def __init__(self, model: PretrainedTexts) -> None:
        self._model, self._whole = model, SubWords(model.tokenizer)
        self.natural = model.model.params.text == "natural"
        self._texts = ("source_text", "target_text") if self.natural else ("source", "target")
        self.columns = (*self._texts, "source_tokens", "target_tokens")

    def example(self, row: Row) -> TokenExample:
        """Return an example's texts as tokens."""
        source, target = self._texts
        return self._model.model.example(str(row[source]), str(row[target]))

    def sub_words(self, row: Row) -> int:
        """Return the number of sub-words in the scored text, normalised; a text that was cut has no end."""
        target = str(row[self._texts[1]])
        learnt = self._model.model.learnt_text(target)
        if learnt == target:
            return self._whole.sub_words(row)
        text = normalised(learnt) if self.natural else learnt
        return len(self._model.tokenizer.encode(text, add_special_tokens=False).ids)


#: The columns that training reads, and scoring a written text.
_LEARNT = (
    "id",
    "licence",
    "set",
    "split",
    "article_id",
    "title",
    "source_tokens",
    "target",
    "target_tokens",
    "longest_target",
)

#: What a model may be validated on; the later, the more conclusive.
JUDGED_ON = ("training set", "validation split")


@dataclass(frozen=True)
class LearningSet:
    """A set of examples: those to train on, and those to validate with."""

    name: str
    learnt: ExampleStore
    judges: ExampleStore
    judged_on: str
    longest_target: int | None
    """The most tokens of a target that are learnt and written; None if the model decides."""
    read_by: Callable[[Reader], LearningSet]
    """Returns the same examples for another reader."""
    counted: int | None = None
    """Sub-words of wikisum/tokenizer in the scored targets, if the model has other tokens."""

    @property
    def longest_source(self) -> int:
        """The number of tokens in the longest source, at least 1."""
        return max(1, *(int(store.lengths[:, 0].max(initial=0)) for store in (self.learnt, self.judges)))


def reader_of(model: TextModel) -> Reader:
    """Return the reader of a model."""
    from silverloom.ops.wikisum.long_sequences.texts import PretrainedTexts

    if isinstance(model, PretrainedTexts):
        return OwnTokens(model)
    return SubWords(model.tokenizer, model.model.params.longest_target)


def sets_of(examples: Parts, architectures: Collection[str], folder: Path) -> Mapping[str, Parts]:
    """Return the examples of each set separately, stored in `folder`, with the columns that models read.

    So a loop over the sets reads each example only once per model, not once per set.
    """
    text = ("source", "source_text", "target_text") if "pretrained" in architectures else ()
    return divided(examples, "set", folder, [*_LEARNT, *text])


def check_learnable(sets: Mapping[str, Parts], names: Iterable[str]) -> None:
    """Raise TrainingError for the first of these sets that has no training examples."""
    for name in names:
        if next(rows_of(sets[name], name, "train", ()), None) is None:
            raise _nothing_to_learn(name)


def learning_set(
    examples: Parts, name: str, reader: Reader, most_judges: int, seed: int, folder: Path | None = None
) -> LearningSet:
    """Return the set of this name, for a reader. `examples` may be of this set alone (`sets_of`).

    Stores the examples in `folder`, else among the temporary files. Draws at most `most_judges` examples of
    the split validation; if that split is empty, draws from the training set instead. Raises TrainingError if
    there are no training examples.
    """
    learnt = ExampleStore(_taken(examples, name, "train", reader), folder)
    if not len(learnt):
        raise _nothing_to_learn(name)
    split, judged_on = "validation", JUDGED_ON[1]
    if not (chosen := _judges(examples, name, split, most_judges, seed)):
        split, judged_on = "train", JUDGED_ON[0]
        chosen = _judges(examples, name, split, most_judges, seed)
    judges = ExampleStore(_taken(examples, name, split, reader, chosen), folder)
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
        partial(learning_set, examples, name, most_judges=most_judges, seed=seed, folder=folder),
        None if reader.counts_tokens else sum(counts),
    )


def rows_of(examples: Parts, name: str, split: str, columns: Collection[str]) -> Iterator[Row]:
    """Yield the rows of a set and split; holds one part at a time in memory."""
    return chain.from_iterable(parts_of(examples, name, split, columns))


def parts_of(examples: Parts, name: str, split: str, columns: Collection[str]) -> Iterator[list[Row]]:
    """Yield the rows of a set and split, part by part."""
    for part in examples.parts:
        table = part.read([*{*columns, "set", "split"}])
        mask = pc.and_(pc.equal(table["set"], name), pc.equal(table["split"], split))
        yield table.filter(mask).to_pylist()


def _nothing_to_learn(name: str) -> TrainingError:
    return TrainingError(f"the set {name!r} has no example in the split train: there is nothing to learn")


def _judges(examples: Parts, name: str, split: str, most: int, seed: int) -> set[str]:
    ids = (str(row["id"]) for row in rows_of(examples, name, split, ("id",)))
    return set(sample_names(ids, most, seed))


def _taken(
    examples: Parts, name: str, split: str, reader: Reader, chosen: Collection[str] | None = None
) -> Iterator[tuple[str, TokenExample]]:
    for row in rows_of(examples, name, split, ("id", *reader.columns)):
        if chosen is None or row["id"] in chosen:
            yield str(row["id"]), reader.example(row)
