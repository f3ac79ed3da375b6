"""Whether a partition's rows are as expected: the checks `expectations` (blocking) and `warnings`.

Belongs here: validating a partition and describing the results. Not here: asking Great Expectations
(evaluate.py), what is in memory at a time (slices.py), failing rows (results.py), and what a failed check
prevents (partition/materialise.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import dagster as dg
import pyarrow as pa
import pyarrow.parquet as pq

from silverloom.assets.declare.declaration import Dataset
from silverloom.assets.declare.expectations import Expectation, Severity, Suite
from silverloom.ops.core.parts import TABLES, part_files
from silverloom.ops.core.row_measures import measured
from silverloom.orchestration.checks.conservation import Finding
from silverloom.orchestration.checks.evaluate import DECIDED_BY_VALUES, OF_COLUMN, evaluate, evaluated_once
from silverloom.orchestration.checks.ids import scratch
from silverloom.orchestration.checks.results import Result, keep_failing
from silverloom.orchestration.checks.slices import joined, repeated, slices
from silverloom.orchestration.files.full_disk import DiskFullError
from silverloom.orchestration.messages import describe, markdown_table
from silverloom.orchestration.state.freshness import CheckResult, Manifest, read_manifest
from silverloom.orchestration.workspace.workspace import Workspace


@dataclass(frozen=True)
class Validation:
    """The validation results of a partition."""

    results: tuple[Result, ...]

    def of(self, severity: Severity) -> list[Result]:
        """Return the results of a severity."""
        return [result for result in self.results if result.severity == severity]

    def failed(self, severity: Severity) -> list[Result]:
        """Return the failed results of a severity."""
        return [result for result in self.of(severity) if not result.passed]

    def recorded(self, severity: Severity) -> tuple[CheckResult, ...]:
        """Return the results of a severity as a manifest holds them.

        How a partition compares with its previous version is left out: a manifest depends on its bytes alone.
        """
        return tuple(
            CheckResult(
                expected=result.expectation.name,
                severity=severity,
                passed=result.passed,
                observed=result.described,
            )
            for result in self.of(severity)
            if result.exception or result.expectation.table != "counts"
        )


def validate(
    folder: Path,
    expectations: Suite,
    comparison: Mapping[str, float | None],
    partition: str,
    space: Path | None = None,
) -> Validation:
    """Validate the tables of a partition. `comparison` is the single row of the table `counts`.

    An expectation that Great Expectations cannot evaluate counts as failed. Memory holds some rows of the
    columns that the suite reads, or their measures, and the positions of failing rows; DuckDB finds repeated
    values, and spills into `space`. Raises ValueError for an expectation that Great Expectations does not
    know.
    """
    results: list[Result] = []
    for table in sorted({expectation.table for expectation in expectations}):
        chosen = [expectation for expectation in expectations if expectation.table == table]
        if table == "counts":
            results += evaluated_once(chosen, partition, _row(comparison))
        else:
            results += _of_table(part_files(folder, table), chosen, partition, space)
    return Validation(tuple(results))


def _of_table(paths: Sequence[Path], expectations: Suite, partition: str, space: Path | None) -> list[Result]:
    """Evaluate expectations about a table: at once if it is one slice, else slice by slice where rows decide.

    For unique values, Great Expectations gets the rows whose values are repeated. For types of expectations
    that the project does not use, it gets all rows; for those about a whole table or with a condition, all
    columns too.
    """
    of_table = [asked for asked in expectations if not asked.columns or "row_condition" in asked.arguments]
    if of_table:
        others = [asked for asked in expectations if asked not in of_table]
        results = _of_table(paths, others, partition, space) if others else []
        rows = pa.concat_tables(pq.read_table(path) for path in paths)
        if without := [asked for asked in of_table if not asked.columns]:
            results += evaluate(without, partition, rows)
        if conditional := [asked for asked in of_table if asked.columns]:
            for name in set(_read_by(conditional)) - {*rows.column_names}:
                rows = rows.append_column(name, measured(rows, name))
            results += evaluate(conditional, partition, rows)
        return results
    beginning = list(islice(slices(paths, _read_by(expectations)), 2))
    if len(beginning) == 1:
        return evaluated_once(expectations, partition, beginning[0])
    del beginning
    by_row = [asked for asked in expectations if _takes(asked, _BY_ROW)]
    of_slices: dict[str, list[tuple[int, Result]]] = {asked.name: [] for asked in expectations}
    alone: dict[str, Result] = {}
    count = 0
    for rows in slices(paths, _read_by(by_row)) if by_row else ():
        for result in evaluated_once(by_row, partition, rows):
            of_slices[result.expectation.name].append((count, result))
        count += len(rows)
    for asked in expectations:
        if _takes(asked, _UNIQUE) and not any("." in name for name in asked.columns):
            rows, positions = repeated(paths, asked.columns, space)
            (result,) = evaluate([asked], partition, rows)
            result = replace(result, elements=sum(pq.read_metadata(path).num_rows for path in paths))
            of_slices[asked.name] = [(0, replace(result, rows=[positions[row] for row in result.rows]))]
        elif asked not in by_row:
            whole = pa.concat_tables(slices(paths, _read_by([asked])))
            alone[asked.name] = evaluate([asked], partition, whole)[0]
    return [alone.get(asked.name) or joined(of_slices[asked.name]) for asked in expectations]


def _read_by(expectations: Suite) -> list[str]:
    """Return the columns and measures that expectations read."""
    return sorted({column for expectation in expectations for column in expectation.columns})


#: By type of expectation: the arguments with which each row decides for itself.
_BY_ROW = {
    **dict.fromkeys(OF_COLUMN, DECIDED_BY_VALUES),
    "expect_column_pair_values_to_be_equal": {"column_A", "column_B"},
    "expect_column_pair_values_a_to_be_greater_than_b": {"column_A", "column_B", "or_equal"},
}
#: The same for types about repeated values.
_UNIQUE = {
    "expect_column_values_to_be_unique": {"column"},
    "expect_compound_columns_to_be_unique": {"column_list"},
}


def _takes(expectation: Expectation, known: Mapping[str, set[str]]) -> bool:
    return expectation.arguments.keys() <= known.get(expectation.type, set())


def _row(values: Mapping[str, float | None]) -> pa.Table:
    return pa.table({name: pa.array([value], pa.float64()) for name, value in values.items()})


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


def validation(
    workspace: Workspace, dataset: Dataset, partition: str, folder: Path, manifest: Manifest
) -> Validation:
    """Validate a partition against its expectations and its previous version."""
    compared = against(manifest.counts, former_counts(workspace, dataset, partition, manifest.version))
    with scratch(workspace, dataset, partition) as space:
        return validate(folder, dataset.suite, compared, partition, space)


def check(
    workspace: Workspace, dataset: Dataset, partition: str, folder: Path, manifest: Manifest
) -> dict[str, Finding]:
    """Validate a partition that was just made, or whose checks changed, and store its failing rows.

    `manifest` describes the partition in `folder`. If Great Expectations itself fails, both checks fail. A
    failure to store failing rows blocks nothing, unless the disk is full.
    """
    try:
        validated = validation(workspace, dataset, partition, folder, manifest)
    except Exception as error:
        return {name: _unevaluated(severity, error) for name, severity in LEVELS.items()}
    files: list[Path] = []
    try:
        files = keep_failing(workspace, dataset, partition, folder, validated.results)
    except DiskFullError:
        raise  # the manifest could not be written either
    except Exception as error:
        dg.get_dagster_logger().warning(f"could not store failing rows: {describe(error)}")
    shown = [workspace.shown(path) for path in files]
    return {name: _finding(validated, severity, manifest.counts, shown) for name, severity in LEVELS.items()}


def _unevaluated(severity: Severity, error: Exception) -> Finding:
    fault = f"could not be evaluated: {describe(error)}"
    result = CheckResult(expected="the expectations", severity=severity, passed=False, observed=fault)
    return Finding((f"the expectations {fault}",), fault, (result,))


def known_finding(manifest: Manifest, name: str) -> Finding:
    """Return what a check found when the bytes of a manifest were last checked."""
    if name not in manifest.checks:
        return Finding((), "no result is recorded")
    results = manifest.checks[name]
    faults = [f"{result['expected']}: {result['observed']}" for result in results if not result["passed"]]
    met = f"{len(results) - len(faults)} of {len(results)} expectations met"
    return Finding(tuple(faults), met if name in LEVELS else results[0]["observed"])


def former_counts(
    workspace: Workspace, dataset: Dataset, partition: str, version: str
) -> Mapping[str, int] | None:
    """Return the row counts by table of the version that a partition's `version` replaces, if any."""
    manifest = read_manifest(workspace, dataset, partition)
    return None if manifest is None or manifest.version == version else manifest.counts


def _finding(
    validated: Validation, severity: Severity, counts: Mapping[str, int], files: list[str]
) -> Finding:
    """Return a check's finding about a validation. `files` hold the failing rows."""
    looked_at = sorted(validated.of(severity), key=lambda result: result.passed)
    failed = validated.failed(severity)
    faults = [f"{result.expectation.name}: {result.described}" for result in failed]
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
    all_faults = (*faults, *([f"failing rows: {failing}"] if failing else []))
    return Finding(all_faults, summary, validated.recorded(severity), shown)
