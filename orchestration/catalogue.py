"""Every asset of the project: sources, the systems that are found in `assets/systems`, and reports.

Belongs here: declaring them all, once, for whatever drives them. Not here: questions over them
(assets/declare/graph.py).
"""

from __future__ import annotations

from functools import cache

from orchestration.state import input_snapshot
from orchestration.workspace.workspace import Workspace

input_snapshot.code(Workspace.here())  # what is edited from here on is noticed

from assets.declare.discovery import discover  # noqa: E402
from assets.declare.report import Everything, Files, report  # noqa: E402
from assets.declare.settings import document  # noqa: E402

discover()


@report(group="quality")
def pages(everything: Everything) -> Files:
    """Data-quality pages of every dataset: funnels, distributions, rows and their origins, thresholds."""
    from orchestration.pages.site import site

    return site(everything)


@cache
def workspace() -> Workspace:
    """Return this checkout with all its assets. Raises ParamsError for params that do not fit them."""
    found = Workspace.here()
    found.graph.check(document(), found.settings)
    return found
