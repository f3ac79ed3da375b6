"""The page of fusion models: scores, phenomena, connectives, pronouns, transfer, people, learning curves.

Belongs here: reading the datasets behind it. Not here: how scores and ratings are laid out (scores.py), the
curves (pages/learning.py), what examples are made of (statistics.py).
"""

from __future__ import annotations

from collections.abc import Mapping

from assets.declare.report import Everything, Files
from orchestration.lineage.rows import Counted
from orchestration.pages.evaluation import values
from orchestration.pages.html import render
from orchestration.pages.reading import side_file
from orchestration.pages.systems.discofuse import scores

EVALUATION, MODEL, PEOPLE = "discofuse/evaluation", "discofuse/fusion_model", "discofuse/human_evaluation"


def pages(everything: Everything, numbers: Mapping[str, Counted]) -> Files:
    """Yield the page. It names what is missing. Raises ValueError naming a file that cannot be read."""
    table = scores.read(side_file(everything, EVALUATION, "table.json"))
    shared = values(everything, numbers, EVALUATION, [MODEL], PEOPLE)
    matrices = {"connective": scores.connectives(table), "pronoun": scores.pronouns(table)}
    drawn = {gold: [part["matrix"] for part in found] for gold, found in matrices.items()}
    rated = shared["ratings"] and shared["ratings"]["agreement"]
    yield render(
        "fusion.html",
        "discofuse/fusion.html",
        "Fusion",
        data={"models": shared["models"], "matrices": drawn},
        name_of=lambda name: scores.METRICS.get(name, name),
        scores=scores.scores(table),
        published=scores.published(),
        fewest=scores.fewest(table),
        tests=scores.tests(table),
        phenomena=scores.phenomena(table),
        matrices=matrices,
        numbers_of=scores.numbers_of,
        transfer=scores.transferred(side_file(everything, "discofuse/transfer", "table.json")),
        people=scores.people(shared["ratings"]) if rated else [],
        statistics=[name for name in scores.PUBLISHED["sizes"] if name in everything],
        **shared,
    )
