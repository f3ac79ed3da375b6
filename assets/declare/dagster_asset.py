"""The Dagster asset of a declaration: partitions, dependencies, checks, and what its page in the UI says.

Belongs here: what Dagster is told. Not here: what is declared (declaration.py), and how a partition is made
and stored: that is the `store` resource (orchestration/partition/materialise.py).
"""

from __future__ import annotations

import contextlib
import inspect
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, TypeAlias

import dagster as dg
import pyarrow as pa

from assets.declare.declaration import Declaration, Input, Key, declarations
from assets.declare.settings import ParamsError, settings
from ops.core.outcome import meaning
from ops.core.periods import after
from ops.models.installed import ModelNotInstalledError

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
    """What makes and checks a partition: the `store` resource of a run."""

    def make(self, declaration: Declaration, context: dg.AssetExecutionContext) -> dg.MaterializeResult[Any]:
        """Make one partition of a dataset and return what Dagster records of it."""
        ...

    def check(
        self, declaration: Declaration, context: dg.AssetExecutionContext
    ) -> Iterable[dg.AssetCheckResult]:
        """Evaluate the checks of one partition as it is on disk; none of it is made."""
        ...


def partitions() -> dg.PartitionsDefinition[str]:
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


def source_key(records: str) -> dg.AssetKey:
    """Return the key of the source asset that stands for the folders of `sources.<records>`."""
    return dg.AssetKey(["source_files", records])


def dagster_asset(declaration: Declaration, all_declared: bool = False) -> dg.AssetsDefinition:
    """Return the asset of a declaration. Its checks can be run with it, or alone.

    Once all datasets are declared, months that params.yaml excludes are known, and no upstream partitions.
    """
    key, checks = asset_key(declaration.key), _checks(declaration)

    @dg.multi_asset(
        name="__".join(declaration.key.path),
        specs=[
            dg.AssetSpec(
                key,
                group_name=declaration.key.group,
                description=declaration.function.__doc__,
                deps=list(_deps(declaration, all_declared)),
                code_version=_code_version(declaration),
                metadata=_metadata(declaration),
                automation_condition=INPUTS_CHANGED,
                kinds={"parquet" if declaration.shape else "html"},
            )
        ],
        check_specs=checks,
        partitions_def=partitions() if declaration.partitioned else None,
        required_resource_keys={"store"},
        can_subset=True,
    )
    # unannotated: Dagster takes the annotation as it stands, which here would be a string
    def body(context):  # type: ignore[no-untyped-def]
        maker: Maker = context.resources.store
        made = maker.make(declaration, context) if key in context.selected_asset_keys else None
        chosen = {check.name for check in context.selected_asset_check_keys}
        found = list(made.check_results or () if made else maker.check(declaration, context))
        results = [result for result in found if result.check_name in chosen]
        blocking = {spec.name for spec in checks if spec.blocking}
        failed = [result for result in found if result.check_name in blocking and not result.passed]
        if made and not failed:
            yield dg.MaterializeResult(
                asset_key=key, data_version=made.data_version, metadata=made.metadata, check_results=results
            )
            return
        yield from results
        if failed:  # with its materialisation, Dagster would show the partition as made
            causes = "; ".join(f"check {result.check_name} failed: {result.description}" for result in failed)
            raise dg.Failure(
                f"not made: {causes}" if made else causes,
                metadata=made.metadata if made else None,
                allow_retries=False,
            )

    return body


def _deps(declaration: Declaration, all_declared: bool) -> Iterator[dg.AssetDep]:
    for source in declaration.inputs:
        yield dg.AssetDep(asset_key(source.key), partition_mapping=_mapping(source, all_declared))
    if declaration.records and settings().folders(declaration.records):
        yield dg.AssetDep(source_key(declaration.records))


def _code_version(declaration: Declaration) -> str | None:
    """Return the hash of code and params; None where one cannot be read, as a run will say."""
    with contextlib.suppress(ParamsError, ModelNotInstalledError):
        return declaration.code_version
    return None


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
            file_path=source, line_number=function.__code__.co_firstlineno, label="where it is declared"
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
                partitions_def=partitions() if declaration.partitioned else None,
            )
            for name, text in CHECKS.items()
        ]
        text = "Some record of every source was read, in all that is made so far. Does not block."
        of_sources = [dg.AssetCheckSpec(SOURCES, asset=key, description=text)] if declaration.records else []
        return [*of_partitions, *of_sources]


def _mapping(source: Input, all_declared: bool) -> dg.PartitionMapping | None:
    if not source.all_partitions:
        return None  # params.yaml may name a dataset that is declared later
    upstream = declarations()[source.key]
    if not upstream.partitioned:
        return None
    # AllPartitionMapping would never let Dagster call the reader stale; naming the months does.
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
    """Return a type as people read it: the fields of a struct are told in the column's description."""
    if pa.types.is_list(kind):
        return f"list of {_type_name(kind.value_type)}"
    return "struct" if pa.types.is_struct(kind) else str(kind)


Condition: TypeAlias = dg.AutomationCondition[dg.AssetKey | dg.AssetCheckKey]

#: How many steps up the graph a partition waits for what is being made: each takes longer to evaluate.
_STEPS_UP = 3


#: A change is done with once the partition is requested, however that ends: one that fails waits for the next
#: change. A partition that was made by hand meanwhile is requested all the same, and found fresh.
_PENDING = dg.AutomationCondition.any_deps_match(dg.AutomationCondition.data_version_changed()).since(
    dg.AutomationCondition.newly_requested() | dg.AutomationCondition.initial_evaluation()
)


def _unsettled(steps: int = _STEPS_UP) -> Condition:
    """Something above is to be made or being made, or its last attempt failed."""
    here = _PENDING | dg.AutomationCondition.in_progress() | dg.AutomationCondition.execution_failed()
    return dg.AutomationCondition.any_deps_match(here | _unsettled(steps - 1) if steps > 1 else here)


INPUTS_CHANGED = (
    _PENDING.with_label("a dependency has another data version")
    & (~dg.AutomationCondition.any_deps_missing()).with_label("none is missing")
    & (~_unsettled()).with_label("none is to be made, or failed")
    & ~dg.AutomationCondition.in_progress()
).with_label("inputs changed")
