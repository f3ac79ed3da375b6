"""`silverloom repro`, and the command of each dvc.yaml stage: bring one dataset up to date, commit nothing.

Belongs here: what happens before `dvc repro`, and `silverloom stage group/dataset`. Not here: dvc.lock, which
`silverloom run` commits and DVC itself writes after each stage.
"""

from __future__ import annotations

import json
import os
import subprocess

from rich.console import Console
from rich.markup import escape

from silverloom.assets.declare.declaration import Dataset
from silverloom.assets.declare.graph import label
from silverloom.orchestration.dvc import metrics
from silverloom.orchestration.dvc.spare import restore
from silverloom.orchestration.files.edits import MovedError, check_unmoved, source_versions
from silverloom.orchestration.mlflow.send import send_and_tell
from silverloom.orchestration.run.drive import run, tags_of_command
from silverloom.orchestration.run.loop import bring_up_to_date
from silverloom.orchestration.run.summary import tell_rejected
from silverloom.orchestration.state.dvc_files import check_lock
from silverloom.orchestration.state.freshness import View
from silverloom.orchestration.state.sources import check_versions
from silverloom.orchestration.workspace.workspace import Workspace


def repro(workspace: Workspace, jobs: int | None = 1) -> int:
    """Do what `silverloom run` does, then run `dvc repro` over all stages. Returns 1 if either failed.

    DVC starts a process per stage, and loading the code takes seconds each time. So this process makes and
    commits the partitions first, and DVC only retries the stages that failed. `dvc repro` alone makes the
    same bytes more slowly. Before making anything, this checks for whatever DVC would fail at, wait for or
    overwrite, and raises an error.
    """
    check_versions(workspace)
    restore(workspace)
    check_lock(workspace)
    status = run(workspace, jobs=jobs)
    return subprocess.run(["dvc", "repro"], cwd=workspace.root, check=False).returncode or status


def stage(workspace: Workspace, name: str) -> int:
    """Bring one dataset up to date. Returns 1 and prints the causes if a partition is not fresh afterwards.

    It also returns 1 if one of the dataset's sources was rejected whole: DVC then does not run the stages
    that read the dataset.

    SILVERLOOM_FORCE=1 makes every partition again, because `dvc repro -f` cannot pass its flag to the
    command.
    """
    dataset = workspace.datasets[name]
    check_lock(workspace)  # DVC writes to it after the stage
    source_versions(workspace)  # as of now, to notice edits
    check_recorded_code(workspace, dataset)
    console = Console(stderr=True, soft_wrap=True)
    force = os.environ.get("SILVERLOOM_FORCE") == "1"
    before = View(workspace)
    wanted, tags = [(dataset, dataset.made_partitions)], tags_of_command(workspace)
    (report,) = bring_up_to_date(before, wanted, console, force, tags=tags)
    view = View(workspace)
    statuses = {partition: view.status(dataset, partition) for partition in dataset.made_partitions}
    stale = {partition: status.reasons for partition, status in statuses.items() if not status.fresh}
    for partition, reasons in stale.items():
        cause = report.failed.get(partition) or "; ".join(reasons)
        console.print(f"[red]not fresh[/] {label(dataset, partition)}: {escape(cause)}")
    check_unmoved(workspace)  # DVC records today's params, code and sources
    if not stale:
        metrics.write([dataset], view)
    # A store in a temporary folder is deleted with the folder.
    if report.made and (workspace.enclosing == workspace or not workspace.tracked_here):
        from silverloom.orchestration.dagster.health import made_by

        send_and_tell(workspace, [dataset], made_by)
    return 1 if tell_rejected(view, [dataset], console) or stale else 0


def check_recorded_code(workspace: Workspace, dataset: Dataset) -> None:
    """Raise MovedError if code.json, which DVC records, does not match the code that is running."""
    group, name = dataset.key.path
    try:
        written = json.loads((workspace.root / "code.json").read_bytes())[group][name]
    except (OSError, ValueError, LookupError, TypeError):
        written = None  # unreadable counts as out of date
    if written != dataset.code:
        raise MovedError(
            "code.json is out of date: run `dvc repro` without targets; its first stage writes it"
        )
