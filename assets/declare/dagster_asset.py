"""The Dagster asset of a declaration: partitions, dependencies, checks, and what its page in the UI says.

Belongs here: what Dagster is told. Not here: what is declared (declaration.py), and how a partition is made
and stored: that is the `store` resource (orchestration/execute/materialise.py).
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any, Protocol

import dagster as dg
import pyarrow as pa

from assets.declare.declaration import Declaration, Input, Key, declarations
from assets.declare.settings import settings
from ops.outcome import meaning
from ops.periods import after

CHECKS = {
    "conservation": "Every input unit is used, dropped or rejected, once, and none is lost.",
    "schema": "Every table has its declared columns, and no id is missing or there twice.",
    "expectations": "No row is what only a fault of the code can make it.",
    "warnings": "The rows look as they should, and like those of the former version. Does not block.",
}
#: What does not keep a partition from being made.
ADVISORY = frozenset({"warnings"})
#: A check more, of what reads sources. It is not one of partitions: a source may span many.
SOURCES = "sources"


class Maker(Protocol):
    """What makes a partition: the `store` resource of a run."""

    def make(self, declaration: Declaration, context: dg.AssetExecutionContext) -> dg.MaterializeResult[Any]:
        """Make one partition of a dataset and return what Dagster records of it."""
        ...


def months() -> dg.PartitionsDefinition[str]:
    """Return the partitions of params.yaml as Dagster's: months (keys YYYY-MM), years (YYYY), or one."""
    chosen = settings().partitions
    if chosen.every == "none":
        return dg.StaticPartitionsDefinition(chosen.months)
    yearly = chosen.every == "year"
    return dg.TimeWindowPartitionsDefinition(
        cron_schedule="0 0 1 1 *" if yearly else "0 0 1 * *",
        fmt="%Y" if yearly else "%Y-%m",
        start=chosen.start,
        end=after(chosen.end, chosen.every),
    )


def asset_key(key: Key) -> dg.AssetKey:
    """Return Dagster's key of a dataset."""
    return dg.AssetKey([*key])


def dagster_asset(declaration: Declaration) -> dg.AssetsDefinition:
    """Return the asset of a declaration."""
    checks = _checks(declaration)
    blocking = {spec.name for spec in checks if spec.blocking}

    # unannotated: Dagster takes the annotation as it stands, which here would be a string
    def body(context):  # type: ignore[no-untyped-def]
        maker: Maker = context.resources.store
        result = maker.make(declaration, context)
        results = result.check_results or ()
        failed = [check for check in results if check.check_name in blocking and not check.passed]
        if not failed:
            yield result
            return
        # With its materialisation, Dagster would show the partition as made.
        yield from results
        causes = "; ".join(f"check {check.check_name} failed: {check.description}" for check in failed)
        raise dg.Failure(f"not made: {causes}", metadata=result.metadata, allow_retries=False)

    body.__name__ = "__".join(declaration.key.path)
    return dg.asset(
        key=asset_key(declaration.key),
        group_name=declaration.key.path[0],
        description=declaration.function.__doc__,
        deps=[
            dg.AssetDep(asset_key(source.key), partition_mapping=_mapping(source))
            for source in declaration.inputs
        ],
        partitions_def=months() if declaration.partitioned else None,
        code_version=declaration.code_version,
        required_resource_keys={"store"},
        metadata=_metadata(declaration),
        check_specs=checks,
        kinds={"parquet" if declaration.shape else "html"},
    )(body)


def _metadata(declaration: Declaration) -> dict[str, Any]:
    columns = {"dagster/column_schema": _column_schema(declaration.shape.kept)} if declaration.shape else {}
    return {**columns, "dagster/code_references": _code_references(declaration.function)}


def _code_references(function: Callable[..., Any]) -> dg.CodeReferencesMetadataValue:
    """Return where the asset function stands, in this checkout as it is now."""
    source = inspect.getsourcefile(function)
    assert source is not None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dg.BetaWarning)
        place = dg.LocalFileCodeReference(
            file_path=source, line_number=inspect.getsourcelines(function)[1], label="where it is declared"
        )
        return dg.CodeReferencesMetadataValue(code_references=[place])


def _checks(declaration: Declaration) -> list[dg.AssetCheckSpec]:
    if not declaration.shape:
        return []
    with warnings.catch_warnings():
        # Checks of a partition are a preview in Dagster; without them a month's result hides the others'.
        warnings.simplefilter("ignore", dg.PreviewWarning)
        key = asset_key(declaration.key)
        of_partitions = [
            dg.AssetCheckSpec(
                name,
                asset=key,
                description=text,
                blocking=name not in ADVISORY,
                partitions_def=months() if declaration.partitioned else None,
            )
            for name, text in CHECKS.items()
        ]
        text = "Some record of every source was read, in all that is made so far. Does not block."
        of_sources = [dg.AssetCheckSpec(SOURCES, asset=key, description=text)] if declaration.records else []
        return [*of_partitions, *of_sources]


def _mapping(source: Input) -> dg.PartitionMapping | None:
    upstream = declarations()[source.key]
    if not upstream.partitioned or not source.all_months:
        return None
    # AllPartitionMapping would never let Dagster call the reader stale; naming the months does.
    return dg.SpecificPartitionsPartitionMapping(upstream.made_months)


def _column_schema(schema: pa.Schema) -> dg.TableSchema:
    return dg.TableSchema(
        columns=[
            dg.TableColumn(
                item.name,
                _type_name(item.type),
                description=meaning(item) or None,
                constraints=dg.TableColumnConstraints(nullable=item.nullable),
            )
            for item in schema
        ]
    )


def _type_name(kind: pa.DataType) -> str:
    """Return a type as people read it: the fields of a struct are told in the column's description."""
    if pa.types.is_list(kind):
        return f"list of {_type_name(kind.value_type)}"
    return "struct" if pa.types.is_struct(kind) else str(kind)
