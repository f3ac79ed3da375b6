"""What TalkSumm adds to the pages.

Belongs here: which pages there are, and which datasets lead to them. Not here: what is on each.
"""

from __future__ import annotations

from collections.abc import Mapping

from assets.declare.report import Everything, Files
from orchestration.lineage.rows import Counted
from orchestration.pages.system import SystemPages
from orchestration.pages.systems.talksumm import evaluation, talks, tuning


def _pages(everything: Everything, numbers: Mapping[str, Counted]) -> Files:
    yield from talks.pages(everything)
    yield from tuning.pages(everything, numbers)
    yield from evaluation.pages(everything, numbers)


SYSTEM = SystemPages(
    pages=_pages,
    navigation=(("talks.html", "Talks"), ("tuning.html", "Tuning"), ("evaluation.html", "Evaluation")),
    pictures={
        "talksumm/tuning": "tuning.html",
        "talksumm/extractor": "evaluation.html#learning",
        "talksumm/evaluation": "evaluation.html",
        "talksumm/rating_sheets": "evaluation.html#people",
        "talksumm/human_evaluation": "evaluation.html#people",
    },
)
