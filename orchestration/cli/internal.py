"""Commands that programs run: DVC stages, Dagster's sensors, and the servers of `silverloom ui`.

Belongs here: hidden commands, each run in its own process. Not here: commands that people type (app.py).
"""

from __future__ import annotations

from pathlib import Path

from silverloom.orchestration.cli.command import command
from silverloom.orchestration.workspace.workspace import Workspace


@command(hidden=True)
def stage(workspace: Workspace, dataset: str) -> int:
    """Bring one dataset up to date, as a stage of dvc.yaml."""
    from silverloom.orchestration.run.stage import stage

    return stage(workspace, dataset)


@command(hidden=True)
def code(workspace: Workspace) -> None:
    """Write code.json, unless the code is being edited or dvc.lock is damaged."""
    from silverloom.orchestration.dvc.stages import write_code
    from silverloom.orchestration.files.edits import check_unmoved
    from silverloom.orchestration.state.dvc_files import check_lock

    check_lock(workspace)
    write_code(workspace)
    check_unmoved(workspace)


@command(hidden=True, assets=False)
def serve_dagster(workspace: Workspace, port: int, locations: Path) -> None:
    """Serve Dagster's webserver for the code locations of a workspace.yaml."""
    from silverloom.orchestration.serve.request_guard import serve_dagster

    serve_dagster(port, locations)


@command(hidden=True, assets=False)
def serve_pages(workspace: Workspace, port: int) -> None:
    """Serve the data-quality pages."""
    from silverloom.orchestration.serve import request_guard
    from silverloom.orchestration.serve.web import application

    request_guard.serve(application(workspace), port, linked="/.*")


@command(hidden=True, assets=False)
def serve_mlflow(workspace: Workspace, port: int) -> None:
    """Serve MLflow."""
    from silverloom.orchestration.mlflow.store import serve

    serve(workspace, port)
