"""Make the empty partitions of a dataset together: one is made in a run, the others are what it is.

Belongs here: publishing them. Not here: which partitions are empty (state/empty.py), making one
(materialise.py).
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterable
from datetime import UTC, datetime

from assets.declare.declaration import Declaration
from orchestration.files.publish import building
from orchestration.state import validation_history as history
from orchestration.state.crawls import discard_crawl
from orchestration.state.empty import empty_months, is_empty
from orchestration.state.freshness import NotReadyError, View
from orchestration.state.input_snapshot import check_code, code_marks
from orchestration.state.manifests import Manifest, write_manifest
from orchestration.state.partition_locks import making
from orchestration.workspace.workspace import Workspace


def settle_empty(workspace: Workspace, item: Declaration, month: str) -> list[str]:
    """Make the other empty partitions of a dataset what its partition `month` is; return their months.

    They have the same input, which is none, so they have the same bytes and the same findings. Nothing is
    done where that partition has rows, or is not fresh. Left alone are partitions that are fresh, that
    have rows so far, whose inputs are not made yet, and that another process makes: it may be waiting to
    settle `month`.
    """
    if not is_empty(workspace, item, month):
        return []
    months, view = empty_months(workspace, item, item.made_months), View(workspace)
    manifest = view.status(item, month).fresh_manifest if month in months else None
    if manifest is None or not _without_rows(manifest):
        return []
    check_code(workspace, code_marks(workspace))
    settled = []
    for other in months:
        if other == month:
            continue
        former = view.known(item, other)
        due = not view.status(item, other).fresh
        if due and (former is None or _without_rows(former)):
            with contextlib.suppress(BlockingIOError), making(workspace, item, other, wait=False):
                if _settle(workspace, item, month, manifest, other):
                    settled.append(other)
    _remember(workspace, item, month, manifest.version, settled)
    return settled


def _without_rows(manifest: Manifest) -> bool:
    counts = manifest.counts
    generated = counts.get("combinations", {}).values()  # a step may count none of each
    return not any([counts["kept"], counts["dropped"], counts["rejected"], *generated])


def _settle(workspace: Workspace, item: Declaration, month: str, manifest: Manifest, other: str) -> bool:
    """Publish a partition with its manifest, whose lock is held; say whether its inputs were there."""
    try:
        key = View(workspace).key(item, other)
    except NotReadyError:
        return False
    with building(workspace.staging, workspace.folder(item, other)) as new:
        shutil.copytree(workspace.folder(item, month), new, dirs_exist_ok=True)
    check_code(workspace, code_marks(workspace))
    write_manifest(workspace, item, other, Manifest(key, manifest.files, manifest.counts))
    if item.crawl:
        discard_crawl(workspace, item, other)
    return True


def _remember(
    workspace: Workspace, item: Declaration, month: str, version: str, others: Iterable[str]
) -> None:
    """Add to the history of validations what was found of the partition that the others are equal to."""
    found = history.latest(workspace, item, month, version)
    if found is not None and others:
        now = datetime.now(UTC)
        history.append(workspace, item, [{**found, "time": now, "month": other} for other in others])
