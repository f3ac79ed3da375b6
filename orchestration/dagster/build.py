"""Dagster's definitions: every asset with the resources that make it.

Belongs here: putting the pieces together, and what lies in assets/plain. Not here: any of the pieces, and the
definitions that Dagster's servers load (definitions.py): the drivers build their own.
"""

from __future__ import annotations

import warnings

import dagster as dg

import assets.plain
from assets.declare.dagster_asset import dagster_asset
from orchestration.dagster.automation import hourly, newest_month, runs_to_mlflow, source_files
from orchestration.dagster.health import health_check
from orchestration.execute.materialise import Store
from orchestration.workspace.workspace import Workspace


def build_definitions(workspace: Workspace, commit: bool = True) -> dg.Definitions:
    """Return the definitions; drivers that commit to dvc.lock themselves pass commit=False."""
    # Drivers of their own have their own loop and end; health is asked for through the browser.
    health = [health_check(workspace, dg.AssetKey(["quality", "pages"]))] if commit else []
    return dg.Definitions(
        assets=[dagster_asset(dataset) for dataset in workspace.datasets.values()],
        asset_checks=health,
        schedules=[newest_month(workspace), *(hourly(check) for check in health)] if commit else [],
        sensors=[source_files(workspace), runs_to_mlflow(workspace)] if commit else [],
        resources={"store": Store(workspace, commit)},
        executor=dg.in_process_executor,
    )


def plain_definitions() -> dg.Definitions:
    """Return what the modules of assets/plain define: of Dagster's own kind, and for Dagster alone."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dg.PreviewWarning)
        return dg.load_definitions_from_package_module(assets.plain)
