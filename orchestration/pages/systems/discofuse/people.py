"""What people say of fusion examples and fusions, beside the paper: Tables 2, 5 and 8.

Belongs here: the tables, and what decisions are called. Not here: how far raters agree (pages/evaluation.py),
computing anything (ops/discofuse/evaluation/human_evaluation.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orchestration.pages.evaluation import Grid, GridLine, bar
from orchestration.pages.systems.discofuse.published import TABLE_2, TABLE_5, TABLE_5_EXAMPLES, TABLE_8

_DECISIONS = {
    "merge": ("Single / pair", "whether to merge the two sentences"),
    "anaphor": ("Anaphor", "whether a name or noun is to be replaced"),
    "connective": ("Connective category", "its sense, or none"),
}


def clarity(table: Mapping[str, Any]) -> Grid:
    """Return Table 2: whether split texts can be understood."""
    rows = table["clarity"]
    lines = []
    for answer, (name, *values) in zip(("yes", "no_majority", "no"), TABLE_2, strict=True):
        counts = [f"{100 * row[answer] / row['examples']:.1f}" for row in rows]
        shares = [bar(row["share"]) for row in rows]
        lines.append(GridLine(name, [*(shares if answer == "yes" else counts), *values]))
    lines.append(GridLine("examples", [*(row["examples"] for row in rows), 500, 500]))
    head = ("majority", *(row["domain"] for row in rows), "Sports, paper", "Wikipedia, paper")
    return Grid("Clarity of split texts", head, lines)


def decisions(table: Mapping[str, Any]) -> Grid:
    """Return Table 5: how often people fuse as the text does."""
    lines = []
    for row in table["decisions"]:
        name, about = _DECISIONS[row["question"]]
        parts = zip(("all", "with_connectives"), TABLE_5[row["question"]], strict=True)
        cells = [(bar(row[part]["agreement"]), row[part]["examples"], value) for part, value in parts]
        lines.append(GridLine(name, [cell for part in cells for cell in part], about))
    everyone, connected = TABLE_5_EXAMPLES
    lines.append(GridLine("examples", ["", "", everyone, "", "", connected]))
    head = ("decision", "all", "examples", "paper", "with connectives", "examples", "paper")
    return Grid("Fusion decisions", head, lines)


def detection(table: Mapping[str, Any]) -> Grid:
    """Return Table 8: how often people tell the text from the fusion."""
    lines = [
        GridLine(
            row["domain"],
            [f"{row['same']} of {row['fusions']}", row["rated"], bar(row["differ"]), bar(row["total"])],
        )
        for row in table["detection"]
    ]
    lines += [
        GridLine(f"{domain}, paper", [f"{same} of 1000", rated, differ, total])
        for domain, same, rated, differ, total in TABLE_8
    ]
    return Grid("Detection of the gold text", ("domain", "same", "rated", "differ", "total"), lines)
