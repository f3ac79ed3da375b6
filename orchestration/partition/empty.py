"""Make a dataset's empty partitions together: a run makes one, and the others are copies of it.

Belongs here: publishing them. Not here: which partitions are empty (state/sources.py), making one
(materialise.py), reporting the copies to Dagster (store.py).
"""

from __future__ import annotations

import contextlib
import shutil
from dataclasses import replace

from silverloom.assets.declare.declaration import Dataset
from silverloom.orchestration.files.publish import building, making
from silverloom.orchestration.state.freshness import Manifest, NotReadyError, View, write_manifest
from silverloom.orchestration.state.sources import discard_crawl, empty_partitions
from silverloom.orchestration.workspace.workspace import Workspace


def copy_empty(workspace: Workspace, dataset: Dataset, partition: str) -> list[str]:
    """Publish copies of the empty partition `partition` as a dataset's other empty partitions; return those.

    Their input is the same (none), so their bytes and findings are the same. Does nothing if `partition` is
    not empty or not fresh. Skips partitions that are fresh, that still have rows, whose inputs are not made
    yet, or that another process is making, since it may be waiting to publish `partition` itself.
    """
    partitions, view = empty_partitions(workspace, dataset, dataset.made_partitions), View(workspace)
    manifest = view.status(dataset, partition).fresh_manifest if partition in partitions else None
    if manifest is None or not manifest.without_rows:
        return []
    copies = []
    for other in partitions:
        if other == partition:
            continue
        former = view.known(dataset, other)
        due = not view.status(dataset, other).fresh
        if due and (former is None or former.without_rows):
            with contextlib.suppress(BlockingIOError), making(workspace, dataset, other, wait=False):
                if _copy(view, dataset, partition, manifest, other):
                    copies.append(other)
    return copies


def _copy(view: View, dataset: Dataset, partition: str, manifest: Manifest, other: str) -> bool:
    """Publish a partition, whose lock is held, with its manifest. Return False if its inputs are missing.

    If an input is replaced during this, the key names the former one, and the partition is stale.
    """
    workspace = view.workspace
    try:
        key = view.key(dataset, other)
    except NotReadyError:
        return False
    with building(workspace.staging, workspace.folder(dataset, other)) as new:
        shutil.copytree(workspace.folder(dataset, partition), new, dirs_exist_ok=True)
    write_manifest(workspace, dataset, other, replace(manifest, key=key))
    if dataset.crawl:
        discard_crawl(workspace, dataset, other)
    return True
