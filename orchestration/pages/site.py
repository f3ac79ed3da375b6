"""All pages, put together.

Belongs here: which pages there are. Not here: what is on each.
"""

from __future__ import annotations

from assets.declaration import Everything, Files
from orchestration.pages import dataset, overview, talks, tuning
from orchestration.pages.html import shared
from orchestration.pages.rows import counted


def site(everything: Everything) -> Files:
    """Yield every file of the site."""
    numbers = counted(everything)
    yield from shared()
    yield from overview.pages(numbers)
    yield from dataset.pages(everything, numbers)
    yield from talks.pages(everything)
    yield from tuning.pages(everything, numbers)
