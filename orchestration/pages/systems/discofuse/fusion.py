"""The page of fusion models: scores, phenomena, connectives, pronouns, transfer, people, learning curves.

Belongs here: reading the datasets behind it. Not here: how scores are laid out (fusion_scores.py), the
numbers of the paper (fusion_published.py), the curves (learning.py), what examples are made of
(fusion_statistics.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assets.declare.report import Everything, Files
from orchestration.lineage.rows import Counted
from orchestration.pages import learning, people
from orchestration.pages.html import render
from orchestration.pages.side_files import beside
from orchestration.pages.system_scores import FEW_PAPERS, LEAST_PAPERS
from orchestration.pages.systems.discofuse import published
from orchestration.pages.systems.discofuse import scores as fusion_scores

EVALUATION, MODEL, TRANSFER = "discofuse/evaluation", "discofuse/fusion_model", "discofuse/transfer"
PEOPLE = "discofuse/human_evaluation"
#: Files that lie beside the rows of these.
TABLE, MODELS = "table.json", "models.json"

_NOTHING: Mapping[str, Any] = {
    name: [] for name in ("systems", "tests", "phenomena", "connectives", "pronouns")
}
_DECISIONS = {
    "merge": ("Single / pair", "whether to merge the two sentences"),
    "anaphor": ("Anaphor", "whether a name or noun is to be replaced"),
    "connective": ("Connective category", "its sense, or none"),
}


def pages(everything: Everything, numbers: Mapping[str, Counted]) -> Files:
    """Yield the page. What is missing it says. Raises ValueError naming a file that cannot be read."""
    table = beside(everything, EVALUATION, TABLE) or _NOTHING
    transfer = beside(everything, TRANSFER, TABLE)
    models = learning.models(beside(everything, MODEL, MODELS) or [])
    connectives, pronouns = fusion_scores.connectives(table), fusion_scores.pronouns(table)
    scores = fusion_scores.scores(table)
    yield render(
        "fusion.html",
        "discofuse/fusion.html",
        "Fusion",
        data={
            "models": models,
            "matrices": {
                "connectives": [one["matrix"] for one in connectives],
                "pronouns": [one["matrix"] for one in pronouns],
            },
        },
        name_of=lambda name: fusion_scores.METRICS.get(name, name),
        metrics=fusion_scores.METRICS,
        scores=scores,
        fewest=min((max(one.examples) for several in scores.values() for one in several), default=0),
        least=LEAST_PAPERS,
        few=FEW_PAPERS,
        tests=fusion_scores.tests(table),
        phenomena=fusion_scores.phenomena(table),
        connectives=connectives,
        pronouns=pronouns,
        transfer=fusion_scores.transferred(transfer),
        people=_people(everything, numbers),
        models=models,
        published=published,
        declared={name: name in everything for name in (EVALUATION, MODEL, TRANSFER, PEOPLE)},
        statistics=[name for name in published.SIZES if name in everything],
    )


def _people(everything: Everything, numbers: Mapping[str, Counted]) -> dict[str, Any] | None:
    """Return what the page shows of the human evaluation, None where nobody has rated anything."""
    table = beside(everything, PEOPLE, TABLE)
    counted = numbers.get(PEOPLE)
    if not table or not table["agreement"]:
        return None
    return {
        "clarity": table["clarity"],
        "decisions": [{**one, "label": _DECISIONS[one["question"]]} for one in table["decisions"]],
        "detection": table["detection"],
        "agreement": people.agreement(table["agreement"]),
        "pairs": people.agreement(table["pairs"]),
        "left_out": [
            *(counted.by_reason if counted else []),
            *([("rejected", counted.total("rejected"))] if counted and counted.total("rejected") else []),
        ],
    }
