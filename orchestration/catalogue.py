"""Every asset of the project: sources, the systems that are found in `assets/systems`, and reports.

Belongs here: declaring them all, once, for whatever drives them. Not here: questions over them
(assets/declare/graph.py).
"""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module

from orchestration.state import input_snapshot
from orchestration.workspace.workspace import Workspace

input_snapshot.code(Workspace.here())  # what is edited from here on is noticed

import assets.systems  # noqa: E402
from assets.declare import code  # noqa: E402
from assets.declare.dataset import Everything, Files, report  # noqa: E402
from assets.declare.settings import document  # noqa: E402

for module in pkgutil.walk_packages(assets.systems.__path__, "assets.systems."):
    if not module.ispkg:
        import_module(module.name)


# Not below assets, which import no pages: the code version of a report is of all that its function reaches,
# so one that was handed its renderer would stay fresh when the pages change.
@report(group="quality")
def pages(everything: Everything) -> Files:
    """Data-quality pages of every dataset: funnels, distributions, rows and their origins, thresholds."""
    from orchestration.files.identity import folder_hashes, version
    from pages.site import site

    return site(everything, lambda folder: version(folder_hashes(folder)))


code.keep()


@cache
def workspace() -> Workspace:
    """Return this checkout with all its assets. Raises ParamsError for params that do not fit them."""
    found = Workspace.here()
    found.graph.check(document(), found.settings)
    return found
