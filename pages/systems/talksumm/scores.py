"""Scores of summarisers on the page: names, order, and the verdicts of tests on the extractor.

Belongs here: the wording for systems, metrics and verdicts. Not here: the numbers of Lev et al. (2019)
(published.yaml), reading files (site.py), computing means and tests (ops/talksumm/evaluation/scores.py).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from silverloom.ops.evaluation.table import (
    ABOVE,
    BELOW,
    MIXED,
    NO_DIFFERENCE,
    TOO_FEW,
    EvaluationTable,
    PairedTest,
    ScoredSystem,
    named,
    read_table,
    read_tests,
)
from silverloom.pages.evaluation import Grid, GridLine, bars, published_grid, published_values, tests_grid

#: Names and descriptions of systems, in the order of the page.
ABOUT = {
    "only": ("Only", "the top sentences of the extractor"),
    "hybrid": ("Hybrid", "the abstract, then sentences that the extractor adds"),
    "abstract": ("Abstract", "the authors' own"),
    "lead": ("Lead", "the first sentences"),
    "random": ("Random", "randomly chosen sentences"),
    "textrank": ("TextRank", "sentences most similar to the others"),
    "sumbasic": ("SumBasic", "sentences of frequent words"),
    "oracle": ("Oracle", "sees the human summaries, so no system is expected to reach it"),
}

PUBLISHED = published_values(__file__)

#: Phrases for the verdicts of tests on the extractor.
_SENTENCES = {
    ABOVE: "every metric puts it above",
    BELOW: "every metric puts it below",
    NO_DIFFERENCE: "no metric shows a significant difference from",
    MIXED: "only some metrics show a significant difference from",
    TOO_FEW: "too few common papers to compare it with",
}

#: A trained extractor's architecture and training set, in brackets after the name of its system.
_MODEL = re.compile(r"\((\w+)/(\w+)\)")

METRIC = re.compile(r"rouge(?P<kind>[A-Za-z0-9]+)_(?P<field>precision|recall|f)")


def read(content: Mapping[str, Any] | None) -> EvaluationTable:
    """Return the evaluation that table.json holds."""
    return read_table(content, "papers")


def published() -> Grid:
    """Return the scores of the paper's Table 2."""
    return published_grid("Published scores", ("system", "2-R", "2-F", "3-F", "SU4-F"), PUBLISHED["table_2"])


def label(system: str, model: str | None = None) -> str:
    """Return a readable name of a system."""
    return named(ABOUT.get(system, (system, ""))[0], model)


def place(system: str, model: str | None, chosen: bool) -> tuple[bool, int, str, str]:
    """Return the sort key of a system: the chosen extractor, the baselines, other extractors."""
    order = list(ABOUT)
    return not chosen, order.index(system) if system in ABOUT else len(order), system, model or ""


def _place(system: ScoredSystem) -> tuple[bool, int, str, str]:
    return place(system.system, system.model, system.chosen)


def metric(name: str) -> str:
    """Return a readable name of a metric: "rouge2_f" is "ROUGE-2 F"."""
    if not (match := METRIC.fullmatch(name)):
        return name
    return f"ROUGE-{match['kind']} {'F' if match['field'] == 'f' else match['field']}"


def grids(table: EvaluationTable) -> tuple[Grid, Grid]:
    """Return the scores of the chosen extractor and the baselines, then of other extractors, on one scale."""
    systems = sorted(table.systems, key=_place)
    ranked = [system.system != "oracle" for system in systems]
    columns = [bars([system.scores[name] for system in systems], ranked) for name in table.metrics]
    lines: dict[bool, list[GridLine]] = {True: [], False: []}
    for system, *cells in zip(systems, *columns, strict=True):
        about = ABOUT.get(system.system, ("", ""))[1] if system.chosen else system.model or ""
        line = GridLine(label(system.system), [*cells, system.items], about, system.name)
        lines[system.chosen].append(line)
    head = ("system", *map(metric, table.metrics), "papers")
    return (
        Grid("Scores of the chosen extractor and of baselines", head, lines[True]),
        Grid("Scores of other extractors", head, lines[False]),
    )


def extractor(table: EvaluationTable) -> ScoredSystem | None:
    """Return the chosen extractor's Only; None if no extractor is scored."""
    return next((system for system in table.systems if system.system == "only" and system.chosen), None)


def tests(table: EvaluationTable) -> list[tuple[str, PairedTest]]:
    """Return the tests of the chosen extractor's Only against each other system, in the order of the page.

    Only the chosen extractor is tested, so labels omit its model.
    """
    only = extractor(table)
    known = {system.name: system for system in table.systems}
    paired_tests = [turned for test in table.tests if only and (turned := test.seen_from(only.name))]
    paired_tests.sort(key=lambda test: _place(known[test.second]))
    return [(label(known[test.second].system), test) for test in paired_tests]


def architectures(content: Mapping[str, Any] | None) -> list[tuple[str, PairedTest]]:
    """Return the tests between architectures that were trained on the same set.

    The first architecture in a name is the one that may be "above": "transformer against pointer, both of
    oracle".
    """
    named_tests = []
    for test in read_tests((content or {}).get("architectures", []), "papers"):
        (first, examples), (second, _) = (_MODEL.findall(name)[0] for name in (test.second, test.first))
        turned = test.seen_from(test.second)
        assert turned is not None
        named_tests.append((f"{first} against {second}, both of {examples}", turned))
    return named_tests


def test_grid(
    title: str, head: str, metrics: Sequence[str], named_tests: Sequence[tuple[str, PairedTest]]
) -> Grid:
    """Return named tests as a table."""
    names = {name: metric(name) for name in metrics}
    return tests_grid(title, (head,), (([name], test) for name, test in named_tests), names, "papers")


def verdicts(
    named_tests: Sequence[tuple[str, PairedTest]], metrics: Sequence[str]
) -> list[tuple[str, list[str]]]:
    """Return the verdicts on the extractor, each with the systems that it applies to."""
    verdicts = [(test.verdict(*metrics), name) for name, test in named_tests]
    against = {verdict: [name for given, name in verdicts if given == verdict] for verdict in _SENTENCES}
    return [(_SENTENCES[verdict], names) for verdict, names in against.items() if names]
