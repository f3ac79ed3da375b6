"""What Dagster loads: all assets with their checks, schedules, sensors and resources.

Belongs here: assembling these, and the report of all datasets. Not here: the parts themselves (assets/,
dagster/), and the runs of the project's own commands (run/).
"""

import warnings
from collections.abc import Mapping
from functools import cache

import dagster as dg

import assets.systems
from assets.declare import code
from assets.declare.dataset import asset_key, dagster_asset, report
from assets.declare.declaration import DECLARED
from assets.declare.graph import Everything, Files
from assets.declare.settings import document
from orchestration.dagster.automation import (
    health_check,
    hourly,
    newest_partition,
    runs_to_mlflow,
    source_assets,
    source_files,
)
from orchestration.partition.materialise import Store
from orchestration.state.sources import follow_sources
from orchestration.workspace.workspace import Workspace


# Not in assets/, which must not import pages: a report's code version covers everything its function reaches,
# so a report that got its renderer as an argument would stay fresh when the pages change.
@report(group="quality")
def pages(everything: Everything) -> Files:
    """Data-quality pages of every dataset: funnels, distributions, rows and their origins, thresholds."""
    from orchestration.files.identity import folder_hashes, version
    from pages.site import site

    return site(everything, lambda folder: version(folder_hashes(folder)))


code.keep()


@cache
def workspace() -> Workspace:
    """Return this checkout with all its assets.

    Raises ParamsError if params.yaml does not fit them, and SourceError if partitions follow a source that
    cannot be read.
    """
    found = Workspace.here()
    follow_sources(found)
    found.graph.check(document(), found.settings)
    return found


def build(
    workspace: Workspace, resources: Mapping[str, object] | None = None, with_health: bool = True
) -> dg.Definitions:
    """Return the definitions of a checkout. `resources` override its own, by name.

    Without `with_health`, the health check, which is attached to the report, does not run along with it.
    """
    with warnings.catch_warnings():
        for kind in (dg.PreviewWarning, dg.BetaWarning):
            warnings.simplefilter("ignore", kind)
        found, sources = dg.load_definitions_from_package_module(assets), source_assets(workspace)
    absent = {asset_key(key) for key in DECLARED if key.to_user_string() not in workspace.datasets}
    pages = workspace.datasets["quality/pages"]  # it reads the datasets that exist
    # Assets were declared before all datasets were known, which say what is excluded and which months exist.
    chosen = workspace.settings
    whole = bool(chosen.exclude) or chosen.partitions.follows_sources
    made_anew = list(workspace.datasets.values()) if whole else [pages]
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
        schedules=[*(found.schedules or ()), newest_partition(workspace), *map(hourly, health)],
        sensors=[*(found.sensors or ()), source_files(workspace), runs_to_mlflow(workspace)],
        resources={"store": Store(workspace), **(resources or {})},
        executor=dg.in_process_executor,
    )


defs = build(workspace())
