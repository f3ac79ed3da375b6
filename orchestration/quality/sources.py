"""The check `sources`: whether a source was rejected whole, in all partitions that are made so far.

Belongs here: its finding. Not here: which sources these are (state/rejects.py).
"""

from __future__ import annotations

from assets.declare.declaration import Declaration
from orchestration.messages.failures import describe
from orchestration.quality.conservation import Finding
from orchestration.state.freshness import View
from orchestration.state.rejects import rejected_sources
from orchestration.workspace.workspace import Workspace


def source_finding(workspace: Workspace, item: Declaration) -> Finding:
    """Return the sources of a dataset that were rejected whole, with their first causes.

    Another process may replace a partition while it is read; then the finding says that it is not known.
    """
    try:
        faults = tuple(map(str, rejected_sources(View(workspace), [item])))
    except Exception as error:
        faults = (f"it could not be told: {describe(error)}",)
    return Finding(faults, "some record of every source was read")
