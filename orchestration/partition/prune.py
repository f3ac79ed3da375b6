"""Remove partitions that no input derives any more: a shrunk range, an exclusion.

Belongs here: removing folders and manifests. Not here: deciding what is stale (state/freshness.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from assets.declare.declaration import Declaration
from ops.core.periods import is_period
from orchestration.checks.history import drop_failing
from orchestration.files.publish import making, remove
from orchestration.partition.resume import discard_parts, partitions_with_parts
from orchestration.state.freshness import View, forget
from orchestration.workspace.workspace import Workspace

_NAMED = 3


def leftovers(workspace: Workspace, dataset: Declaration) -> list[str]:
    """Return the periods that have files in a dataset's folder and are not among its partitions."""
    if not dataset.partitioned:
        return []
    found = [*workspace.folder(dataset).glob("*"), *workspace.manifests(dataset).glob("*.json")]
    return sorted({path.stem for path in found if is_period(path.stem)} - set(dataset.made_partitions))


def no_partitions(labels: Sequence[str]) -> str:
    """Return in a line how many leftovers there are, and the first of them."""
    named = ", ".join([*labels[:_NAMED], *(["..."] if len(labels) > _NAMED else [])])
    return f"no longer partitions ({len(labels)}): {named}"


def prune(workspace: Workspace, dataset: Declaration) -> list[str]:
    """Remove the leftovers of a dataset and the finished parts that nobody needs; return the leftovers."""
    gone = leftovers(workspace, dataset)
    partitions = {partition or "all": partition for partition in dataset.made_partitions}
    for name in partitions_with_parts(workspace, dataset):
        manifest = View(workspace).known(dataset, partitions[name]) if name in partitions else None
        if name not in partitions:
            discard_parts(workspace, dataset, name)
        elif manifest is not None:  # a kill came between the manifest and their removal
            discard_parts(workspace, dataset, name, manifest.key)
    for partition in gone:
        with making(workspace, dataset, partition):
            if workspace.folder(dataset, partition).exists():  # another process may have done it meanwhile
                remove(workspace.folder(dataset, partition), workspace.staging)
            forget(workspace, dataset, partition)
            drop_failing(workspace, dataset, partition)
    return gone
