"""Training examples of extractive summarisers, and the examples for judging them.

Belongs here: reading the training sets, separating examples to learn from and to judge by, and their form for
training. Not here: making the sets (summarise.py, evaluation/gold_papers.py), training (models.py).
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

from silverloom.ops.core.outcome import Row
from silverloom.ops.core.parts import Parts
from silverloom.ops.core.stored_rows import Made, StoredRows
from silverloom.ops.models.training import TrainingError
from silverloom.ops.talksumm.extractors.paper import ExtractorPaper, LabelError, Labelled
from silverloom.ops.talksumm.title_similarity import form

#: The training set of papers with human summaries.
ORACLE = "oracle"

#: What a model may be judged on, from the least to the most informative.
JUDGED_ON = ("training set", "validation split", "summaries by people")


@dataclass(frozen=True)
class LearningExample:
    """A paper with labels, and the summaries for judging an extraction of it."""

    row: Row
    paper: ExtractorPaper
    labels: list[int]
    references: Sequence[Sequence[str]]
    gains: Sequence[float] | None = None
    """The worth of each sentence, if the paper has human summaries."""


@dataclass(frozen=True)
class LearningSet:
    """A training set: all its examples with labels, those to learn from, and those to judge by."""

    name: str
    examples: Sequence[LearningExample]
    learnt: Sequence[LearningExample]
    judges: Sequence[LearningExample]
    judged_on: str


def learning_sets(training_sets: Parts, gold_papers: Parts, folder: Path | None = None) -> list[LearningSet]:
    """Return the sets of talksumm/training_sets, and the set `oracle` from talksumm/gold_papers, by name.

    Papers in the split `validation` or `test` of talksumm/gold_papers are in that split in every set, and
    papers of other sources with the same title (ignoring case, accents and punctuation) are too. Nothing is
    learnt from papers on which models are judged. Rows are read from `folder`; memory holds 24 bytes for
    each. Raises TrainingError for a set that has rows, but none to learn from, or that is called `oracle`.
    Raises LabelError for a row whose labels and sentences differ in number.
    """
    gold = StoredRows(gold_papers.schema, gold_papers.rows(), folder, block=1)
    held = {name: row["split"] for row in gold if row["split"] != "train" for name in _names(row)}
    sets: dict[str, _Places] = {}

    def in_its_split(unit: Row) -> Row:
        splits = [held[name] for name in _names(unit) if name in held]
        return {**unit, "split": splits[0] if splits else unit["split"]}

    units = StoredRows(training_sets.schema, map(in_its_split, training_sets.rows()), folder, block=1)
    for place, row in enumerate(units):
        sets.setdefault(row["set"], _Places(units)).add(place, row)
    if ORACLE in sets:
        raise TrainingError(
            f"a training set is called {ORACLE!r}, as the one of summaries by people is: rename its budget"
        )
    learnt, judges = _Places(gold, by_people=True), array("q")
    for place, row in enumerate(gold):
        if row["split"] == "train":
            learnt.add(place, row)
        if row["split"] == "validation":
            judges.append(place)
    if learnt.rows:
        sets[ORACLE] = learnt
    return [_set(name, places, learnt.examples(judges)) for name, places in sorted(sets.items())]


class _Places:
    """Indices of the stored rows that are examples of a set and have labels."""

    def __init__(self, stored: StoredRows, by_people: bool = False) -> None:
        self._stored, self._by_people = stored, by_people
        self.rows = 0
        self.labelled, self.learnt, self.validating = array("q"), array("q"), array("q")

    def add(self, place: int, row: Row) -> None:
        """Add a row. Raises LabelError if its labels and sentences differ in number."""
        self.rows += 1
        if _example(row, self._by_people).labels:
            self.labelled.append(place)
            if row["split"] == "train":
                self.learnt.append(place)
            if row["split"] == "validation":
                self.validating.append(place)

    def _example(self, place: int) -> LearningExample:
        return _example(self._stored[place], self._by_people)

    def examples(self, places: Sequence[int]) -> Sequence[LearningExample]:
        """Return the examples at these indices, read on access."""
        return Made(places, self._example)


def labelled(examples: Sequence[LearningExample]) -> Labelled:
    """Return examples in the form of training tasks, with gains if all of them have gains."""
    with_gains = all(example.gains is not None for example in examples)
    return Labelled(
        Made(examples, attrgetter("paper")),
        Made(examples, attrgetter("labels")),
        Made(examples, attrgetter("gains")) if with_gains else None,
    )


def paper_of(row: Row) -> ExtractorPaper:
    """Return the paper in a row of talksumm/training_sets or talksumm/gold_papers, for extractors."""
    return ExtractorPaper(row["id"], row["sentences"], row["title"] or "", row["roles"], row["sections"])


def _names(row: Row) -> list[tuple[str, str]]:
    """Return a paper's identifiers: its id, and its title if that has letters."""
    letters = form(row["title"] or "").letters
    return [("id", row["paper_id"]), *([("title", letters)] if letters else [])]


def _set(name: str, places: _Places, judges: Sequence[LearningExample]) -> LearningSet:
    learnt, validating = places.examples(places.learnt), places.examples(places.validating)
    if not len(labelled(learnt).learnable()):
        raise TrainingError(
            f"training set {name}: of its {places.rows} examples, none in the split train has a label; lower "
            "validation and test in params.yaml (talksumm.training_sets, talksumm.gold_papers)"
        )
    several = (learnt, validating, judges)
    which = max(place for place, examples in enumerate(several) if len(examples))
    return LearningSet(name, places.examples(places.labelled), learnt, several[which], JUDGED_ON[which])


def _example(row: Row, by_people: bool) -> LearningExample:
    """Return an example; it is judged by human summaries, or by the summary that its own labels make."""
    sentences = row["sentences"]
    if len(row["labels"]) != len(sentences):
        raise LabelError(f"example {row['id']}: {len(sentences)} sentences, {len(row['labels'])} labels")
    labels = [index for index, label in enumerate(row["labels"]) if label]
    references = [reference["sentences"] for reference in row["references"]] if by_people else []
    labelled_sentences = [[sentences[index] for index in labels]]
    return LearningExample(row, paper_of(row), labels, references or labelled_sentences, row.get("gains"))
