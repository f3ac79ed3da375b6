"""What DiscoFuse adds to the pages.

Belongs here: which page there is, which datasets lead to it, and what their own pages show besides. Not here:
what is on each.
"""

from __future__ import annotations

from functools import partial

from orchestration.pages.system import DatasetPart, SystemPages
from orchestration.pages.systems.discofuse import fusion
from orchestration.pages.systems.discofuse.scores import PUBLISHED
from orchestration.pages.systems.discofuse.statistics import statistics

SYSTEM = SystemPages(
    pages=fusion.pages,
    navigation=(("fusion.html", "Fusion"),),
    pictures={
        "discofuse/fusion_model": "fusion.html#learning",
        "discofuse/fusions": "fusion.html",
        "discofuse/evaluation": "fusion.html",
        "discofuse/transfer": "fusion.html#transfer",
        "discofuse/rating_sheets": "fusion.html#people",
        "discofuse/human_evaluation": "fusion.html#people",
    },
    dataset_parts={
        name: DatasetPart("discofuse/statistics.html", "discofuse/statistics.js", partial(statistics, name))
        for name in PUBLISHED["sizes"]
    },
)
