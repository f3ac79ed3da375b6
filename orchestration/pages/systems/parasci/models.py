"""What models are worth, as the page shows it: PDBERT beside the best clause, generators beside COPY.

Belongs here: Tables 3 and 6, and generated sentences. Not here: what people say (scores.py), computing
anything (ops/parasci), learning curves (pages/learning.py).
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from assets.declare.report import Everything
from ops.evaluation.table import EvaluationTable, read_table
from ops.metrics.bootstrap import Interval
from ops.text.word_diff import difference
from orchestration.pages.evaluation import Grid, GridCell, GridLine, bars, test_cells
from orchestration.pages.reading import rows, shortened, side_file
from orchestration.pages.sampling import rank

#: Generated sentences that are shown, by the hash of their pairs, and characters of each.
MOST_SENTENCES, LONGEST = 30, 600


class ModelTable(NamedTuple):
    """A dataset that compares systems: metrics from 0 to 1, others, and those of which tests are shown."""

    dataset: str
    title: str
    shares: Mapping[str, str]
    numbers: Mapping[str, str]
    tested: Sequence[str]
    published: Mapping[str, str]
    """Columns of the paper's table, by what table.json calls them."""

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
    {"bleu": "BLEU", "self_bleu": "Self-BLEU"},
    {"ibleu": "iBLEU", "words": "Words"},
    ("bleu", "ibleu"),
    {"training": "trained on", "test": "tested on", "bleu": "BLEU", "words": "words"},
)
_NAMES = {"pdbert": "PDBERT", "best_clause": "Best clause", "copy": "COPY"}


def compared(everything: Everything, comparison: ModelTable) -> dict[str, Any] | None:
    """Return a table of systems, their tests and the paper's table; None where nothing is scored."""
    content = side_file(everything, comparison.dataset, "table.json")
    table = read_table(content, "pairs")
    if not table.systems:
        return None
    return {
        "scores": _scores(table, comparison),
        "tests": _tests(table, comparison),
        "external": [
            _scores(read_table(found, "pairs"), comparison)._replace(title=f"{comparison.title}: {name}")
            for name, found in content.get("external", {}).items()
        ],
        "published": Grid(
            f"{comparison.title}, the paper",
            tuple(comparison.published.values()),
            [_published(row, list(comparison.published)) for row in content.get("published", ())],
        ),
    }


def _scores(table: EvaluationTable, comparison: ModelTable) -> Grid:
    columns: list[Sequence[GridCell]] = [
        bars(
            [system.scores.get(metric) for system in table.systems],
            # Much Self-BLEU is nothing good.
            [metric != "self_bleu"] * len(table.systems),
            top=1,
        )
        for metric in comparison.shares
    ]
    columns += [
        [_number(metric, system.scores.get(metric)) for system in table.systems]
        for metric in comparison.numbers
    ]
    columns.append([system.items for system in table.systems])
    lines = [
        GridLine(_label(system.name), cells)
        for system, cells in zip(table.systems, zip(*columns, strict=True), strict=True)
    ]
    return Grid(comparison.title, ("system", *comparison.metrics.values(), "pairs"), lines)


def _number(metric: str, score: Interval | None) -> str | None:
    """Return a score that has no bar: a difference of shares, which may be below 0, or a number of words."""
    if score is None:
        return None
    mean, low, high = (100 * value if metric == "ibleu" else value for value in score)
    return f"{mean:.1f} ({low:.1f} to {high:.1f})".replace("-", "−")


def _tests(table: EvaluationTable, comparison: ModelTable) -> Grid:
    lines = [
        GridLine(_label(test.first), [_label(test.second), *test_cells(test, comparison.tested)])
        for test in table.tests
    ]
    head = ("system", "against", *(comparison.metrics[name] for name in comparison.tested), "pairs")
    return Grid(f"Tests of {comparison.title.lower()}", head, lines, "tests")


def _published(row: Mapping[str, Any], names: Sequence[str]) -> GridLine:
    first, *rest = (row[name] for name in names)
    return GridLine(_label(first), [f"{value:.2f}" if isinstance(value, float) else value for value in rest])


def _label(name: str) -> str:
    return _NAMES.get(name, name)


def generated(everything: Everything) -> Iterator[dict[str, Any]]:
    """Yield some sentences with what models make of them, each against its source word by word."""
    columns = ["pair_id", "model", "source", "target", "prediction"]
    found = rows(everything, "parasci/generated", ["pair_id", "system"], system=["model"])
    chosen = heapq.nsmallest(MOST_SENTENCES, {row["pair_id"] for row in found}, key=rank)
    of_models = rows(everything, "parasci/generated", [*columns, "system"], system=["model"], pair_id=chosen)
    for row in sorted(of_models, key=lambda row: (row["source"], row["pair_id"], row["model"])):
        texts = {name: shortened(row[name], LONGEST) for name in ("source", "target", "prediction")}
        yield {
            "model": row["model"],
            "source": texts["source"],
            "target": texts["target"],
            "difference": difference(texts["source"], texts["prediction"]),
        }
