"""Pages of what has been made so far, while the report itself is not up to date: it reads every dataset.

Belongs here: which datasets are shown then, writing these pages beside the report, and removing them. Not
here: the pages (pages/), the report (catalogue.py). The report's own folder is an output of DVC: what no
commit records would stand in the way of `dvc checkout` there.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from pathlib import Path

from assets.declare.report import Everything
from orchestration.execute.inputs import former_files
from orchestration.files.page_paths import SO_FAR
from orchestration.files.publish import building, remove, write_files
from orchestration.files.replaced import stamps_of, unreplaced
from orchestration.state.freshness import View
from orchestration.state.partition_locks import writing_all
from orchestration.state.plan import plan
from orchestration.workspace.workspace import Workspace

#: The report that is written so.
REPORT = "quality/pages"


def write_pages_so_far(workspace: Workspace) -> None:
    """Write the pages of all partitions that are fresh, unless the report is; then remove them.

    They say which datasets and partitions they do not show.
    """
    stale = _stale(workspace)
    if (REPORT, "") not in stale:
        _remove(workspace)
        return
    folders = _made(workspace, stale)
    report = workspace.datasets[REPORT]
    place = workspace.quality / SO_FAR
    read = stamps_of(folder for months in folders.values() for folder in months.values())
    with (
        writing_all(workspace, SO_FAR),
        building(workspace.staging, place) as new,
        unreplaced(read),
    ):
        everything = Everything(folders, workspace.graph, former_files(workspace, report))
        write_files(new, report.function(everything))


def drop_pages_so_far(workspace: Workspace) -> None:
    """Remove the pages of what was made so far where the report is up to date: after `dvc checkout`, say."""
    if (workspace.quality / SO_FAR).exists() and (REPORT, "") not in _stale(workspace):
        _remove(workspace)


def _remove(workspace: Workspace) -> None:
    with writing_all(workspace, SO_FAR):
        if (workspace.quality / SO_FAR).exists():
            remove(workspace.quality / SO_FAR, workspace.staging)


def _stale(workspace: Workspace) -> set[tuple[str, str]]:
    return {(step.item.name, step.month) for step in plan(View(workspace))}


def _made(workspace: Workspace, stale: Container[tuple[str, str]]) -> dict[str, Mapping[str, Path]]:
    """Return the folders of partitions that are not stale, by dataset; one without any is left out."""
    found: dict[str, Mapping[str, Path]] = {}
    for name, item in workspace.datasets.items():
        if item.shape is not None:
            months = [month for month in item.made_months if (name, month) not in stale]
            found |= {name: {month: workspace.folder(item, month) for month in months}} if months else {}
    return found
