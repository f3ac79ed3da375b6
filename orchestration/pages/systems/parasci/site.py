"""What ParaSCI adds to the pages.

Belongs here: which pages there are, and which datasets lead to them. Not here: what is on each.
"""

from __future__ import annotations

from collections.abc import Mapping

from assets.declare.report import Everything, Files
from orchestration.lineage.rows import Counted
from orchestration.pages.system import SystemPages
from orchestration.pages.systems.parasci import groups, pairs, paraphrases


def _pages(everything: Everything, numbers: Mapping[str, Counted]) -> Files:
    yield from paraphrases.pages(everything, numbers)
    yield from pairs.pages(everything)
    yield from groups.pages(everything)


SYSTEM = SystemPages(
    pages=_pages,
    navigation=(("paraphrases.html", "Paraphrases"),),
    pictures={
        "parasci/definitions": "definitions.html",
        "parasci/citations": "citations.html",
        "parasci/scored": "paraphrases.html#thresholds",
        "parasci/paraphrases": "pairs.html",
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
