"""The pages as an asset of the DAG: the same data give the same bytes.

Belongs here: the declaration. Not here: what is on the pages (site.py), and how things stand at this moment,
which no deterministic page can hold (live.py).
"""

from __future__ import annotations

from assets.report import Everything, Files, report
from orchestration.pages.site import site


@report(group="quality")
def pages(everything: Everything) -> Files:
    """Data-quality pages of every dataset: funnels, distributions, rows and their origins, thresholds."""
    return site(everything)
