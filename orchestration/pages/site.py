"""All pages, put together.

Belongs here: which pages there are. Not here: what is on each.
"""

from __future__ import annotations

from assets.report import Everything, Files
from orchestration.pages import (
    browser,
    dataset,
    evaluation,
    fusion,
    overview,
    passports,
    talks,
    tuning,
    what_if,
)
from orchestration.pages.ancestry import Ancestry
from orchestration.pages.html import shared
from orchestration.pages.rows import counted
from orchestration.pages.sampling import sample


def site(everything: Everything) -> Files:
    """Yield every file of the site."""
    numbers = counted(everything)
    ancestry = Ancestry(everything)
    shown = {name: sample(ancestry, name) for name in numbers}
    yield from shared()
    yield from overview.pages(numbers)
    yield from dataset.pages(everything, numbers)
    yield from browser.pages(ancestry, numbers, shown)
    yield from passports.pages(ancestry, shown)
    yield from talks.pages(everything)
    yield from tuning.pages(everything, numbers)
    yield from evaluation.pages(everything, numbers)
    yield from fusion.pages(everything, numbers)
    yield from what_if.pages(everything)
