"""Whether a partition's rows are as expected: the checks `expectations` (blocking) and `warnings`.

Belongs here: validating a partition with Great Expectations, recording the results and describing them. Not
here: measures of rows (ops/core/row_measures.py), failing rows and the history of validations (history.py),
and what a failed check prevents (partition/materialise.py). Great Expectations takes seconds to load, so only
validation loads it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dagster as dg
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from assets.declare.declaration import Declaration
from assets.declare.expectations import THIS_PARTITION, Expectation, Severity, Suite, suite_version
from ops.core.parts import TABLES, part_files
from ops.core.row_measures import measured
from orchestration.checks import history
from orchestration.checks.conservation import Finding
from orchestration.checks.history import Result, drop_failing, keep_failing
from orchestration.files.full_disk import DiskFullError
from orchestration.messages import describe, markdown_table
from orchestration.state.freshness import Manifest, read_manifest
from orchestration.workspace.workspace import Workspace

if TYPE_CHECKING:
    import great_expectations as gx

#: Result formats: first counts for all expectations, then failing rows for the violated ones only. Finding
#: rows takes a third of the time of validating a small partition.
_COUNTS = {"result_format": "BASIC"}
_ROWS = {"result_format": "COMPLETE", "return_unexpected_index_query": False}
_SEVERITY = {"error": "critical", "warning": "warning"}
_SHOWN = 200


@dataclass(frozen=True)
class Validation:
    """The validation results of a partition."""

    results: tuple[Result, ...]

    def failed(self, severity: Severity) -> list[Result]:
        """Return the failed results of a severity."""
        return [result for result in self.results if not result.passed and result.severity == severity]


def validate(
    folder: Path, expectations: Suite, comparison: Mapping[str, float | None], partition: str
) -> Validation:
    """Validate the tables of a partition. `comparison` is the single row of the table `counts`.

    An expectation that Great Expectations cannot evaluate counts as failed. Memory holds the columns that the
    suite reads, or their measures, and one part file. Raises ValueError for an expectation that Great
    Expectations does not know.
    """
    results: list[Result] = []
    for table in sorted({expectation.table for expectation in expectations}):
        chosen = [expectation for expectation in expectations if expectation.table == table]
        rows = _row(comparison) if table == "counts" else _columns(folder, table, chosen)
        results += _evaluated_once(chosen, partition, rows)
    return Validation(tuple(results))


def suite(name: str, expectations: Suite, partition: str) -> gx.ExpectationSuite:
    """Return the suite for one partition. The `name` in an expectation's `meta` identifies it.

    Raises ValueError for expectations that Great Expectations does not know.
    """
    import great_expectations as gx

    made = [_expectation(expectation, partition) for expectation in expectations]
    return gx.ExpectationSuite(name=name, expectations=made)


def _expectation(expectation: Expectation, partition: str) -> Any:
    """Return Great Expectations' object for an expectation: its class is named after the type."""
    import great_expectations.expectations as types

    arguments = {
        word: [partition if entry == THIS_PARTITION else entry for entry in value]
        if isinstance(value, list)
        else value
        for word, value in expectation.arguments.items()
    }
    name = "".join(word.capitalize() for word in expectation.type.split("_"))
    try:
        made: Any = getattr(types, name)(
            **arguments, meta={"name": expectation.name}, severity=_SEVERITY[expectation.severity]
        )
    except (AttributeError, TypeError, ValueError) as error:
        raise ValueError(
            f"Great Expectations refuses the type or arguments of {expectation.name}: {error}"
        ) from error
    return made


_evaluated: dict[str, list[Result]] = {}
#: What this process has found to be met: an expectation, with everything in its column that decides it.
_met: set[tuple[Any, ...]] = set()


def _evaluated_once(expectations: Suite, partition: str, rows: pa.Table) -> list[Result]:
    """Evaluate expectations, reusing this process's results for equal content.

    Great Expectations takes 5 ms per expectation, and small partitions repeat themselves: tables with at most
    one row, and columns that agree in all that matters to an expectation.
    """
    own_partition = partition if THIS_PARTITION in repr(expectations) else ""
    key = repr((expectations, own_partition, rows.schema, rows.to_pydict())) if rows.num_rows <= 1 else ""
    if key in _evaluated:
        return _evaluated[key]
    deciding = {expectation.name: _deciding(expectation, partition, rows) for expectation in expectations}
    due = [expectation for expectation in expectations if deciding[expectation.name] not in _met]
    found = {result.expectation.name: result for result in _evaluate(due, partition, rows)} if due else {}
    _met.update(deciding[name] for name, result in found.items() if result.passed and deciding[name])
    known = f"{rows.num_rows} rows"
    results = [found.get(asked.name) or Result(asked, True, 0, known) for asked in expectations]
    if key:
        _evaluated[key] = results
    return results


def _deciding(expectation: Expectation, partition: str, rows: pa.Table) -> tuple[Any, ...]:
    """Return an expectation with what decides it, or () if that is too many values or several columns."""
    if expectation.table == "counts" or expectation.type not in _OF_COLUMN:
        return ()
    if not expectation.arguments.keys() <= _DECIDED_BY_VALUES:
        return ()
    arguments = repr(expectation.arguments)
    own_partition = partition if THIS_PARTITION in arguments else ""
    values = rows[expectation.arguments["column"]]
    decides = _OF_COLUMN[expectation.type](values)
    return () if decides is None else (expectation.name, arguments, own_partition, values.type, decides)


#: The most distinct values to remember.
_FEW = 32

#: With only these arguments, values alone decide. Others may count rows (`mostly`) or read other columns.
_DECIDED_BY_VALUES = {"column", "min_value", "max_value", "regex", "value_set"}


def _distinct(values: pa.ChunkedArray) -> tuple[Any, ...] | None:
    found = pc.unique(values.drop_null())
    return tuple(sorted(found.to_pylist())) if len(found) <= _FEW else None


#: By type of expectation: what decides it for a whole column.
_OF_COLUMN: dict[str, Callable[[pa.ChunkedArray], tuple[Any, ...] | None]] = {
    "expect_column_values_to_not_be_null": lambda values: (values.null_count > 0,),
    "expect_column_values_to_be_between": lambda values: tuple(pc.min_max(values).as_py().values()),
    "expect_column_values_to_match_regex": _distinct,
    "expect_column_values_to_be_in_set": _distinct,
}


def _evaluate(expectations: Suite, partition: str, rows: pa.Table) -> list[Result]:
    batch = _definition().get_batch(batch_parameters={"dataframe": rows.to_pandas()})
    found = _by_name(batch.validate(suite("partition", expectations, partition), result_format=_COUNTS))
    violated = [
        expectation
        for expectation in expectations
        if not found[expectation.name].success or found[expectation.name].result.get("unexpected_count")
    ]
    if violated:
        found |= _by_name(batch.validate(suite("partition", violated, partition), result_format=_ROWS))
    return [_result(expectation, found[expectation.name]) for expectation in expectations]


def _by_name(validation: Any) -> dict[str, Any]:
    """Return Great Expectations' results by the names of our expectations."""
    return {result.expectation_config.meta["name"]: result for result in validation.results}


def _columns(folder: Path, table: str, expectations: Suite) -> pa.Table:
    """Return the columns and measures that expectations read from a table, part by part."""
    names = sorted({column for expectation in expectations for column in expectation.columns})
    columns = sorted({name.partition(".")[0] for name in names})
    parts = (pq.read_table(path, columns=columns) for path in part_files(folder, table))
    return pa.concat_tables([pa.table({name: measured(part, name) for name in names}) for part in parts])


def _row(values: Mapping[str, float | None]) -> pa.Table:
    return pa.table({name: pa.array([value], pa.float64()) for name, value in values.items()})


@cache
def _definition() -> Any:
    """Return this process's single batch definition, for data frames; it keeps none of them."""
    import great_expectations as gx

    logging.getLogger("great_expectations").setLevel(logging.ERROR)
    context: Any = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = {"globally": False}
    asset = context.data_sources.add_pandas("parquet").add_dataframe_asset("partition")
    return asset.add_batch_definition_whole_dataframe("whole")


def _result(expectation: Expectation, found: Any) -> Result:
    # Great Expectations reports either one exception or one per metric.
    info, values = found.exception_info, found.result
    metrics = [info] if "raised_exception" in info else info.values()
    messages = [str(metric["exception_message"]) for metric in metrics if metric["raised_exception"]]
    if messages:
        texts = {" ".join(message.split())[:_SHOWN] for message in messages}
        return Result(expectation, False, 0, "", (), "; ".join(sorted(texts)))
    unexpected = values.get("partial_unexpected_list")
    observed = f"{values.get('element_count', 0)} rows"
    if values.get("observed_value") is not None:
        seen = values["observed_value"]
        observed = f"{seen:.4g}" if isinstance(seen, float) else str(seen)
    elif unexpected:
        observed = ", ".join(dict.fromkeys(_short(value) for value in unexpected[:3]))
    elif expectation.table == "counts" and values.get("missing_count"):
        observed = "no former version"
    return Result(
        expectation,
        passed=bool(found.success),
        unexpected=int(values.get("unexpected_count") or 0),
        observed=observed,
        rows=[int(row) for row in values.get("unexpected_index_list") or ()],
    )


def _short(value: object) -> str:
    """Return a value, or the values of several columns, as short text."""
    if isinstance(value, dict):
        value = tuple(value.values())
    text = " and ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def against(now: Mapping[str, int], former: Mapping[str, int] | None) -> dict[str, float | None]:
    """Return the single row of the table `counts`: changes in row counts, nulls without a former version."""
    if former is None:
        return dict.fromkeys(("kept.of_previous", "drop_share.rise", "reject_share.rise"))
    return {
        "kept.of_previous": now["kept"] / former["kept"] if former["kept"] else None,
        "drop_share.rise": _share(now, "dropped") - _share(former, "dropped"),
        "reject_share.rise": _share(now, "rejected") - _share(former, "rejected"),
    }


def _share(counts: Mapping[str, int], table: str) -> float:
    total = sum(counts[name] for name in TABLES)
    return counts[table] / total if total else 0.0


#: The severity that each check covers.
LEVELS: dict[str, Severity] = {"expectations": "error", "warnings": "warning"}


def check(
    workspace: Workspace, dataset: Declaration, partition: str, folder: Path, manifest: Manifest, run_id: str
) -> dict[str, Finding]:
    """Validate a partition that was just made, or whose expectations changed, and record the results.

    `manifest` describes the partition in `folder`. If Great Expectations itself fails, both checks fail. A
    failure to record results blocks nothing, unless the disk is full.
    """
    try:
        compared = against(manifest.counts, former_counts(workspace, dataset, partition, manifest.version))
        found = validate(folder, dataset.expectations, compared, partition)
    except Exception as error:
        fault = f"the expectations could not be evaluated: {describe(error)}"
        return {name: Finding((fault,), fault) for name in LEVELS}
    files: list[Path] = []
    try:
        files = keep_failing(workspace, dataset, partition, folder, found.results)
        suite = suite_version(dataset.expectations)
        entry = history.entry(partition, run_id, manifest.version, suite, manifest.counts, found.results)
        history.append(workspace, dataset, [entry])
    except DiskFullError:
        raise  # the manifest could not be written either
    except Exception as error:
        dg.get_dagster_logger().warning(f"could not record the validation: {describe(error)}")
    shown = [workspace.shown(path) for path in files]
    return {name: _finding(found, severity, manifest.counts, shown) for name, severity in LEVELS.items()}


def known_finding(
    workspace: Workspace, dataset: Declaration, partition: str, manifest: Manifest, name: str
) -> Finding:
    """Return a check's result without validating. A manifest exists only if every blocking check passed.

    Warnings come from this checkout's history of the same version; without one, the finding says so.
    """
    if name != "warnings":
        rows = ", ".join(f"{manifest.counts[table]} {table}" for table in TABLES)
        return Finding((), f"passed when the partition was made: {rows}")
    seen = history.latest(workspace, dataset, partition, manifest.version)
    if seen is None:
        return Finding(
            (), "not validated in this checkout: the partition was made elsewhere, warnings are unknown"
        )
    faults = tuple(
        f"{found['name']}: violated in {found['unexpected']} rows ({found['observed']})"
        for found in seen["expectations"]
        if not found["passed"] and found["severity"] == "warning"
    )
    return Finding(faults, f"as validated at {seen['time']:%Y-%m-%d %H:%M} UTC")


def settle(workspace: Workspace, dataset: Declaration, partition: str, manifest: Manifest) -> None:
    """Remove stored failing rows unless they belong to the manifest's version and expectations."""
    seen = history.latest(workspace, dataset, partition, manifest.version)
    if seen is None or seen["suite"] != manifest.key["code"].get("expectations"):
        drop_failing(workspace, dataset, partition)


def former_counts(
    workspace: Workspace, dataset: Declaration, partition: str, version: str
) -> Mapping[str, int] | None:
    """Return the row counts by table of the last accepted version of a partition other than `version`."""
    manifest = read_manifest(workspace, dataset, partition)
    if manifest is not None and manifest.version != version:
        return manifest.counts
    return history.accepted_before(workspace, dataset, partition, version)


def _finding(found: Validation, severity: Severity, counts: Mapping[str, int], files: list[str]) -> Finding:
    """Return a check's finding about a validation. `files` hold the failing rows."""
    failed = found.failed(severity)
    looked_at = sorted(
        (result for result in found.results if result.severity == severity), key=lambda result: result.passed
    )
    faults = [_description(result) for result in failed]
    rows_failed = any(result.rows for result in failed if result.expectation.table != "counts")
    failing = ", ".join(files) if rows_failed else ""
    rows = [
        (
            "✓" if result.passed else "✗",
            result.expectation.name,
            result.expectation.table,
            result.unexpected,
            result.exception or result.observed,
        )
        for result in looked_at
    ]
    results = markdown_table(["", "expectation", "table", "unexpected", "found"], rows)
    shown = {
        "results": dg.MetadataValue.md(results),
        **{name: dg.MetadataValue.int(counts[name]) for name in TABLES},
        "failed": dg.MetadataValue.int(len(failed)),
        **({"failing rows": dg.MetadataValue.text(failing)} if failing else {}),
    }
    summary = f"{len(looked_at) - len(failed)} of {len(looked_at)} expectations met"
    return Finding((*faults, *([f"failing rows: {failing}"] if failing else [])), summary, shown)


def _description(result: Result) -> str:
    name, table_name = result.expectation.name, result.expectation.table
    if result.exception:
        return f"{name}: could not be evaluated: {result.exception}"
    where = "" if table_name == "kept" else f" {table_name}"
    rows = "" if table_name == "counts" else f" in {result.unexpected}{where} rows"
    return f"{name}: violated{rows} ({result.observed})"
