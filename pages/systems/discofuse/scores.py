"""Scores and ratings of fusions on the page, next to those of Geva et al. (2019) in published.yaml.

Belongs here: order and names of systems, Tables 2 to 10, and confusion matrices. Not here: reading
files (site.py), inter-rater agreement (pages/evaluation.py), any computation (ops/discofuse).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from silverloom.ops.discofuse.evaluation.alignment import OTHER, PRONOUNS
from silverloom.ops.evaluation.table import Breakdown, EvaluationTable, PairedTest, read_table
from silverloom.pages.evaluation import (
    Grid,
    GridLine,
    bar,
    bars,
    columns_grid,
    published_grid,
    published_values,
    tests_grid,
)

PUBLISHED = published_values(__file__)

METRICS = {"sari": "SARI", "keep": "Keep", "add": "Add", "delete": "Delete", "exact": "Exact"}
TESTED = ("sari", "exact")
TESTS = ("full", "balanced")

#: The most columns of a matrix; further outputs share the last one.
MOST_OUTPUTS = 24
REST = "<another>"

_SCORED = [f"{METRICS[metric]}, {test}" for test in TESTS for metric in TESTED]


def read(content: Mapping[str, Any] | None) -> EvaluationTable:
    """Return the evaluation that table.json holds."""
    kinds = {"phenomena": "discourse_type", "connectives": "connective", "pronouns": "pronoun"}
    return read_table(content, "examples", ("domain", "test"), kinds)


def label(system: str, model: str | None) -> str:
    """Return a readable name of a system."""
    if system == "copy":
        return "COPY"
    return "trained on the mixture" if model == "mixture" else f"trained on {model}"


def _place(domain: str, system: str, model: str | None) -> tuple[bool, bool, bool, str]:
    """Return the sort key of a system: the domain's own model, those of other domains, the mixture, COPY."""
    return system == "copy", model == "mixture", model != domain, model or ""


def scores(table: EvaluationTable) -> list[Grid]:
    """Return Table 6, a table for each domain."""
    systems = {(system.system, system.model, *system.test): system for system in table.systems}
    grids = []
    for domain in sorted({system.test[0] for system in table.systems}):
        names = {(system.system, system.model) for system in table.systems if system.test[0] == domain}
        ordered = sorted(names, key=lambda name: _place(domain, *name))
        tested = {test: [systems.get((*name, domain, test)) for name in ordered] for test in TESTS}
        columns: list[list[Any]] = [
            bars([system.scores[metric] if system else None for system in tested[test]], top=1)
            for test in TESTS
            for metric in TESTED
        ]
        columns += [[system.items if system else 0 for system in tested[test]] for test in TESTS]
        head = ("system", *_SCORED, *(f"examples, {test}" for test in TESTS))
        own = "in its own domain"
        lines = [GridLine(label(*name), about=own if name[1] == domain else "") for name in ordered]
        grids.append(columns_grid(f"Scores on {domain}", head, lines, columns))
    return grids


def published() -> list[Grid]:
    """Return Table 6 of the paper, a table for each domain."""
    return [
        published_grid(f"Published scores on {domain}", ("system", *_SCORED), rows)
        for domain, rows in PUBLISHED["table_6"].items()
    ]


def fewest(table: EvaluationTable) -> int:
    """Return the smallest number of examples that a system is scored on."""
    return min((system.items for system in table.systems if system.test[1] == "full"), default=0)


def tests(table: EvaluationTable) -> Grid:
    """Return the tests of each domain's own model against every other system."""
    systems = {system.name: system for system in table.systems}
    placed: list[tuple[tuple[Any, ...], list[str], PairedTest]] = []
    for test in table.tests:
        domain, part = test.test
        for name in (test.first, test.second):
            if systems[name].model == domain and (turned := test.seen_from(name)):
                rival = systems[turned.second].system, systems[turned.second].model
                place = domain, TESTS.index(part), _place(domain, *rival)
                placed.append((place, [f"{domain}, {part}", label(*rival)], turned))
    tests = [(names, test) for _, names, test in sorted(placed, key=lambda entry: entry[0])]
    metrics = {metric: METRICS[metric] for metric in TESTED}
    return tests_grid("Paired tests", ("domain", "its own model, against"), tests, metrics, "examples")


def phenomena(table: EvaluationTable) -> Grid:
    """Return Table 7: for each discourse type the scores of each model, and the paper's."""
    breakdown = {(row.model, row.kind): row for row in table.breakdowns.get("phenomena", ())}
    models = sorted({model for model, _ in breakdown})
    lines = [
        GridLine(
            name,
            [
                *(cell for model in models for cell in _cells(breakdown.get((model, kind)), TESTED[::-1])),
                *values,
            ],
            key=kind,
        )
        for kind, (name, *values) in PUBLISHED["table_7"].items()
        if models
    ]
    names = [METRICS[metric] for metric in TESTED[::-1]]
    head = ("phenomenon", *[*names, "examples"] * len(models), *names, *names)
    groups = (("", 1), *((model, 3) for model in models), ("the paper, DFSPORT", 2), ("the paper, DFWIKI", 2))
    return Grid("Scores by discourse phenomenon", head, lines, "scores phenomena", groups)


def _cells(row: Breakdown | None, metrics: Iterable[str]) -> list[Any]:
    return [*(bar(row.scores.get(metric) if row else None) for metric in metrics), row.items if row else 0]


def connectives(table: EvaluationTable) -> list[dict[str, Any]]:
    """Return Table 9 for each model: accuracy, the three most frequent outputs, a matrix of all outputs."""
    paper = ("DFSPORT", "DFWIKI", "top three in the paper")
    head = ("connective", "accuracy", "examples", "most often predicted", *paper)
    of_models = []
    for model, rows in _by_model(table, "connectives").items():
        lines = []
        for row in rows:
            top = [f"{output} {100 * n / row.items:.1f} %" for output, n in [*row.predicted.items()][:3]]
            values = PUBLISHED["table_9"].get(row.kind, (None, None, None))
            lines.append(GridLine(row.kind, [*_cells(row, ["accuracy"]), ", ".join(top) or None, *values]))
        grid = Grid(f"Connectives of {model}", head, lines, "scores connectives")
        of_models.append({"model": model, "grid": grid, "matrix": matrix(rows, [row.kind for row in rows])})
    return of_models


def pronouns(table: EvaluationTable) -> list[dict[str, Any]]:
    """Return Figure 3 for each model."""
    by_model = _by_model(table, "pronouns").items()
    return [{"model": model, "matrix": matrix(rows, PRONOUNS)} for model, rows in by_model]


def _by_model(table: EvaluationTable, name: str) -> dict[str, list[Breakdown]]:
    rows = table.breakdowns.get(name, ())
    return {
        model: [row for row in rows if row.model == model] for model in sorted({row.model for row in rows})
    }


def matrix(rows: Sequence[Breakdown], order: Sequence[str]) -> dict[str, Any]:
    """Return a confusion matrix: `rows` (gold, examples, shares) over the same `columns`, each summing to 1.

    Columns come in the given order, then other outputs by frequency, then OTHER. If there are many outputs,
    the least frequent ones share a column.
    """
    seen = [row for row in rows if row.items]
    counts: Counter[str] = Counter()
    for row in seen:
        counts.update(row.predicted)
    known = [name for name in order if name in counts or any(row.kind == name for row in seen)]
    frequent = sorted(counts.keys() - {*known, OTHER}, key=lambda name: (-counts[name], name))
    named = [name for name in (*known, *frequent) if name != OTHER]
    columns, rest = named[:MOST_OUTPUTS], [REST] if len(named) > MOST_OUTPUTS else []
    matrix_rows = []
    for row in seen:
        numbers = [row.predicted.get(name, 0) for name in (*columns, OTHER)]
        if rest:
            numbers.insert(-1, row.items - sum(numbers))
        shares = [round(number / row.items, 4) for number in numbers]
        matrix_rows.append({"gold": row.kind, "examples": row.items, "shares": shares})
    return {"columns": [*columns, *rest, OTHER], "rows": matrix_rows}


def numbers_of(confusion: Mapping[str, Any], gold: str) -> Grid:
    """Return the numbers of a matrix."""
    lines = [
        GridLine(row["gold"], [*(f"{100 * n:.1f}" if n else "" for n in row["shares"]), row["examples"]])
        for row in confusion["rows"]
    ]
    head = (f"gold {gold}", *confusion["columns"], "examples")
    return Grid(f"Numbers of the matrix of {gold}s", head, lines, "numbers")


def transferred(content: Mapping[str, Any] | None) -> Grid:
    """Return Table 10: for each system our scores and the paper's."""
    systems = {system.system: system for system in read_table(content, "pairs").systems}
    lines = []
    for name, paper in PUBLISHED["table_10"].items():
        if system := systems.get(name):
            cells = [*(bar(system.scores.get(metric)) for metric in METRICS), system.items, *paper["paper"]]
            lines.append(GridLine(paper["name"], cells, paper["about"], name))
    names = list(METRICS.values())
    head = ("system", *names, "pairs", "training data", *names[:-1])
    groups = (("", 7), ("the paper, on WebSplit", 5))
    return Grid("Transfer to another corpus", head, lines, "scores transfer", groups)


def people(table: Mapping[str, Any]) -> list[Grid]:
    """Return Tables 2, 5, 8, 3 and 4: clarity, fusion decisions, detection of the gold text, errors."""
    rows = table["clarity"]
    clarity = [
        GridLine(name, [*(_majority(row, answer) for row in rows), *paper])
        for answer, (name, *paper) in PUBLISHED["table_2"].items()
    ]
    clarity.append(GridLine("examples", [*(row["examples"] for row in rows), 500, 500]))
    decisions = []
    for row in table["decisions"]:
        question = PUBLISHED["table_5"][row["question"]]
        parts = zip((row["all"], row["with_connectives"]), question["paper"], strict=True)
        cells = [cell for part, paper in parts for cell in (bar(part["agreement"]), part["examples"], paper)]
        decisions.append(GridLine(question["name"], cells, question["about"]))
    everyone, connected = PUBLISHED["table_5_examples"]
    decisions.append(GridLine("examples", ["", "", everyone, "", "", connected]))
    detection = [
        GridLine(
            row["domain"],
            [f"{row['same']} of {row['fusions']}", row["rated"], bar(row["differ"]), bar(row["total"])],
        )
        for row in table["detection"]
    ]
    detection += [
        GridLine(f"{domain}, paper", [f"{same} of 1000", rated, differ, total])
        for domain, same, rated, differ, total in PUBLISHED["table_8"]
    ]
    domains = [row["domain"] for row in rows]
    of_decisions = ("all", "examples", "paper", "with connectives", "examples", "paper")
    return [
        Grid("Clarity of split texts", ("majority", *domains, "Sports, paper", "Wikipedia, paper"), clarity),
        Grid("Fusion decisions", ("decision", *of_decisions), decisions),
        Grid("Detection of the gold text", ("domain", "same", "rated", "differ", "total"), detection),
        _errors(table["errors"]),
    ]


def _errors(rows: Sequence[Mapping[str, Any]]) -> Grid:
    """Return section 4.1's analysis of errors, with the kinds of Table 4 and the reasons of Table 3."""
    shares, kinds, reasons = (PUBLISHED[name] for name in ("errors", "table_4", "table_3"))
    lines = [
        GridLine(name, [*(bar(row[value]) for row in rows), paper]) for value, (name, paper) in shares.items()
    ]
    lines += [GridLine(name, [*(row["kinds"][value] for row in rows), ""]) for value, name in kinds.items()]
    lines += [
        GridLine(name, [*(row["reasons"][value] for row in rows), paper])
        for value, (name, paper) in reasons.items()
    ]
    lines.append(GridLine("examples", [*(row["examples"] for row in rows), 100]))
    return Grid("Errors of the split", ("error", *(row["domain"] for row in rows), "the paper"), lines)


def _majority(row: Mapping[str, Any], answer: str) -> Any:
    return bar(row["share"]) if answer == "yes" else f"{100 * row[answer] / row['examples']:.1f}"
