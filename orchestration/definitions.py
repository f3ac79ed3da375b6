"""What Dagster loads: all assets with their checks, schedules, sensors and resources.

Belongs here: assembling these, with any Definitions in assets/, and the report of all datasets. Not here: the
parts themselves (assets/, dagster/), and the runs of the project's own commands (run/).
"""

import sys
import warnings
from collections.abc import Iterator, Mapping
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
    plain = _plain_definitions()
    _check_conflicts({"silverloom": ours, **plain})
    merged = dg.Definitions.merge(ours, loaded, *plain.values())
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
        loggers=merged.loggers or ({"console": dg.json_console_logger} if as_json() else None),
    )


def _plain_definitions() -> dict[str, dg.Definitions]:
    """Return the Definitions in modules of assets/, by module and name.

    Dagster's loader finds what lies in a module by itself, but not what only a Definitions object holds.
    """
    modules = [
        (name, module)
        for name, module in sorted(sys.modules.items())
        if name.startswith("silverloom.assets.")
    ]
    return {
        f"{name}.{attribute}": value
        for name, module in modules
        for attribute, value in vars(module).items()
        if isinstance(value, dg.Definitions)
    }


def _check_conflicts(definitions: Mapping[str, dg.Definitions]) -> None:
    """Raise ValueError if two Definitions have different resources or loggers of one name, or executors."""
    known: dict[str, tuple[str, object]] = {}
    for owner, parts in definitions.items():
        for name, value in _unique_parts(parts):
            other, former = known.setdefault(name, (owner, value))
            if former is not value:
                raise ValueError(f"{owner} and {other} both define {name}: rename or remove one")


def _unique_parts(definitions: dg.Definitions) -> Iterator[tuple[str, object]]:
    """Yield what a code location has only one of, with its name."""
    for name, resource in (definitions.resources or {}).items():
        yield f"the resource `{name}`", resource
    for name, logger in (definitions.loggers or {}).items():
        yield f"the logger `{name}`", logger
    if definitions.executor is not None:
        yield "the executor", definitions.executor


defs = build(workspace())
