"""What extractors learn from and are judged on: the training sets as examples.

Belongs here: which examples of a set are learnt from, what judges the models, and refusing a set that teaches
nothing. Not here: making the sets (training.py, gold_papers.py), training on them (extractor.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ops.models.extractors.labelled import Labelled
from ops.models.extractors.paper import LabelError, Paper
from ops.models.training import TrainingError
from ops.outcome import Row
from ops.talksumm.pairing.titles import form

#: The training set of papers that people summarised.
ORACLE = "oracle"

#: What a model may be judged on; the later, the more it tells.
JUDGED_ON = ("training set", "validation split", "summaries by people")


@dataclass(frozen=True)
class Example:
    """A paper with labels, and the summaries that an extraction of it is judged by."""

    row: Row
    paper: Paper
    labels: list[int]
    references: Sequence[Sequence[str]]
    gains: Sequence[float] | None = None
    """How much each sentence is worth, where people summarised the paper."""


@dataclass(frozen=True)
class LearningSet:
    """A training set: all its examples that have labels, those to learn from, and those to judge by."""

    name: str
    examples: Sequence[Example]
    learnt: Sequence[Example]
    judges: Sequence[Example]
    judged_on: str


def learning_sets(units: Sequence[Row], gold: Sequence[Row]) -> list[LearningSet]:
    """Return the sets of rows of talksumm/training_sets, and `oracle` of talksumm/gold_papers, by name.

    A paper that is in the split `validation` or `test` of `gold` is so in every set, and so is one of another
    source that has its title (but for case, accents and punctuation): nothing is learnt from what models are
    judged on. Raises TrainingError for a set that has rows, but none to learn from, or that
    is called `oracle`, and LabelError for a row that has not one label a sentence.
    """
    held = {name: row["split"] for row in gold if row["split"] != "train" for name in _names(row)}
    sets: dict[str, list[Example]] = {}
    for unit in units:
        splits = [held[name] for name in _names(unit) if name in held]
        row = {**unit, "split": splits[0] if splits else unit["split"]}
        sets.setdefault(unit["set"], []).append(_example(row))
    if ORACLE in sets:
        raise TrainingError(
            f"a training set is called {ORACLE!r}, as the one of summaries by people is: rename its budget"
        )
    by_people = [_example(row, [one["sentences"] for one in row["references"]]) for row in gold]
    if learnt := [one for one in by_people if one.row["split"] == "train"]:
        sets[ORACLE] = learnt
    judges = [one for one in by_people if one.row["split"] == "validation"]
    return [_set(name, own, judges) for name, own in sorted(sets.items())]


def labelled(examples: Sequence[Example]) -> Labelled:
    """Return examples as tasks of training take them; with gains where all of them have these."""
    gains = [one.gains for one in examples if one.gains is not None]
    whole = gains if len(gains) == len(examples) else None
    return Labelled([one.paper for one in examples], [one.labels for one in examples], whole)


def paper_of(row: Row) -> Paper:
    """Return the paper of a row of talksumm/training_sets or talksumm/gold_papers, as extractors read it."""
    return Paper(row["id"], row["sentences"], row["title"] or "", row["roles"], row["sections"])


def _names(row: Row) -> list[tuple[str, str]]:
    """Return what a paper is known by: its id and, where it has a title with letters, that."""
    letters = form(row["title"] or "").letters
    return [("id", row["paper_id"]), *([("title", letters)] if letters else [])]


def _set(name: str, rows: Sequence[Example], judges: Sequence[Example]) -> LearningSet:
    examples = [one for one in rows if one.labels]
    learnt = [one for one in examples if one.row["split"] == "train"]
    if not labelled(learnt).learnable():
        raise TrainingError(
            f"training set {name}: of its {len(rows)} examples, none in the split train has a label; lower "
            "validation and test in params.yaml (talksumm.training_sets, talksumm.gold_papers)"
        )
    own = [one for one in examples if one.row["split"] == "validation"]
    which = max(place for place, found in enumerate((learnt, own, judges)) if found)
    return LearningSet(name, examples, learnt, (learnt, own, judges)[which], JUDGED_ON[which])


def _example(row: Row, references: Sequence[Sequence[str]] | None = None) -> Example:
    """Return an example; without references, it is judged by the summary that its own labels make."""
    sentences = row["sentences"]
    if len(row["labels"]) != len(sentences):
        raise LabelError(f"example {row['id']}: {len(sentences)} sentences, {len(row['labels'])} labels")
    labels = [index for index, label in enumerate(row["labels"]) if label]
    own = [[sentences[index] for index in labels]]
    return Example(row, paper_of(row), labels, references or own, row.get("gains"))
