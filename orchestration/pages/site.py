"""All pages, put together.

Belongs here: which pages there are. Not here: what is on each.
"""

from __future__ import annotations

from assets.declare.report import Everything, Files
from orchestration.lineage.ancestry import Ancestry
from orchestration.lineage.rows import counted
from orchestration.pages import browser, dataset, lineage, overview, what_if
from orchestration.pages.html import shared
from orchestration.pages.sampling import sample
from orchestration.pages.system import systems


def site(everything: Everything) -> Files:
    """Yield every file of the site."""
    numbers = counted(everything)
    ancestry = Ancestry(everything)
    shown = {name: sample(ancestry, name) for name in numbers}
    yield from shared()
    yield from overview.pages(everything.graph, numbers)
    yield from dataset.pages(everything, numbers)
    pages_of = {name: page for system in systems() for name, page in system.pages_of(everything).items()}
    yield from browser.pages(ancestry, numbers, shown, pages_of)
    yield from lineage.pages(ancestry, shown)
    yield from what_if.pages(everything)
    for system in systems():
        yield from system.pages(everything, numbers)
