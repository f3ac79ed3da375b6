"""The page of fusion models: scores, phenomena, connectives, pronouns, transfer, people, learning curves.

Belongs here: reading the datasets behind it. Not here: how scores are laid out (scores.py), what people say
(people.py), the numbers of the paper (published.py), the curves (pages/learning.py), what examples are made
of (statistics.py).
"""

from __future__ import annotations

from collections.abc import Mapping

from assets.declare.report import Everything, Files
from ops.evaluation.table import FEW_ITEMS, LEAST_ITEMS
from orchestration.lineage.rows import Counted
from orchestration.pages import learning
from orchestration.pages.evaluation import agreement, left_out
from orchestration.pages.html import render
from orchestration.pages.side_files import side_file
from orchestration.pages.systems.discofuse import people, scores
from orchestration.pages.systems.discofuse.published import SIZES

EVALUATION, MODEL, TRANSFER = "discofuse/evaluation", "discofuse/fusion_model", "discofuse/transfer"
PEOPLE = "discofuse/human_evaluation"
#: Files that lie beside the rows of these.
TABLE, MODELS = "table.json", "models.json"


def pages(everything: Everything, numbers: Mapping[str, Counted]) -> Files:
    """Yield the page. It names what is missing. Raises ValueError naming a file that cannot be read."""
    table = scores.read(side_file(everything, EVALUATION, TABLE))
    models = learning.models(side_file(everything, MODEL, MODELS) or [])
    matrices = {"connective": scores.connectives(table), "pronoun": scores.pronouns(table)}
    ratings = side_file(everything, PEOPLE, TABLE)
    rated = ratings and ratings["agreement"]
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
        transfer=scores.transferred(side_file(everything, TRANSFER, TABLE)),
        people=[part(ratings) for part in (people.clarity, people.decisions, people.detection) if rated],
        agreement=agreement(ratings),
        left_out=left_out(numbers.get(PEOPLE)),
        models=models,
        declared=everything,
        statistics=[name for name in SIZES if name in everything],
    )
