"""What Dagster loads: all assets with their checks, schedules, sensors and resources.

Belongs here: assembling these, with any Definitions in assets/, and the report of all datasets. Not here: the
parts themselves (assets/, dagster/), and the runs of the project's own commands (run/).
"""

import sys
import warnings
from collections.abc import Mapping
from functools import cache

from silverloom.orchestration.process import prepare

prepare()

import dagster as dg

import silverloom.assets.systems
from silverloom.assets.declare import code
from silverloom.assets.declare.dagster_asset import asset_key, dagster_asset
from silverloom.assets.declare.dataset import report
from silverloom.assets.declare.declaration import DECLARED
from silverloom.assets.declare.graph import Everything, Files
from silverloom.assets.declare.params_file import document
from silverloom.orchestration.dagster.alerts import alerts
from silverloom.orchestration.dagster.automation import (
    health_check,
    hourly,
    newest_partition,
    sensors,
    source_assets,
)
from silverloom.orchestration.dagster.frames import rows
from silverloom.orchestration.dagster.instance import as_json
from silverloom.orchestration.dagster.overview import jobs, shown
from silverloom.orchestration.partition.store import Store
from silverloom.orchestration.state.sources import follow_sources
from silverloom.orchestration.workspace.workspace import Workspace


# Not in assets/, which must not import pages: a report's code version covers everything its function reaches,
# so a report that got its renderer as an argument would stay fresh when the pages change.
@report(group="quality")
def pages(everything: Everything) -> Files:
    """Data-quality pages of every dataset: funnels, distributions, rows and their origins, thresholds."""
    from silverloom.pages.site import site

    return site(everything)


code.keep()


@cache
def workspace() -> Workspace:
    """Return this checkout with all its assets.

    Raises ParamsError if params.yaml does not fit them, and SourceError if partitions follow a source that
    cannot be read.
    """
    current = Workspace.here()
    follow_sources(current)
    current.graph.check(document(), current.settings)
    return current


def build(
    workspace: Workspace, resources: Mapping[str, object] | None = None, with_health: bool = True
) -> dg.Definitions:
    """Return the definitions of a checkout, merged with those in assets/. `resources` override them, by name.

    Without `with_health`, the health check, which is attached to the report, does not run along with it.
    Raises ValueError if two of the definitions contradict each other.
    """
    with warnings.catch_warnings():
        for kind in (dg.PreviewWarning, dg.BetaWarning):
            warnings.simplefilter("ignore", kind)
        loaded, sources = dg.load_definitions_from_package_module(silverloom.assets), source_assets(workspace)
    ours = dg.Definitions(resources={"store": Store(workspace), "rows": rows(workspace)})
    try:
        merged = dg.Definitions.merge(ours, loaded, *_plain_definitions())
    except dg.DagsterInvariantViolationError as error:
        raise ValueError(f"the Definitions in assets/ contradict each other: {error}") from error
    absent = {asset_key(key) for key in DECLARED if key.to_user_string() not in workspace.datasets}
    pages = workspace.datasets["quality/pages"]  # it reads the datasets that exist
    # Assets were declared before all datasets were known, which say what is excluded and which months exist.
    chosen = workspace.settings
    whole = bool(chosen.exclude) or chosen.partitions.follows_sources
    made_anew = list(workspace.datasets.values()) if whole else [pages]
    anew = {asset_key(dataset.key): dagster_asset(dataset, all_declared=True) for dataset in made_anew}
    left = absent | anew.keys()
    health = [health_check(workspace, asset_key(pages.key))] if with_health else []
    kept = [asset for asset in merged.assets or () if left.isdisjoint(getattr(asset, "keys", ()))]
    return dg.Definitions(
        assets=[*shown(workspace, [*kept, *anew.values()]), *sources],
        asset_checks=[*(merged.asset_checks or ()), *health],
        jobs=[*(merged.jobs or ()), *jobs(workspace)],
        schedules=[*(merged.schedules or ()), newest_partition(workspace), *map(hourly, health)],
        sensors=[*(merged.sensors or ()), *sensors(workspace), *alerts(workspace)],
        resources={**(merged.resources or {}), **(resources or {})},
        executor=merged.executor or dg.in_process_executor,
        loggers=({"console": dg.json_console_logger} if as_json() else {}) | {**(merged.loggers or {})}
        or None,
    )


def _plain_definitions() -> list[dg.Definitions]:
    """Return the Definitions in modules of assets/.

    Dagster's loader finds what lies in a module by itself, but not what only a Definitions object holds.
    """
    names = sorted(name for name in sys.modules if name.startswith("silverloom.assets."))
    values = (value for name in names for value in vars(sys.modules[name]).values())
    return [value for value in values if isinstance(value, dg.Definitions)]


defs = build(workspace())
