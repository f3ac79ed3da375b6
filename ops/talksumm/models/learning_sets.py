"""What extractors learn from and are judged on: the training sets as examples.

Belongs here: which examples of a set are learnt from, what judges the models, and refusing a set that teaches
nothing. Not here: making the sets (training.py, gold_papers.py), training on them (extractor.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ops.models.extractors.labelled import Labelled
from ops.models.extractors.paper import ExtractorPaper, LabelError
from ops.models.training import TrainingError
from ops.outcome import Row
from ops.talksumm.pairing.titles import form

#: The training set of papers that people summarised.
ORACLE = "oracle"

#: What a model may be judged on; the later, the more it tells.
JUDGED_ON = ("training set", "validation split", "summaries by people")


@dataclass(frozen=True)
class LearningExample:
    """A paper with labels, and the summaries that an extraction of it is judged by."""

    row: Row
    paper: ExtractorPaper
    labels: list[int]
    references: Sequence[Sequence[str]]
    gains: Sequence[float] | None = None
    """How much each sentence is worth, where people summarised the paper."""


@dataclass(frozen=True)
class LearningSet:
    """A training set: all its examples that have labels, those to learn from, and those to judge by."""

    name: str
    examples: Sequence[LearningExample]
    learnt: Sequence[LearningExample]
    judges: Sequence[LearningExample]
    judged_on: str


def learning_sets(units: Sequence[Row], gold: Sequence[Row]) -> list[LearningSet]:
    """Return the sets of rows of talksumm/training_sets, and `oracle` of talksumm/gold_papers, by name.

    A paper that is in the split `validation` or `test` of `gold` is so in every set, and so is one of another
    source that has its title (but for case, accents and punctuation): nothing is learnt from what models are
    judged on. Raises TrainingError for a set that has rows, but none to learn from, or that
    is called `oracle`, and LabelError for a row that has not one label a sentence.
    """
    held = {name: row["split"] for row in gold if row["split"] != "train" for name in _names(row)}
    sets: dict[str, list[LearningExample]] = {}
    for unit in units:
        splits = [held[name] for name in _names(unit) if name in held]
        row = {**unit, "split": splits[0] if splits else unit["split"]}
        sets.setdefault(unit["set"], []).append(_example(row))
    if ORACLE in sets:
        raise TrainingError(
            f"a training set is called {ORACLE!r}, as the one of summaries by people is: rename its budget"
        )
    by_people = [_example(row, [reference["sentences"] for reference in row["references"]]) for row in gold]
    if learnt := [example for example in by_people if example.row["split"] == "train"]:
        sets[ORACLE] = learnt
    judges = [example for example in by_people if example.row["split"] == "validation"]
    return [_set(name, examples, judges) for name, examples in sorted(sets.items())]


def labelled(examples: Sequence[LearningExample]) -> Labelled:
    """Return examples as tasks of training take them; with gains where all of them have these."""
    gains = [example.gains for example in examples if example.gains is not None]
    whole = gains if len(gains) == len(examples) else None
    return Labelled([example.paper for example in examples], [example.labels for example in examples], whole)


def paper_of(row: Row) -> ExtractorPaper:
    """Return the paper of a row of talksumm/training_sets or talksumm/gold_papers, as extractors read it."""
    return ExtractorPaper(row["id"], row["sentences"], row["title"] or "", row["roles"], row["sections"])


def _names(row: Row) -> list[tuple[str, str]]:
    """Return what a paper is known by: its id and, where it has a title with letters, that."""
    letters = form(row["title"] or "").letters
    return [("id", row["paper_id"]), *([("title", letters)] if letters else [])]


def _set(name: str, rows: Sequence[LearningExample], judges: Sequence[LearningExample]) -> LearningSet:
    examples = [example for example in rows if example.labels]
    learnt = [example for example in examples if example.row["split"] == "train"]
    if not labelled(learnt).learnable():
        raise TrainingError(
            f"training set {name}: of its {len(rows)} examples, none in the split train has a label; lower "
            "validation and test in params.yaml (talksumm.training_sets, talksumm.gold_papers)"
        )
    validating = [example for example in examples if example.row["split"] == "validation"]
    which = max(place for place, found in enumerate((learnt, validating, judges)) if found)
    return LearningSet(name, examples, learnt, (learnt, validating, judges)[which], JUDGED_ON[which])


def _example(row: Row, references: Sequence[Sequence[str]] | None = None) -> LearningExample:
    """Return an example; without references, it is judged by the summary that its own labels make."""
    sentences = row["sentences"]
    if len(row["labels"]) != len(sentences):
        raise LabelError(f"example {row['id']}: {len(sentences)} sentences, {len(row['labels'])} labels")
    labels = [index for index, label in enumerate(row["labels"]) if label]
    labelled_sentences = [[sentences[index] for index in labels]]
    return LearningExample(row, paper_of(row), labels, references or labelled_sentences, row.get("gains"))
