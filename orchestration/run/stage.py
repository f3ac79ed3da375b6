"""`silverloom repro`, and what a stage of dvc.yaml runs: one dataset brought up to date, nothing committed.

Belongs here: what comes before `dvc repro`, and `silverloom stage group/dataset`. Not here: dvc.lock, which
a run commits, and DVC itself writes after each stage.
"""

from __future__ import annotations

import json
import os
import subprocess

from rich.console import Console
from rich.markup import escape

from assets.declare.declaration import Declaration
from assets.declare.graph import label
from orchestration.dvc import metrics
from orchestration.dvc.stages import restore
from orchestration.files.identity import MovedError, check_unmoved, input_snapshot
from orchestration.mlflow.send import send_and_tell
from orchestration.run.drive import run
from orchestration.run.loop import bring_up_to_date
from orchestration.run.summary import tell_rejected
from orchestration.state.dvc_files import check_lock
from orchestration.state.freshness import View
from orchestration.state.sources import check_versions
from orchestration.workspace.workspace import Workspace


def repro(workspace: Workspace, jobs: int | None = 1) -> int:
    """Do what `silverloom run` does, then let `dvc repro` look at every stage; return 1 if either failed.

    DVC starts a process for every stage, and what makes partitions takes seconds to load. So they are made
    and committed here, in one process; DVC tries stages of what failed again. `dvc repro` alone makes the
    same bytes, but slower. Raises, before anything is made, what DVC fails at, waits for, or would write
    over.
    """
    check_versions(workspace)
    restore(workspace)
    check_lock(workspace)
    status = run(workspace, jobs=jobs)
    return subprocess.run(["dvc", "repro"], cwd=workspace.root, check=False).returncode or status


def stage(workspace: Workspace, name: str) -> int:
    """Bring one dataset up to date; 1, with the causes, when any of its partitions is not fresh after.

    So it ends, too, when a source of it was rejected whole: what reads the dataset waits then, as DVC has it.

    SILVERLOOM_FORCE=1 makes every partition again: `dvc repro -f` cannot tell the command that it is forced.
    """
    if name not in workspace.datasets:
        raise ValueError(f"no dataset is called {name!r}; known: {', '.join(workspace.datasets)}")
    dataset = workspace.datasets[name]
    check_lock(workspace)  # DVC writes into it after the stage
    input_snapshot(workspace)
    check_recorded_code(workspace, dataset)
    console = Console(stderr=True, soft_wrap=True)
    force = os.environ.get("SILVERLOOM_FORCE") == "1"
    before = View(workspace)
    (report,) = bring_up_to_date(before, [(dataset, dataset.made_partitions)], console, force)
    view = View(workspace)
    statuses = {partition: view.status(dataset, partition) for partition in dataset.made_partitions}
    stale = {partition: status.reasons for partition, status in statuses.items() if not status.fresh}
    for partition, reasons in stale.items():
        cause = report.failed.get(partition) or "; ".join(reasons)
        console.print(f"[red]not fresh[/] {label(dataset, partition)}: {escape(cause)}")
    check_unmoved(workspace)  # DVC records the params, code and sources of now
    check_recorded_code(workspace, dataset)
    if not stale:
        metrics.write(dataset, view)
    # The store of a temporary folder goes with it.
    sends = workspace.enclosing == workspace or not workspace.tracked_here
    if sends and (report.made or report.failed):
        send_and_tell(workspace.enclosing)
    return 1 if tell_rejected(view, [dataset], console) or stale else 0


def check_recorded_code(workspace: Workspace, dataset: Declaration) -> None:
    """Raise MovedError where code.json, which DVC records, is not the code that runs."""
    group, name = dataset.key.path
    try:
        written = json.loads((workspace.root / "code.json").read_bytes())[group][name]
    except (OSError, ValueError, LookupError, TypeError):
        written = None  # what cannot be read is not today's either
    if written != dataset.code:
        raise MovedError("code.json is not today's: run all of `dvc repro`, whose first stage writes it")
