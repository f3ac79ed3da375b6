"""Which partitions have nothing in them: no record of the sources that they are made of is of their month.

Belongs here: telling that from the sources alone, before anything is made. Not here: making such partitions
together (execute/empty.py).
"""

from __future__ import annotations

from collections.abc import Collection

from assets.declare.declaration import Declaration
from orchestration.state.corpora import corpus
from orchestration.workspace.workspace import Workspace

#: As many empty partitions of a dataset are made like others: each is a run of its own then.
FEW = 2


def is_empty(workspace: Workspace, item: Declaration, month: str) -> bool:
    """Say whether no record can be in a partition. A crawl finds units itself, but none without a list."""
    if not item.partitioned or item.shape is None:
        return False
    if item.records and corpus(workspace, item.records).ids(month):
        return False
    local = [
        parent
        for source, parent in zip(item.inputs, workspace.graph.upstream(item), strict=True)
        if parent.partitioned and not source.all_months
    ]
    made_of_month = bool(item.records or local)
    return made_of_month and all(is_empty(workspace, parent, month) for parent in local)


def empty_months(workspace: Workspace, item: Declaration, months: Collection[str]) -> list[str]:
    """Return those of some months whose partitions are empty and made together; none where they are few."""
    found = [month for month in months if is_empty(workspace, item, month)]
    return found if len(found) > FEW else []
