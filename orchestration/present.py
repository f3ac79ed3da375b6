"""`silverloom pages`: pages of what is made so far, without making anything.

Belongs here: which partitions these pages show, and writing them beside the report. Not here: the pages
(pages/site.py), and the report of all datasets (definitions.py), whose folder is a DVC output, where a file
that no commit records would block `dvc checkout`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from silverloom.assets.declare.graph import Everything
from silverloom.orchestration.files.publish import building, making, write_files
from silverloom.orchestration.state.freshness import View, unreplaced
from silverloom.orchestration.state.plan import plan
from silverloom.orchestration.workspace.workspace import Workspace
from silverloom.pages.paths import PAGES, REPORT, SO_FAR


def write_pages(workspace: Workspace) -> Path:
    """Return the first page: the report's if it is up to date, else that of new pages of what is up to date.

    The new pages list the datasets and partitions that they do not show.
    """
    stale = {(step.dataset.name, step.partition) for step in plan(View(workspace), REPORT)}
    if (REPORT, "") not in stale:
        return workspace.quality / PAGES / "index.html"
    folders: dict[str, Mapping[str, Path]] = {}
    for name, dataset in workspace.datasets.items():
        made = [partition for partition in dataset.made_partitions if (name, partition) not in stale]
        if dataset.shape is not None and made:
            folders[name] = {partition: workspace.folder(dataset, partition) for partition in made}
    report, place = workspace.datasets[REPORT], workspace.quality / SO_FAR
    with (
        making(workspace, report, ""),
        building(workspace.staging, place) as new,
        unreplaced(workspace, folders),
    ):
        everything = Everything(folders, workspace.graph, new.parent)
        write_files(new, report.function(everything))
    return place / "index.html"
