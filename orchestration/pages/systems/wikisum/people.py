"""What people say of leads as pages show it: Tables 5 and 6, beside those of Liu et al. (2018).

Belongs here: order and words of questions and systems. Not here: how far raters agree (pages/evaluation.py),
computing anything (ops/wikisum/evaluation/human_evaluation.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ops.evaluation.table import EvaluationTable
from ops.wikisum.evaluation.scores import ROUGE_L
from orchestration.pages.evaluation import Grid, GridLine, bar
from orchestration.pages.systems.wikisum.grid import PUBLISHED, ScoredCell

#: In the paper's order.
QUESTIONS = {
    "focus": "Focus",
    "grammaticality": "Grammar",
    "non_redundancy": "Non-redundancy",
    "referential_clarity": "Referential clarity",
    "structure": "Structure and coherence",
}


def quality(ratings: Mapping[str, Any], cells: Mapping[str, ScoredCell]) -> Grid:
    """Return Table 5 by question: the mean of each system, with its test against the first one."""
    systems, paper = ratings["quality"], PUBLISHED["table_5"]
    lines = [
        GridLine(
            label,
            [*(_answered(row["scores"].get(name)) for row in systems), *(row[at] for row in paper)],
            key=name,
        )
        for at, (name, label) in enumerate(QUESTIONS.items(), start=1)
    ]
    lines.append(GridLine("Articles", [*(row["articles"] for row in systems), *(25 for _ in paper)]))
    head = ("question", *(_label(row["system"], cells) for row in systems), *(row[0] for row in paper))
    groups = (("", 1), ("ours", len(systems)), ("the paper", len(paper)))
    return Grid("Linguistic quality", head, lines, "quality", groups)


def preference(ratings: Mapping[str, Any], cells: Mapping[str, ScoredCell], table: EvaluationTable) -> Grid:
    """Return Table 6: two systems, what ROUGE-L says of each, and which one raters prefer."""
    rouge = {system.name: system.scores.get(ROUGE_L) for system in table.systems}
    lines = [
        GridLine(
            _label(row["first"], cells),
            [
                _label(row["second"], cells),
                bar(rouge.get(row["first"])),
                bar(rouge.get(row["second"])),
                _ratio(row),
                f"{row['prefer_first']}, {row['neither']}, {row['prefer_second']}",
            ],
        )
        for row in ratings["preference"]
    ]
    lines += [GridLine(first, [*values, None], "the paper") for first, *values in PUBLISHED["table_6"]]
    head = ("model A", "model B", "ROUGE-L of A", "ROUGE-L of B", "prefer B / prefer A", "A, neither, B")
    return Grid("Side by side", head, lines, "scores")


def _label(name: str, cells: Mapping[str, ScoredCell]) -> str:
    return cells[name].label if name in cells else name


def _answered(score: Mapping[str, Any] | None) -> str | None:
    """Return a mean with its interval and p; a star where it differs from the first system."""
    if score is None:
        return None
    test = score["test"]
    star = "*" if test and test["significant"] else ""
    found = f"{score['mean']:.2f}{star} ({score['low']:.2f} to {score['high']:.2f})"
    return found if not test or test["p"] is None else f"{found}, {_p(test['p'])}"


def _p(value: float) -> str:
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def _ratio(row: Mapping[str, Any]) -> str | None:
    if row["ratio"] is not None:
        return f"{row['ratio']:.2f}"
    return "nobody prefers A" if row["prefer_second"] else None
