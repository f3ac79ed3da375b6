"""What Dagster loads: all assets with their checks, schedules, sensors and resources.

Belongs here: putting these together. Not here: any of them (assets/, dagster/), and the runs of the project's
own commands (run/).
"""

import warnings
from collections.abc import Mapping

import dagster as dg

from orchestration import catalogue  # before assets: what is edited from here on is noticed

import assets  # isort: skip
from assets.declare.dagster_asset import asset_key, dagster_asset
from assets.declare.declaration import DECLARED
from orchestration.dagster.automation import hourly, newest_month, runs_to_mlflow, source_assets, source_files
from orchestration.dagster.health import health_check
from orchestration.partition.materialise import Store
from orchestration.workspace.workspace import Workspace


def build(
    workspace: Workspace, resources: Mapping[str, object] | None = None, with_health: bool = True
) -> dg.Definitions:
    """Return the definitions of a checkout; `resources` go before its own, by name.

    The check of health, which is one of the report's, can be left out: then it does not run with the report.
    """
    with warnings.catch_warnings():
        for kind in (dg.PreviewWarning, dg.BetaWarning):
            warnings.simplefilter("ignore", kind)
        found, sources = dg.load_definitions_from_package_module(assets), source_assets(workspace)
    absent = {asset_key(key) for key in DECLARED if key.to_user_string() not in workspace.datasets}
    pages = workspace.datasets["quality/pages"]  # made of the datasets that there are
    made_anew = list(workspace.datasets.values()) if workspace.settings.exclude else [pages]
    anew = {asset_key(dataset.key): dagster_asset(dataset, all_declared=True) for dataset in made_anew}
    left = absent | anew.keys()
    health = [health_check(workspace, asset_key(pages.key))] if with_health else []
    return dg.Definitions(
        assets=[
            *(asset for asset in found.assets or () if left.isdisjoint(getattr(asset, "keys", ()))),
            *anew.values(),
            *sources,
        ],
        asset_checks=[*(found.asset_checks or ()), *health],
        jobs=found.jobs,
        schedules=[*(found.schedules or ()), newest_month(workspace), *map(hourly, health)],
        sensors=[*(found.sensors or ()), source_files(workspace), runs_to_mlflow(workspace)],
        resources={"store": Store(workspace), **(resources or {})},
        executor=dg.in_process_executor,
    )


defs = build(catalogue.workspace())
