"""What WikiSum adds to the pages.

Belongs here: which pages there are, and which datasets and rows lead to them. Not here: what is on each.
"""

from __future__ import annotations

from collections.abc import Mapping

from assets.declare.report import Everything, Files
from orchestration.lineage.rows import Counted
from orchestration.pages.system import SystemPages
from orchestration.pages.systems.wikisum import articles, evaluation, statistics


def _pages(everything: Everything, numbers: Mapping[str, Counted]) -> Files:
    yield from articles.pages(everything)
    yield from statistics.pages(everything)
    yield from evaluation.pages(everything, numbers)


def _pages_of(everything: Everything) -> Mapping[str, str]:
    return {name: f"articles/{name}.html" for name in articles.with_page(everything)}


SYSTEM = SystemPages(
    pages=_pages,
    navigation=(("articles.html", "Articles"), ("inputs.html", "Inputs"), *evaluation.NAVIGATION),
    pictures={
        "wikisum/references": "articles.html",
        "wikisum/corpus": "inputs.html#clones",
        "wikisum/ranked": "articles.html",
        "wikisum/learned_ranker": "inputs.html#recall",
        "wikisum/examples": "articles.html",
        "wikisum/statistics": "inputs.html",
        "wikisum/summaries": "articles.html",
        **evaluation.PICTURES,
    },
    pages_of=_pages_of,
)
