"""Remove partitions that no input derives any more: a shrunk range, an exclusion.

Belongs here: removing folders and manifests. Not here: deciding what is stale (freshness.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from assets.declare.declaration import Declaration
from ops.periods import is_period
from orchestration.execute.finished_parts import discard_parts, months_with_parts
from orchestration.files.publish import remove
from orchestration.quality.failing import drop_failing
from orchestration.state.freshness import View
from orchestration.state.manifests import forget
from orchestration.state.partition_locks import making
from orchestration.workspace.workspace import Workspace

_NAMED = 3


def leftovers(workspace: Workspace, item: Declaration) -> list[str]:
    """Return the months that lie in a dataset's folder and are none of its partitions."""
    if not item.partitioned:
        return []
    found = [*workspace.folder(item).glob("*"), *workspace.manifests(item).glob("*.json")]
    return sorted({path.stem for path in found if is_period(path.stem)} - set(item.made_months))


def no_partitions(labels: Sequence[str]) -> str:
    """Return in a line how many leftovers there are, and the first of them."""
    named = ", ".join([*labels[:_NAMED], *(["..."] if len(labels) > _NAMED else [])])
    return f"no longer partitions ({len(labels)}): {named}"


def prune(workspace: Workspace, item: Declaration) -> list[str]:
    """Remove the leftovers of a dataset and the finished parts that nobody needs; return the leftovers."""
    gone = leftovers(workspace, item)
    months = {month or "all": month for month in item.made_months}
    for name in months_with_parts(workspace, item):
        manifest = View(workspace).known(item, months[name]) if name in months else None
        if name not in months:
            discard_parts(workspace, item, name)
        elif manifest is not None:  # a kill came between the manifest and their removal
            discard_parts(workspace, item, name, manifest.key)
    for month in gone:
        with making(workspace, item, month):
            if workspace.folder(item, month).exists():  # another process may have done it meanwhile
                remove(workspace.folder(item, month), workspace.staging)
            forget(workspace, item, month)
            drop_failing(workspace, item, month)
    return gone
