"""Remove partitions that no longer exist, because the range shrank or params.yaml excludes them.

Belongs here: removing their folders and manifests, and what killed processes left beside these. Not here:
deciding what is stale (state/freshness.py).
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from silverloom.assets.declare.declaration import Dataset
from silverloom.ops.core.periods import is_period
from silverloom.orchestration.checks.results import drop_failing
from silverloom.orchestration.files.publish import making, remove
from silverloom.orchestration.partition.resume import discard_parts, partitions_with_parts
from silverloom.orchestration.state.freshness import View, forget
from silverloom.orchestration.workspace.workspace import Workspace

_NAMED = 3


def leftovers(workspace: Workspace, dataset: Dataset) -> list[str]:
    """Return the periods that have files in a dataset's folder but are no longer among its partitions."""
    if not dataset.partitioned:
        return []
    paths = [*workspace.folder(dataset).glob("*"), *workspace.manifests(dataset).glob("*.json")]
    return sorted({path.stem for path in paths if is_period(path.stem)} - set(dataset.made_partitions))


def orphans(workspace: Workspace) -> list[str]:
    """Return the folders of datasets that were made but are not declared here, such as another branch's."""
    made = sorted(path for path in workspace.root.glob("manifests/*/*") if path.is_dir())
    return [
        workspace.shown(workspace.data / path.parent.name / path.name)
        for path in made
        if f"{path.parent.name}/{path.name}" not in workspace.datasets
    ]


def no_partitions(labels: Sequence[str]) -> str:
    """Return one line with the number of leftovers and the first few labels."""
    named = ", ".join([*labels[:_NAMED], *(["..."] if len(labels) > _NAMED else [])])
    return f"no longer partitions ({len(labels)}): {named}"


def prune(workspace: Workspace, dataset: Dataset) -> list[str]:
    """Remove a dataset's leftovers, and finished parts that are not needed any more; return the leftovers.

    Also removes manifests that were half written when their process was killed.
    """
    gone = leftovers(workspace, dataset)
    for unfinished in workspace.manifests(dataset).glob(".*.json.*"):
        named = unfinished.name.split(".")[1]
        with (
            contextlib.suppress(BlockingIOError),  # it is being written
            making(workspace, dataset, "" if named == "all" else named, wait=False),
        ):
            unfinished.unlink(missing_ok=True)
    partitions = {partition or "all": partition for partition in dataset.made_partitions}
    for name in partitions_with_parts(workspace, dataset):
        manifest = View(workspace).known(dataset, partitions[name]) if name in partitions else None
        if name not in partitions:
            discard_parts(workspace, dataset, name)
        elif manifest is not None:  # a kill after writing the manifest left its parts behind
            discard_parts(workspace, dataset, name, manifest.key)
    for partition in gone:
        with making(workspace, dataset, partition):
            if workspace.folder(dataset, partition).exists():  # else another process removed it
                remove(workspace.folder(dataset, partition), workspace.staging)
            forget(workspace, dataset, partition)
            drop_failing(workspace, dataset, partition)
    return gone
