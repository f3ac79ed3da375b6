"""The page of leads: models and extraction alone by ROUGE and perplexity, what people say, learning curves.

Belongs here: reading the datasets behind it, and what leads to it. Not here: how scores (grid.py) and ratings
(people.py) are laid out, the curves (pages/learning.py).
"""

from __future__ import annotations

from collections.abc import Mapping

from assets.declare.report import Everything, Files
from orchestration.lineage.rows import Counted
from orchestration.pages.evaluation import values
from orchestration.pages.html import render
from orchestration.pages.reading import side_file
from orchestration.pages.systems.wikisum import grid, people

EVALUATION, GRID, PEOPLE = "wikisum/evaluation", "wikisum/grid", "wikisum/human_evaluation"
#: Models for use: the grid has others, to compare.
SUMMARIZER = "wikisum/summarizer"

NAVIGATION = (("leads.html", "Leads"),)
PICTURES = {
    "wikisum/summarizer": "leads.html#learning",
    "wikisum/grid_examples": "leads.html",
    "wikisum/grid": "leads.html#learning",
    "wikisum/evaluation": "leads.html",
    "wikisum/rating_sheets": "leads.html#people",
    "wikisum/human_evaluation": "leads.html#people",
}


def pages(everything: Everything, numbers: Mapping[str, Counted]) -> Files:
    """Yield the page. It names what is missing. Raises ValueError naming a file that cannot be read."""
    table, cells = grid.read(side_file(everything, EVALUATION, "table.json"))
    shared = values(everything, numbers, EVALUATION, [SUMMARIZER, GRID], PEOPLE)
    ratings = shared["ratings"]
    rated = ratings and ratings["agreement"]
    scored = cells.values()
    chosen = next((cell for cell in scored if cell.chosen), None)
    figures = {"extraction": grid.figure_2(scored), "lengths": grid.figure_3(scored)}
    yield render(
        "leads.html",
        "wikisum/leads.html",
        "Leads",
        data={"models": shared["models"], "figures": figures},
        name_of=lambda name: grid.METRICS.get(name, name),
        figures=figures,
        chosen=chosen,
        fewest=min((cell.articles for cell in scored), default=0),
        extractors=grid.extractors(scored),
        architectures=grid.architectures(scored, shared["models"]),
        whole=grid.whole(scored),
        tests=grid.tests(table, cells),
        categories=grid.categories(table),
        quality=people.quality(ratings, cells) if rated else None,
        preference=people.preference(ratings, cells, table) if rated else None,
        **shared,
    )
