"""How Dagster's UI shows the datasets: the groups of its graph, kinds, names of tables, and jobs.

Belongs here: what a person looks at. Not here: what a dataset's asset is and does
(assets/declare/dagster_asset.py), schedules and sensors (automation.py).
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterable
from datetime import timedelta
from functools import cache
from typing import Any

import dagster as dg

from silverloom.assets.declare.dagster_asset import asset_key
from silverloom.assets.declare.declaration import DECLARED, Dataset
from silverloom.assets.declare.params_file import ParamsError
from silverloom.assets.examples import example_of
from silverloom.ops.core.release import RELEASE_FILES
from silverloom.ops.models.installed import ModelNotInstalledError
from silverloom.orchestration.dagster.instance import logged
from silverloom.orchestration.messages import escaped
from silverloom.orchestration.workspace.workspace import Workspace

#: The second group of each system: models, their outputs, and what tables and people say of them.
EVALUATION = "evaluation"

#: The group of documents as they are read, and that of what is made of them for all systems.
SOURCES, FILTERED = "sources", "sources_filtered"

#: Packages whose icon an asset gets if its code uses them, the most telling first: the icon's name.
_ICONS = {"scrapy": "scrapy", "spacy": "spacy", "torch": "pytorch", "openai": "openai", "duckdb": "duckdb"}


@cache  # each partition of a run asks for it
def groups(workspace: Workspace) -> dict[dg.AssetKey, str]:
    """Return the group of each dataset.

    A system's own group leads from text to released rows; `<system>_evaluation` has everything else that is
    made from these. Sources are divided into documents and what filters and shared steps make of them.
    """
    graph, datasets = workspace.graph, workspace.datasets.values()
    files = [dataset for dataset in datasets if dataset.key.asset == RELEASE_FILES]
    released = {made.name for dataset in files for made in (dataset, *graph.ancestors(dataset))}
    systems = {dataset.key.group for dataset in files}

    def group(dataset: Dataset) -> str:
        if dataset.key.group == SOURCES and not dataset.records:
            return FILTERED
        evaluation = dataset.key.group in systems and dataset.name not in released
        return f"{dataset.key.group}_{EVALUATION}" if evaluation else dataset.key.group

    return {asset_key(dataset.key): group(dataset) for dataset in datasets}


def shown(workspace: Workspace, assets: Iterable[Any]) -> list[Any]:
    """Return the assets of datasets with their groups, kinds, tables and folders; others stay as they are."""
    group_of = groups(workspace)
    dataset_of = {asset_key(dataset.key): dataset for dataset in workspace.datasets.values()}

    def described(spec: dg.AssetSpec) -> dg.AssetSpec:
        if (dataset := dataset_of.get(spec.key)) is None:
            return spec
        owners = workspace.settings.owners
        more = spec.replace_attributes(description=_description(dataset)).merge_attributes(
            kinds=_kinds(dataset),
            metadata=_metadata(workspace, dataset),
            tags={"layer": _layer(dataset, group_of[spec.key])},
            owners=owners.get(dataset.name) or owners.get(dataset.key.group) or [],
        )
        return more.replace_attributes(
            group_name=group_of[spec.key], freshness_policy=_freshness(workspace, dataset)
        )

    # Dagster knows an asset that it finds twice by its object, so the others stay what they are.
    return [
        each.map_asset_specs(described)
        if isinstance(each, dg.AssetsDefinition) and not dataset_of.keys().isdisjoint(each.keys)
        else each
        for each in assets
    ]


def jobs(workspace: Workspace) -> list[dg.UnresolvedAssetJobDefinition]:
    """Return a job for each system, which makes its released files with all that they need, one for each
    evaluation, one for the reports, and `release` for the released files of all systems."""
    names = sorted({*groups(workspace).values()})
    selections: dict[str, dg.AssetSelection] = {name: dg.AssetSelection.groups(name) for name in names}
    files = [asset_key(made.key) for made in workspace.datasets.values() if made.key.asset == RELEASE_FILES]
    if files:
        selections.setdefault("release", dg.AssetSelection.assets(*files))
    return [
        dg.define_asset_job(name, selected.upstream(), config=logged() or None)
        for name, selected in selections.items()
    ]


def _description(dataset: Dataset) -> str:
    """Return what a dataset is, and a row of the sample."""
    row = {
        column: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for column, value in (example_of(dataset) or {}).items()
    }
    lines = [f"- **{column}**: {escaped(value)}" for column, value in row.items()]
    return "\n".join(
        [inspect.getdoc(dataset.function) or "", *(["\nA row of the sample:\n", *lines] if lines else [])]
    )


def _layer(dataset: Dataset, group: str) -> str:
    """Return what a dataset is for, as a tag to filter the graph by."""
    if dataset.shape is None:
        return "report"
    if dataset.key.asset == RELEASE_FILES:
        return "released"
    if dataset.trains:
        return "model"
    if group.endswith(f"_{EVALUATION}"):
        return "evaluation"
    if group == FILTERED:
        return "filtered"
    return "raw" if dataset.records else "step"


def _freshness(workspace: Workspace, dataset: Dataset) -> dg.FreshnessPolicy | None:
    """Return how old released files may be where partitions follow the sources; others are never too old."""
    chosen = workspace.settings.partitions
    if dataset.key.asset != RELEASE_FILES or not chosen.follows_sources:
        return None
    period = timedelta(days=366 if chosen.every == "year" else 31)
    return dg.FreshnessPolicy.time_window(fail_window=2 * period, warn_window=1.25 * period)


def _kinds(dataset: Dataset) -> set[str]:
    """Return at most two icons besides that of the files, since Dagster shows three. A network counts only
    where a model is used or trained: much code can load one."""
    try:
        code = dataset.code if dataset.shape else {}
    except (ParamsError, ModelNotInstalledError):  # a run says so
        return set()
    networks = {"spacy", "torch"}
    models = [*code.get("models", ()), *(source for source in (dataset, *_read(dataset)) if source.trains)]
    used = [name for name in _ICONS if name in code.get("packages", ()) and (models or name not in networks)]
    return {_ICONS[name] for name in used[:2]}


def _read(dataset: Dataset) -> list[Dataset]:
    return [DECLARED[source.key] for source in dataset.inputs]


def _metadata(workspace: Workspace, dataset: Dataset) -> dict[str, Any]:
    if dataset.shape is None:
        return {}
    folder = workspace.folder(dataset).absolute()
    return {"dagster/table_name": ".".join(dataset.key.path), "dagster/uri": folder.as_uri()}
