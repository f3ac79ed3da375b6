"""The whole site of data-quality pages.

Belongs here: which pages exist, in which order they are rendered. Not here: the content of pages.
"""

from __future__ import annotations

from silverloom.assets.declare.graph import Everything, Files
from silverloom.assets.rows.ancestry import opened
from silverloom.assets.rows.reading import counted
from silverloom.pages import dataset, lineage, overview, rows, what_if
from silverloom.pages.html import shared
from silverloom.pages.sampling import sample
from silverloom.pages.system import systems


def site(everything: Everything) -> Files:
    """Yield every file of the site."""
    numbers, added = counted(everything), systems().values()
    yield from shared()
    yield from overview.pages(everything.graph, numbers)
    yield from dataset.pages(everything, numbers)
    with opened(everything, lineage.NAMED) as ancestry:
        shown = {name: sample(ancestry, name) for name in numbers}
        pages_of = {name: page for system in added for name, page in system.pages_of(everything).items()}
        yield from rows.pages(ancestry, numbers, shown, pages_of)
        yield from lineage.pages(ancestry, shown)
    yield from what_if.pages(everything)
    for system in added:
        yield from system.pages(everything, numbers)
