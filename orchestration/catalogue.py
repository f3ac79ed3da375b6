"""Every asset of the project: sources, the systems that are found in `assets/systems`, and reports.

Belongs here: declaring them all, once, for whatever drives them. Not here: questions over them
(state/graph.py), which is why that module imports no page.
"""

from __future__ import annotations

from orchestration.state import input_snapshot

input_snapshot.code()  # what is edited from here on is noticed

from assets.declare.discovery import discover  # noqa: E402
from assets.declare.report import Everything, Files, report  # noqa: E402

discover()


@report(group="quality")
def pages(everything: Everything) -> Files:
    """Data-quality pages of every dataset: funnels, distributions, rows and their origins, thresholds."""
    from orchestration.pages.site import site

    return site(everything)
