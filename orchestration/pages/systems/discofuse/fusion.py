"""The page of fusion models: scores, phenomena, connectives, pronouns, transfer, people, learning curves.

Belongs here: reading the datasets behind it. Not here: how scores and ratings are laid out (scores.py), the
curves (pages/learning.py), what examples are made of (statistics.py).
"""

from __future__ import annotations

from collections.abc import Mapping

from assets.declare.report import Everything, Files
from ops.evaluation.table import FEW_ITEMS, LEAST_ITEMS
from orchestration.lineage.rows import Counted
from orchestration.pages import learning
from orchestration.pages.evaluation import agreement, left_out
from orchestration.pages.html import render
from orchestration.pages.reading import side_file
from orchestration.pages.systems.discofuse import scores

PEOPLE = "discofuse/human_evaluation"


def pages(everything: Everything, numbers: Mapping[str, Counted]) -> Files:
    """Yield the page. It names what is missing. Raises ValueError naming a file that cannot be read."""
    table = scores.read(side_file(everything, "discofuse/evaluation", "table.json"))
    models = learning.models(side_file(everything, "discofuse/fusion_model", "models.json") or [])
    matrices = {"connective": scores.connectives(table), "pronoun": scores.pronouns(table)}
    ratings = side_file(everything, PEOPLE, "table.json")
    ratings_shown = (scores.clarity, scores.decisions, scores.detection)
    yield render(
        "fusion.html",
        "discofuse/fusion.html",
        "Fusion",
        data={
            "models": models,
            "matrices": {gold: [part["matrix"] for part in found] for gold, found in matrices.items()},
        },
        name_of=lambda name: scores.METRICS.get(name, name),
        scores=scores.scores(table),
        published=scores.published(),
        fewest=scores.fewest(table),
        least=LEAST_ITEMS,
        few=FEW_ITEMS,
        tests=scores.tests(table),
        phenomena=scores.phenomena(table),
        matrices=matrices,
        numbers_of=scores.numbers_of,
        transfer=scores.transferred(side_file(everything, "discofuse/transfer", "table.json")),
        people=[part(ratings) for part in ratings_shown if ratings and ratings["agreement"]],
        agreement=agreement(ratings),
        left_out=left_out(numbers.get(PEOPLE)),
        models=models,
        declared=everything,
        statistics=[name for name in scores.PUBLISHED["sizes"] if name in everything],
    )
