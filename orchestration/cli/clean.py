"""`silverloom clean`: remove what nothing needs any more from Dagster, MLflow and DVC's cache.

Belongs here: what is removed, in which order, and saying so. Not here: which runs of Dagster are needed
(dagster/past_runs.py); ticks, which Dagster purges itself (.dagster/dagster.yaml).
"""

from __future__ import annotations

import os
import subprocess
import sys

from silverloom.orchestration.dagster.instance import dagster_errors, instance
from silverloom.orchestration.dagster.past_runs import old_runs
from silverloom.orchestration.messages import number_of
from silverloom.orchestration.mlflow.store import ARTIFACTS
from silverloom.orchestration.state.dvc_files import cache_folder
from silverloom.orchestration.workspace.workspace import Workspace


def clean(workspace: Workspace, days: int, delete: bool) -> int:
    """Remove old failed runs and more, or only say so. Returns the first nonzero status of a tool.

    Of DVC's cache stays what the workspace, any commit and experiments name; a cache outside of the project,
    which others may share, stays whole. MLflow's deleted runs are removed if its store is this checkout's.
    """
    ending = "removed" if delete else "would be removed"
    runs = old_runs(workspace, days)
    if delete:
        with dagster_errors():
            for run in runs:
                instance().delete_run(run)
    print(f"Dagster: {number_of(len(runs), 'failed run')} {ending}", flush=True)
    cache = cache_folder(workspace.root).resolve()
    if not cache.is_relative_to(workspace.root.resolve()):
        print(f"DVC's cache: left as it is, because other projects may share it: {cache}", flush=True)
    else:
        print("DVC's cache: looking for what no commit names; minutes in a long history", flush=True)
        found = _collect(workspace, "--dry")  # only this lists the files
        removed = _collect(workspace) if delete and not found.returncode else found
        if removed.returncode:  # DVC said why
            return removed.returncode
        files = sum(line.startswith("Removing ") for line in found.stdout.splitlines())
        print(f"DVC's cache: {number_of(files, 'file')} {ending}", flush=True)
    if not (workspace.tracked_here and workspace.mlflow_store.exists()):
        return 0
    if not delete:
        print(f"MLflow: runs that were deleted more than {number_of(days, 'day')} ago {ending}")
        return 0
    artifacts = str(workspace.mlflow_store.with_name(ARTIFACTS))
    store = ("--backend-store-uri", workspace.tracking_uri, "--artifacts-destination", artifacts)
    mlflow = (sys.executable, "-m", "mlflow", "gc", *store, "--older-than", f"{days}d")
    environment = {**os.environ, "MLFLOW_TRACKING_URI": workspace.tracking_uri}
    done = subprocess.run(
        mlflow, cwd=workspace.root, env=environment, capture_output=True, text=True, check=False
    )
    *_, last = done.stderr.splitlines() or [""] if done.returncode else ["removed what was deleted"]
    print(f"MLflow: {last}", flush=True)
    return done.returncode


def _collect(workspace: Workspace, *options: str) -> subprocess.CompletedProcess[str]:
    keep = ("--all-commits", "--all-experiments")  # and the workspace, which these imply
    command = [sys.executable, "-m", "dvc", "gc", *keep, "--force", *options]
    return subprocess.run(command, cwd=workspace.root, stdout=subprocess.PIPE, text=True, check=False)
