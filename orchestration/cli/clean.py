"""`silverloom clean`: remove what nothing needs any more from Dagster, MLflow and DVC's cache.

Belongs here: what is removed, in which order, and saying so. Not here: which runs of Dagster are needed
(dagster/past_runs.py); ticks, which Dagster purges itself (.dagster/dagster.yaml).
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

from silverloom.orchestration.dagster.instance import dagster_errors, instance
from silverloom.orchestration.dagster.past_runs import old_runs
from silverloom.orchestration.mlflow.store import ARTIFACTS
from silverloom.orchestration.workspace.workspace import Workspace


def clean(workspace: Workspace, days: int, delete: bool) -> int:
    """Remove old runs, or only say what would be removed. Returns the first nonzero status of a tool.

    Of DVC's cache stays what the workspace, the branches and the tags name. MLflow's deleted runs are removed
    if its store is this checkout's.
    """
    runs = old_runs(workspace, days)
    if delete:
        with dagster_errors():
            for run in runs:
                instance().delete_run(run)
    print(f"Dagster: {len(runs)} runs {'removed' if delete else 'would be removed'}", flush=True)
    # DVC asks nothing with --force; with --dry it changes nothing
    commands = [("dvc", "gc", "--all-branches", "--all-tags", "--force", *(() if delete else ("--dry",)))]
    if workspace.tracked_here and workspace.mlflow_store.exists():
        store = ("--backend-store-uri", workspace.tracking_uri)
        artifacts = ("--artifacts-destination", str(workspace.mlflow_store.with_name(ARTIFACTS)))
        mlflow = (sys.executable, "-m", "mlflow", "gc", *store, *artifacts, "--older-than", f"{days}d")
        commands += [mlflow] if delete else []
    return next(filter(None, (_run(workspace, command) for command in commands)), 0)


def _run(workspace: Workspace, command: Sequence[str]) -> int:
    return subprocess.run(command, cwd=workspace.root, check=False).returncode
