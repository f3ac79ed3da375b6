"""Scores of fusions as the page shows them: Tables 6, 7, 9 and 10, and the confusions as matrices.

Belongs here: order and names of systems, what a matrix holds, the paper's numbers beside ours. Not here:
reading files (fusion.py), and computing anything (ops/discofuse).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ops.discofuse.evaluation.alignment import OTHER, PRONOUNS
from ops.evaluation.table import Breakdown, EvaluationTable, ScoredSystem, read_table
from orchestration.pages.evaluation import Grid, GridLine, bar, bars, test_cells
from orchestration.pages.systems.discofuse.published import TABLE_6, TABLE_7, TABLE_9, TABLE_10

METRICS = {"sari": "SARI", "keep": "Keep", "add": "Add", "delete": "Delete", "exact": "Exact"}
TESTED = ("sari", "exact")
TESTS = ("full", "balanced")

#: Outputs that a matrix has a column for; what else was predicted is in the last one together.
MOST_OUTPUTS = 24
REST = "<another>"

#: How a system of the transfer is called, and what it is.
TRANSFERRED = {
    "copy": ("COPY", "joins the two sentences"),
    "target": ("Corpus alone", "CopyNet, trained on the corpus"),
    "pretrained": ("Pre-trained", "CopyNet, trained on our examples, then on the corpus"),
}

_SCORED = [f"{METRICS[metric]}, {test}" for test in TESTS for metric in TESTED]


def read(content: Mapping[str, Any] | None) -> EvaluationTable:
    """Return the evaluation that table.json holds."""
    kinds = {"phenomena": "discourse_type", "connectives": "connective", "pronouns": "pronoun"}
    return read_table(content, "examples", ("domain", "test"), kinds)


def label(system: str, model: str | None) -> str:
    """Return a system's name as people read it."""
    if system == "copy":
        return "COPY"
    return "trained on the mixture" if model == "mixture" else f"trained on {model}"


def scores(table: EvaluationTable) -> list[Grid]:
    """Return Table 6, a table for each domain: its own model, those of others, the mixture, COPY."""
    domains = sorted({system.test[0] for system in table.systems})
    return [
        _scores(domain, [system for system in table.systems if system.test[0] == domain])
        for domain in domains
    ]


def _scores(domain: str, systems: Iterable[ScoredSystem]) -> Grid:
    found: dict[tuple[str, str | None], dict[str, ScoredSystem]] = {}
    for system in systems:
        found.setdefault((system.system, system.model), {})[system.test[1]] = system
    ordered = sorted(found, key=lambda name: _place(domain, *name))
    columns = [
        bars([of[test].scores[metric] if test in (of := found[name]) else None for name in ordered], top=1)
        for test in TESTS
        for metric in TESTED
    ]
    lines = [
        GridLine(
            label(*name),
            [*cells, *(found[name][test].items if test in found[name] else 0 for test in TESTS)],
            "in its own domain" if name[1] == domain else "",
        )
        for name, *cells in zip(ordered, *columns, strict=True)
    ]
    head = ("system", *_SCORED, *(f"examples, {test}" for test in TESTS))
    return Grid(f"Scores on {domain}", head, lines)


def published() -> list[Grid]:
    """Return Table 6 of the paper, a table for each domain."""
    return [
        Grid(
            f"Published scores on {domain}",
            ("system", *_SCORED),
            [GridLine(name, row) for name, *row in rows],
        )
        for domain, rows in TABLE_6.items()
    ]


def _place(domain: str, system: str, model: str | None) -> tuple[bool, bool, bool, str]:
    return system == "copy", model == "mixture", model != domain, model or ""


def fewest(table: EvaluationTable) -> int:
    """Return on how many examples the system with the fewest is scored."""
    return min((system.items for system in table.systems if system.test[1] == "full"), default=0)


def tests(table: EvaluationTable) -> Grid:
    """Return the tests of each domain's own model against every other system."""
    systems = {system.name: system for system in table.systems}
    found = []
    for test in table.tests:
        domain, part = test.test
        for name in (test.first, test.second):
            if systems[name].model == domain and (turned := test.seen_from(name)):
                other = systems[turned.second].system, systems[turned.second].model
                cells = [label(*other), *test_cells(turned, TESTED)]
                place = domain, TESTS.index(part), _place(domain, *other)
                found.append((place, GridLine(f"{domain}, {part}", cells)))
    lines = [line for _, line in sorted(found, key=lambda item: item[0])]
    metrics = [METRICS[metric] for metric in TESTED]
    return Grid("Paired tests", ("domain", "its own model, against", *metrics, "examples"), lines, "tests")


def phenomena(table: EvaluationTable) -> Grid:
    """Return Table 7: of each type a score of each model, and those of the paper."""
    found = {(row.model, row.kind): row for row in table.breakdowns.get("phenomena", ())}
    models = sorted({model for model, _ in found})
    metrics = ("exact", "sari")
    lines = [
        GridLine(
            name,
            [cell for model in models for cell in _cells(found.get((model, kind)), metrics)] + values,
            key=kind,
        )
        for kind, (name, *values) in TABLE_7.items()
        if models
    ]
    names = [METRICS[metric] for metric in metrics]
    return Grid(
        "Scores by discourse phenomenon",
        ("phenomenon", *[*names, "examples"] * len(models), *names, *names),
        lines,
        "scores phenomena",
        (("", 1), *((model, 3) for model in models), ("the paper, DFSPORT", 2), ("the paper, DFWIKI", 2)),
    )


def _cells(row: Breakdown | None, metrics: Iterable[str]) -> list[Any]:
    found = [bar(row.scores.get(metric) if row else None) for metric in metrics]
    return [*found, row.items if row else 0]


def connectives(table: EvaluationTable) -> list[dict[str, Any]]:
    """Return Table 9, model by model: accuracy and the top three, and a matrix of all outputs."""
    paper = ("DFSPORT", "DFWIKI", "top three in the paper")
    head = ("connective", "accuracy", "examples", "most often predicted", *paper)
    found = []
    for model, rows in _by_model(table.breakdowns.get("connectives", ())):
        published = [TABLE_9.get(row.kind, (None, None, None)) for row in rows]
        lines = [
            GridLine(row.kind, [*_cells(row, ["accuracy"]), _top(row), *values])
            for row, values in zip(rows, published, strict=True)
        ]
        grid = Grid(f"Connectives of {model}", head, lines, "scores connectives")
        found.append({"model": model, "grid": grid, "matrix": matrix(rows, [row.kind for row in rows])})
    return found


def _top(row: Breakdown) -> str | None:
    found = list(row.predicted.items())[:3]
    return ", ".join(f"{output} {100 * count / row.items:.1f} %" for output, count in found) or None


def pronouns(table: EvaluationTable) -> list[dict[str, Any]]:
    """Return Figure 3, model by model."""
    found = _by_model(table.breakdowns.get("pronouns", ()))
    return [{"model": model, "matrix": matrix(rows, PRONOUNS)} for model, rows in found]


def _by_model(rows: Sequence[Breakdown]) -> list[tuple[str, list[Breakdown]]]:
    models = sorted({row.model for row in rows})
    return [(model, [row for row in rows if row.model == model]) for model in models]


def matrix(rows: Sequence[Breakdown], order: Sequence[str]) -> dict[str, Any]:
    """Return a confusion matrix: `rows` (gold, examples, shares) over the same `columns`, each summing to 1.

    Columns stand in the given order, then other outputs by frequency, then OTHER. Of many outputs the least
    frequent ones share a column.
    """
    seen = [row for row in rows if row.items]
    counts: dict[str, int] = {}
    for row in seen:
        for output, count in row.predicted.items():
            counts[output] = counts.get(output, 0) + count
    golds = {row.kind for row in seen}
    known = [name for name in order if name in counts or name in golds]
    others = [name for name in sorted(counts, key=lambda name: (-counts[name], name)) if name not in known]
    named = [*known, *(name for name in others if name != OTHER)]
    columns = named[:MOST_OUTPUTS]
    rest = [REST] if len(columns) < len(named) else []
    return {
        "columns": [*columns, *rest, OTHER],
        "rows": [
            {"gold": row.kind, "examples": row.items, "shares": _shares(row, columns, bool(rest))}
            for row in seen
        ],
    }


def _shares(row: Breakdown, columns: Sequence[str], rest: bool) -> list[float]:
    of_columns = [row.predicted.get(name, 0) for name in columns]
    other = row.predicted.get(OTHER, 0)
    beyond = [row.items - sum(of_columns) - other] if rest else []
    return [round(count / row.items, 4) for count in (*of_columns, *beyond, other)]


def numbers_of(found: Mapping[str, Any], gold: str) -> Grid:
    """Return the numbers of a matrix."""
    lines = [
        GridLine(
            row["gold"],
            [*(f"{100 * share:.1f}" if share else "" for share in row["shares"]), row["examples"]],
        )
        for row in found["rows"]
    ]
    head = (f"gold {gold}", *found["columns"], "examples")
    return Grid(f"Numbers of the matrix of {gold}s", head, lines, "numbers")


def transferred(content: Mapping[str, Any] | None) -> Grid:
    """Return Table 10: ours and the paper's, system by system."""
    found = {system.system: system for system in read_table(content, "pairs").systems}
    lines = [
        GridLine(
            name,
            [*(bar(found[system].scores.get(metric)) for metric in METRICS), found[system].items,
             *TABLE_10[system]],
            about,
            system,
        )
        for system, (name, about) in TRANSFERRED.items()
        if system in found
    ]  # fmt: skip
    names = list(METRICS.values())
    return Grid(
        "Transfer to another corpus",
        ("system", *names, "pairs", "training data", *names[:-1]),
        lines,
        "scores transfer",
        (("", 7), ("the paper, on WebSplit", 5)),
    )
