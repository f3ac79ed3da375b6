"""Pages of what has been made so far, where the report itself cannot be made: it reads every dataset.

Belongs here: which datasets are shown then, and publishing the pages. Not here: the pages (pages/), the
report (catalogue.py).
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from pathlib import Path

from assets.declare.declaration import Declaration
from assets.declare.report import Everything
from orchestration.files.publish import building, write_files
from orchestration.files.replaced import stamps_of, unreplaced
from orchestration.state.freshness import View
from orchestration.state.partition_locks import making
from orchestration.state.plan import plan
from orchestration.state.records import forget
from orchestration.workspace.workspace import Workspace


def write_pages_so_far(workspace: Workspace) -> None:
    """Write the pages of each report that is not fresh, of all partitions that are; its record is forgotten.

    They say which datasets and partitions they do not show.
    """
    stale = {(step.item.name, step.month) for step in plan(View(workspace))}
    for item in workspace.datasets.values():
        if item.shape is None and (item.name, "") in stale:
            _write(workspace, item, _made(workspace, stale))


def _made(workspace: Workspace, stale: Container[tuple[str, str]]) -> dict[str, Mapping[str, Path]]:
    """Return the folders of partitions that are not stale, by dataset; one without any is left out."""
    found: dict[str, Mapping[str, Path]] = {}
    for name, item in workspace.datasets.items():
        if item.shape is not None:
            months = [month for month in item.made_months if (name, month) not in stale]
            found |= {name: {month: workspace.folder(item, month) for month in months}} if months else {}
    return found


def _write(workspace: Workspace, report: Declaration, folders: Mapping[str, Mapping[str, Path]]) -> None:
    read = stamps_of(folder for months in folders.values() for folder in months.values())
    with making(workspace, report, ""):
        forget(workspace, report, "")
        with building(workspace.staging, workspace.folder(report)) as new, unreplaced(read):
            write_files(new, report.function(Everything(folders, workspace.graph)))
