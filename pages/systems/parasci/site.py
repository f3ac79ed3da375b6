"""ParaSCI's addition to the site: the page of paraphrases.

Belongs here: this page, with what other thresholds would keep; which datasets link to which part of it. Not
here: outcomes of candidates (funnel.py), single pairs (pages/rows.py), tables (scores.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from silverloom.assets.declare.graph import Everything, Files
from silverloom.assets.rows.reading import Counted, rows
from silverloom.ops.parasci.dataset.filtered import FilterParams
from silverloom.ops.parasci.dataset.threshold_scores import scores_of_both
from silverloom.pages.evaluation import values
from silverloom.pages.html import render
from silverloom.pages.system import SystemPages
from silverloom.pages.systems.parasci import scores
from silverloom.pages.systems.parasci.funnel import FILTERED, SCORED, funnel, origins
from silverloom.pages.what_if import Axis, input_parts, kept_at, two_thresholds

STATISTICS, PEOPLE = "parasci/statistics", "parasci/human_evaluation"
GENERATOR, PDBERT = "parasci/generator", "parasci/pdbert"


def paraphrases_page(everything: Everything, numbers: Mapping[str, Counted]) -> Files:
    """Yield the page, which names missing datasets. Raises ValueError naming a file that cannot be read."""
    shared = values(everything, numbers, scores.GENERATION.dataset, [GENERATOR, PDBERT], PEOPLE)
    table = shared["ratings"]
    names = origins(everything)
    by_origin = funnel(everything, numbers)
    planes = dict(_planes(everything))
    drawn_from = {
        row["origin"]: row["kept"]
        + sum(row["dropped"].get(reason, 0) for reason in ("not_drawn", "repeated"))
        for row in by_origin
        if row["kept"] is not None
    }
    _check(planes, drawn_from)
    generated = list(scores.generated(everything))
    rated = table and table["agreement"]
    yield render(
        "paraphrases.html",
        "parasci/paraphrases.html",
        "Paraphrases",
        data={"models": shared["models"], "planes": planes, "generated": generated},
        funnel=by_origin,
        published=scores.PUBLISHED,
        statistics=scores.table_2(rows(everything, STATISTICS), names),
        planes=planes,
        kept_at=kept_at,
        people={name: scores.rated(table, name, names) for name in scores.TABLES} if rated else {},
        comparisons=[
            (part, scores.compared(everything, part)) for part in (scores.EXTRACTION, scores.GENERATION)
        ],
        generated=generated,
        name_of=lambda name: scores.GENERATION.metrics.get(name, name),
        unreliable=scores.unreliable(table) if table else [],
        **shared,
    )


SYSTEM = SystemPages(
    pages=paraphrases_page,
    navigation=(("paraphrases.html", "Paraphrases"),),
    pictures={
        "parasci/scored": "paraphrases.html#thresholds",
        "parasci/filtered": "paraphrases.html#thresholds",
        "parasci/paraphrases": "paraphrases.html",
        "parasci/statistics": "paraphrases.html#statistics",
        "parasci/extractions": "paraphrases.html#extractions",
        "parasci/pdbert": "paraphrases.html#learning",
        "parasci/generated": "paraphrases.html#generated",
        "parasci/evaluation": "paraphrases.html#evaluation",
        "parasci/generator": "paraphrases.html#learning",
        "parasci/rating_sheets": "paraphrases.html#people",
        "parasci/human_evaluation": "paraphrases.html#people",
    },
)


def _planes(everything: Everything) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield for each method what its two thresholds would keep together."""
    if FILTERED not in everything or SCORED not in everything:
        return
    dataset = everything.graph.datasets[FILTERED]
    params = next(value for value in dataset.arguments.values() if isinstance(value, FilterParams))
    [source] = dataset.inputs
    scored = input_parts(everything, source, "")
    consistency, length_rate = (
        {knob.name: Axis(threshold, knob) for knob in threshold.knobs(params)}
        for threshold in dataset.thresholds
        if threshold.param.startswith("origins.")
    )
    for name in filter(consistency.__contains__, origins(everything)):
        yield name, two_thresholds(scores_of_both(scored, params, name), consistency[name], length_rate[name])


def _check(planes: Mapping[str, Mapping[str, Any]], kept_counts: Mapping[str, int]) -> None:
    for name, plane in planes.items():
        now = kept_at(plane, plane["first"]["now"], plane["second"]["now"])
        if now != kept_counts.get(name, 0):
            raise ValueError(
                f"{FILTERED}: by their scores {now} pairs of {name} would be kept, "
                f"but it has {kept_counts.get(name, 0)}"
            )
