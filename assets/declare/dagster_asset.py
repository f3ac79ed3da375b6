"""What Dagster gets from a dataset: an asset with partitions, dependencies, checks and metadata.

Not here: declaring (dataset.py), when Dagster makes an asset by itself (conditions.py), how a partition is
made (the `store` resource: orchestration/partition/store.py).
"""

from __future__ import annotations

import contextlib
import inspect
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import dagster as dg
import pyarrow as pa

from silverloom.assets.declare.checks import ADVISORY, CHECKS, SOURCES
from silverloom.assets.declare.conditions import INPUTS_AT_REST, INPUTS_CHANGED
from silverloom.assets.declare.declaration import DECLARED, Dataset, Input, Key
from silverloom.assets.declare.params_file import ParamsError, settings
from silverloom.ops.core.outcome import meaning
from silverloom.ops.core.periods import after
from silverloom.ops.models.installed import ModelNotInstalledError


def partitions() -> dg.PartitionsDefinition[str]:
    """Return the partitions of params.yaml for Dagster: months (keys YYYY-MM), years (YYYY), or one."""
    chosen = settings().partitions
    if chosen.every == "none":
        return dg.StaticPartitionsDefinition(chosen.names)
    yearly = chosen.every == "year"
    return dg.TimeWindowPartitionsDefinition(
        cron_schedule="0 0 1 1 *" if yearly else "0 0 1 * *",
        fmt="%Y" if yearly else "%Y-%m",
        start=chosen.start,
        end=after(chosen.last, chosen.every),
    )


def asset_key(key: Key) -> dg.AssetKey:
    """Return the Dagster key of a dataset."""
    return dg.AssetKey([*key])


def source_key(records: str) -> dg.AssetKey:
    """Return the key of the source asset for the folders of `sources.<records>`."""
    return dg.AssetKey(["source_files", records])


def dagster_asset(dataset: Dataset, all_declared: bool = False) -> dg.AssetsDefinition:
    """Return the asset of a dataset. Its checks can run with it, or alone.

    `all_declared`: all datasets are declared, so the partitions that params.yaml excludes are known. The
    asset then does not depend on excluded partitions.
    """
    key, checks = asset_key(dataset.key), _checks(dataset)

    @dg.multi_asset(
        name="__".join(dataset.key.path),
        specs=[
            dg.AssetSpec(
                key,
                group_name=dataset.key.group,
                description=inspect.getdoc(dataset.function),
                deps=list(_deps(dataset, all_declared)),
                code_version=_code_version(dataset),
                metadata=_metadata(dataset),
                automation_condition=INPUTS_CHANGED if dataset.shape else INPUTS_AT_REST,
                kinds={"parquet" if dataset.shape else "html"},
            )
        ],
        check_specs=checks,
        partitions_def=partitions() if dataset.partitioned else None,
        required_resource_keys={"store"},
        can_subset=True,
        pool=_pool(dataset),
    )
    # No annotation: Dagster reads annotations at run time, and here they would be strings.
    def body(context):  # type: ignore[no-untyped-def]
        yield from context.resources.store.run(dataset, context)

    return body


def _pool(dataset: Dataset) -> str | None:
    """Return the pool of runs that share a GPU, or that ask the web; .dagster/dagster.yaml limits both."""
    if dataset.crawl:
        return "crawl"
    return "gpu" if dataset.trains or settings().engine.needs(dataset.name).gpus else None


def _deps(dataset: Dataset, all_declared: bool) -> Iterator[dg.AssetDep]:
    for source in dataset.inputs:
        yield dg.AssetDep(asset_key(source.key), partition_mapping=_mapping(source, all_declared))
    if dataset.records and settings().folders(dataset.records):
        yield dg.AssetDep(source_key(dataset.records))


def _code_version(dataset: Dataset) -> str | None:
    """Return the hash of code and params; None if one cannot be read; a run will report why."""
    with contextlib.suppress(ParamsError, ModelNotInstalledError):
        return dataset.code_version
    return None


def _metadata(dataset: Dataset) -> dict[str, Any]:
    columns = {"dagster/column_schema": _column_schema(dataset.shape.kept)} if dataset.shape else {}
    return {**columns, "dagster/code_references": _code_references(dataset.function)}


def column_lineage(dataset: Dataset) -> dict[str, dg.TableColumnLineage]:
    """Return the columns that come from columns of the dataset whose units this one consumes, as metadata.

    A column of the same name, type and meaning is that of the unit, and `source_ids` are ids of units. Others
    are not known.
    """
    consumed, _, nested = (dataset.consumes or "").partition(".")
    source = next((source.key for source in dataset.argument_inputs if source.argument == consumed), None)
    shape = DECLARED[source].shape if source else None
    if source is None or shape is None or dataset.shape is None:
        return {}
    carried = {
        field.name: field.name
        for field in dataset.shape.kept
        if field.name in shape.kept.names and shape.kept.field(field.name).equals(field, check_metadata=True)
    }
    origins = {**carried, "source_ids": nested or "id"}
    known = {
        name: [dg.TableColumnDep(asset_key(source), origin)]
        for name, origin in origins.items()
        if name != "id"
    }
    return {"dagster/column_lineage": dg.TableColumnLineage(known)}


def _code_references(function: Callable[..., Any]) -> dg.CodeReferencesMetadataValue:
    """Return the location of the asset function in this checkout."""
    source = inspect.getsourcefile(function)
    assert source is not None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dg.BetaWarning)
        place = dg.LocalFileCodeReference(
            file_path=source, line_number=function.__code__.co_firstlineno, label="where it is declared"
        )
        return dg.CodeReferencesMetadataValue(code_references=[place])


def _checks(dataset: Dataset) -> list[dg.AssetCheckSpec]:
    if not dataset.shape:
        return []
    with warnings.catch_warnings():
        # Partitioned checks are a preview in Dagster; without them, one partition's result hides the others'.
        warnings.simplefilter("ignore", dg.PreviewWarning)
        key = asset_key(dataset.key)
        of_partitions = [
            dg.AssetCheckSpec(
                name,
                asset=key,
                description=text,
                blocking=name not in ADVISORY,
                partitions_def=partitions() if dataset.partitioned else None,
            )
            for name, text in CHECKS.items()
        ]
        text = "Some record of every source was read, in all that is made so far. Does not block."
        of_sources = [dg.AssetCheckSpec(SOURCES, asset=key, description=text)] if dataset.records else []
        return [*of_partitions, *of_sources]


def _mapping(source: Input, all_declared: bool) -> dg.PartitionMapping | None:
    if not source.all_partitions:
        return None  # params.yaml may name a dataset that is declared later
    upstream = DECLARED[source.key]
    if not upstream.partitioned:
        return None
    # With AllPartitionMapping, Dagster would never call the reader stale; with named partitions it does.
    partitions = upstream.made_partitions if all_declared else upstream.partitions
    return dg.SpecificPartitionsPartitionMapping(partitions)


def _column_schema(schema: pa.Schema) -> dg.TableSchema:
    return dg.TableSchema(
        columns=[
            dg.TableColumn(
                field.name,
                _type_name(field.type),
                description=meaning(field) or None,
                constraints=dg.TableColumnConstraints(nullable=field.nullable),
            )
            for field in schema
        ]
    )


def _type_name(kind: pa.DataType) -> str:
    """Return a type in readable form; the column's description lists the fields of a struct."""
    if pa.types.is_list(kind):
        return f"list of {_type_name(kind.value_type)}"
    return "struct" if pa.types.is_struct(kind) else str(kind)
