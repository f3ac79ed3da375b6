"""Dagster's definitions: every asset with the resources that make it.

Belongs here: putting the pieces together. Not here: any of the pieces, and the definitions that Dagster's
servers load (definitions.py): the drivers build their own.
"""

from __future__ import annotations

import dagster as dg

import orchestration.catalogue  # noqa: F401  declares every asset
from assets.declare.dagster_asset import dagster_asset
from assets.declare.declaration import declarations
from orchestration.dagster.health import standing_check
from orchestration.dagster.schedules import hourly, newest_month
from orchestration.dagster.sensors import source_files
from orchestration.execute.materialise import Store
from orchestration.state.graph import datasets


def build_definitions(commit: bool = True) -> dg.Definitions:
    """Return the definitions; drivers that commit to dvc.lock themselves pass commit=False."""
    datasets()  # every section of params.yaml is checked before anything runs
    # Drivers of their own have their own loop and end; how things stand is asked through the browser.
    standing = [standing_check(dg.AssetKey(["quality", "pages"]))] if commit else []
    return dg.Definitions(
        assets=[dagster_asset(declaration) for declaration in declarations().values()],
        asset_checks=standing,
        schedules=[newest_month, *(hourly(check) for check in standing)] if commit else [],
        sensors=[source_files] if commit else [],
        resources={"store": Store(commit=commit)},
        executor=dg.in_process_executor,
    )
