"""The page of paraphrases: what became of candidates, Table 2, other thresholds, models, what people say.

Belongs here: reading the datasets behind it. Not here: counts (funnel.py), tables (scores.py), single pairs
(pairs.py) and groups (groups.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from assets.declare.report import Everything, Files
from ops.parasci.dataset.paraphrases import ParaphraseParams
from ops.parasci.dataset.threshold_scores import scores_of_both
from orchestration.lineage.rows import Counted
from orchestration.pages.evaluation import values
from orchestration.pages.html import render
from orchestration.pages.reading import rows
from orchestration.pages.systems.parasci import models, scores
from orchestration.pages.systems.parasci.funnel import PARAPHRASES, SCORED, funnel, origins
from orchestration.pages.two_thresholds import Axis, kept_at, two_thresholds
from orchestration.pages.what_if import input_parts

STATISTICS, PEOPLE = "parasci/statistics", "parasci/human_evaluation"
GENERATOR, PDBERT = "parasci/generator", "parasci/pdbert"


def pages(everything: Everything, numbers: Mapping[str, Counted]) -> Files:
    """Yield the page. It names what is missing. Raises ValueError naming a file that cannot be read."""
    shared = values(everything, numbers, models.GENERATION.dataset, [GENERATOR, PDBERT], PEOPLE)
    table = shared["ratings"]
    names = origins(everything)
    found = funnel(everything, numbers)
    planes = dict(_planes(everything))
    _check(planes, {row["origin"]: row["kept"] for row in found})
    generated = list(models.generated(everything))
    rated = table and table["agreement"]
    yield render(
        "paraphrases.html",
        "parasci/paraphrases.html",
        "Paraphrases",
        data={"models": shared["models"], "planes": planes, "generated": generated},
        funnel=found,
        published=scores.PUBLISHED,
        statistics=scores.table_2(rows(everything, STATISTICS), names),
        planes=planes,
        kept_at=kept_at,
        people={name: scores.rated(table, name, names) for name in scores.TABLES} if rated else {},
        comparisons=[
            (part, models.compared(everything, part)) for part in (models.EXTRACTION, models.GENERATION)
        ],
        generated=generated,
        name_of=lambda name: models.GENERATION.metrics.get(name, name),
        unreliable=scores.unreliable(table) if table else [],
        **shared,
    )


def _planes(everything: Everything) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield for each method what both of its thresholds would keep."""
    if PARAPHRASES not in everything or SCORED not in everything:
        return
    item = everything.graph.datasets[PARAPHRASES]
    params = next(value for value in item.arguments.values() if isinstance(value, ParaphraseParams))
    [source] = item.inputs
    scored = input_parts(everything, source, "")
    f1, length_rate = (
        {knob.name: Axis(threshold, knob) for knob in threshold.knobs(params)}
        for threshold in item.thresholds
        if threshold.param.startswith("origins.")
    )
    for name in filter(f1.__contains__, origins(everything)):
        yield name, two_thresholds(scores_of_both(scored, params, name), f1[name], length_rate[name])


def _check(planes: Mapping[str, Mapping[str, Any]], kept: Mapping[str, int]) -> None:
    for name, plane in planes.items():
        now = kept_at(plane, plane["first"]["now"], plane["second"]["now"])
        if now != kept.get(name, 0):
            raise ValueError(
                f"{PARAPHRASES}: by their scores {now} pairs of {name} would be kept, "
                f"but it has {kept.get(name, 0)}"
            )
