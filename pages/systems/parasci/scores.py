"""ParaSCI's numbers on pages, next to those of Dong et al. (2021) in published.yaml.

Belongs here: Tables 2 to 6: the dataset, human evaluation, PDBERT against the best clause, and generators
against COPY, with some of their sentences. Not here: reading other datasets (site.py), any computation
(ops/parasci), learning curves (pages/evaluation.py).
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from silverloom.assets.declare.graph import Everything
from silverloom.assets.rows.reading import rows, shortened, side_file
from silverloom.ops.core.outcome import Row
from silverloom.ops.core.sampling import SPLITS
from silverloom.ops.evaluation.table import EvaluationTable, read_table
from silverloom.ops.metrics.bootstrap import Interval
from silverloom.ops.parasci.evaluation.human_evaluation import ALL
from silverloom.ops.text.words import word_difference
from silverloom.pages.evaluation import (
    Grid,
    GridCell,
    GridLine,
    bars,
    columns_grid,
    published_grid,
    published_values,
    tests_grid,
)
from silverloom.pages.sampling import rank

PUBLISHED = published_values(__file__)

#: The questions of each table of the paper, with the names used there, and the ends of the scale of its bars.
TABLES: Mapping[str, tuple[Mapping[str, str], tuple[float, float]]] = {
    "table_4": (
        {
            "consistency": "Consistency",
            "lexical": "Lexical",
            "phrasal": "Phrasal",
            "sentential": "Sentential",
        },
        (1, 5),
    ),
    "table_5": (
        {
            "synonym": "Synonym",
            "voice": "Voice",
            "word_form": "Word form",
            "break": "Break",
            "definition": "Definition",
            "structure": "Structure",
        },
        (0, 2),
    ),
}
_COLUMNS = ("genre", "candidates", "pairs", "words", "characters", "self_bleu")

#: The most generated sentences shown, by the hash of their pairs, and characters of each.
MOST_SENTENCES, LONGEST = 30, 600
_NAMES = {"pdbert": "PDBERT", "best_clause": "Best clause", "copy": "COPY"}


def table_2(rows: Iterable[Row], origins: Sequence[str]) -> Grid:
    """Return Table 2: our numbers (all, by method, split and source), then the paper's."""
    place = {name: at for at, name in enumerate([ALL, *origins, *SPLITS])}
    lines = [
        GridLine(row["name"] + ", paper" * row["published"], [_cell(row[name]) for name in _COLUMNS])
        for row in sorted(rows, key=lambda row: (row["published"], place.get(row["name"], len(place))))
    ]
    head = ("dataset", "genre", "candidates", "pairs", "words", "characters", "Self-BLEU")
    return Grid("Statistics", head, lines, "statistics")


def rated(table: Mapping[str, Any], name: str, origins: Sequence[str]) -> dict[str, Any]:
    """Return a table of ratings: our `lines` (all pairs, by method, by corpus), the paper's, and agreement.

    A line has for each question its score from table.json, or None.
    """
    names, ends = TABLES[name]
    questions = {question["question"]: question for question in table["questions"]}
    scores = {
        (question, score["origin"]): score for question in names for score in questions[question]["scores"]
    }
    rated = {group for _, group in scores} - {ALL}
    ordered = [*(origin for origin in origins if origin in rated), *sorted(rated - {*origins})]
    return {
        "names": list(names.values()),
        "ends": ends,
        "lines": [
            (origin, [scores.get((question, origin)) for question in names]) for origin in [ALL, *ordered]
        ],
        "paper": [
            (dataset, [row[question] for question in names]) for dataset, row in PUBLISHED[name].items()
        ],
        "kappa": [questions[question]["kappa"] for question in names],
        "paper_kappa": [PUBLISHED["kappa"].get(question) for question in names],
        "answers": [_answers(questions[question]) for question in names],
    }


def unreliable(table: Mapping[str, Any]) -> list[Row]:
    """Return the agreement rows of raters whose kappa is too low by the paper's standard."""
    return [
        row for row in table["agreement"] if row["kappa"] is not None and row["kappa"] < PUBLISHED["reliable"]
    ]


class ModelTable(NamedTuple):
    """A dataset that compares systems: its metrics from 0 to 1, other metrics, and the metrics with tests."""

    dataset: str
    title: str
    shares: Mapping[str, str]
    numbers: Mapping[str, str]
    tested: Sequence[str]
    published: Mapping[str, str]
    """Columns of the paper's table, by their names in table.json."""

    @property
    def metrics(self) -> Mapping[str, str]:
        """All metrics with their names."""
        return {**self.shares, **self.numbers}


EXTRACTION = ModelTable(
    "parasci/extractions",
    "Parts of sentences",
    {"f1": "BERTScore F1", "precision": "Precision", "recall": "Recall", "valuable": "Valuable"},
    {},
    ("f1", "valuable"),
    {"system": "system", "speed": "speed", "valuable": "valuable parts", "f1": "BERTScore"},
)


GENERATION = ModelTable(
    "parasci/evaluation",
    "Paraphrase generation",
    {"bleu": "BLEU", "self_bleu": "Self-BLEU", "bertscore": "BERTScore", "bert_ibleu": "BERT-iBLEU"},
    {"ibleu": "iBLEU", "words": "Words"},
    ("bleu", "ibleu", "bert_ibleu"),
    {"training": "trained on", "test": "tested on", "bleu": "BLEU", "words": "words"},
)


def compared(everything: Everything, comparison: ModelTable) -> dict[str, Any] | None:
    """Return a table of systems, their tests and the paper's table; None if no systems are scored."""
    content = side_file(everything, comparison.dataset, "table.json")
    table = read_table(content, "pairs")
    if not table.systems:
        return None
    return {
        "scores": _scores(table, comparison),
        "tests": _tests(table, comparison),
        "sources": _parts(content, comparison, "sources"),
        "external": _parts(content, comparison, "external"),
        "published": published_grid(
            f"{comparison.title}, the paper",
            tuple(comparison.published.values()),
            (_published(row, list(comparison.published)) for row in content.get("published", ())),
        ),
    }


def _parts(content: Mapping[str, Any], comparison: ModelTable, kind: str) -> list[Grid]:
    """Return the scores of the test pairs of each source of ours, or of each external corpus."""
    return [
        _scores(read_table(evaluation, "pairs"), comparison)._replace(title=f"{comparison.title}: {name}")
        for name, evaluation in content.get(kind, {}).items()
    ]


def generated(everything: Everything) -> Iterator[dict[str, Any]]:
    """Yield some model outputs, each compared with its source word by word."""
    columns = ["pair_id", "model", "source", "target", "prediction"]
    predictions = rows(everything, "parasci/generated", ["pair_id", "system"], system=["model"])
    chosen = heapq.nsmallest(MOST_SENTENCES, {row["pair_id"] for row in predictions}, key=rank)
    of_models = rows(everything, "parasci/generated", [*columns, "system"], system=["model"], pair_id=chosen)
    for row in sorted(of_models, key=lambda row: (row["source"], row["pair_id"], row["model"])):
        texts = {name: shortened(row[name], LONGEST) for name in ("source", "target", "prediction")}
        yield {
            "model": row["model"],
            "source": texts["source"],
            "target": texts["target"],
            "difference": word_difference(texts["source"], texts["prediction"]),
        }


def _cell(value: Any) -> Any:
    return f"{value:.2f}" if isinstance(value, float) else value


def _answers(question: Mapping[str, Any]) -> dict[str, Any]:
    """Return how often each value was given; unused values at the end of a long scale are left out."""
    counts = question["scores"][0]["values"]
    used = max((at for at, count in enumerate(counts.values()) if count), default=0)
    shown = [value["shown"] for value in question["scale"]]
    values: Sequence[tuple[str, int]] = list(zip(shown, counts.values(), strict=True))
    return {"text": question["text"], "values": values[: max(used + 1, 5)], "ratings": sum(counts.values())}


def _scores(table: EvaluationTable, comparison: ModelTable) -> Grid:
    columns: list[Sequence[GridCell]] = [
        bars(
            [system.scores.get(metric) for system in table.systems],
            # Similarity to the source, in words or in meaning, is no merit: COPY scores highest on both.
            [metric not in ("self_bleu", "bertscore")] * len(table.systems),
            top=1,
        )
        for metric in comparison.shares
    ]
    columns += [
        [_number(metric, system.scores.get(metric)) for system in table.systems]
        for metric in comparison.numbers
    ]
    columns.append([system.items for system in table.systems])
    head = ("system", *comparison.metrics.values(), "pairs")
    lines = [GridLine(_label(system.name)) for system in table.systems]
    return columns_grid(comparison.title, head, lines, columns)


def _number(metric: str, score: Interval | None) -> str | None:
    """Return a score shown without a bar: a difference of shares, maybe negative, or a number of words."""
    if score is None:
        return None
    mean, low, high = (100 * value if metric == "ibleu" else value for value in score)
    return f"{mean:.1f} ({low:.1f} to {high:.1f})".replace("-", "−")


def _tests(table: EvaluationTable, comparison: ModelTable) -> Grid:
    tests = (([_label(test.first), _label(test.second)], test) for test in table.tests)
    metrics = {name: comparison.metrics[name] for name in comparison.tested}
    return tests_grid(f"Tests of {comparison.title.lower()}", ("system", "against"), tests, metrics, "pairs")


def _published(row: Mapping[str, Any], names: Sequence[str]) -> list[GridCell]:
    first, *rest = (row[name] for name in names)
    return [_label(first), *map(_cell, rest)]


def _label(name: str) -> str:
    return _NAMES.get(name, name)
