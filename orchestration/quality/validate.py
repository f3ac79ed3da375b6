"""Run a suite of expectations on one partition's Parquet files, by Great Expectations.

Belongs here: the suite as Great Expectations knows it, the columns that it looks at, and what came out for
each expectation. Not here: what becomes of it (checks.py), and the rows that failed (failing.py). Importing
this module is cheap; calling it loads Great Expectations.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from assets.declare.expectations import THIS_MONTH, Expectation, Severity, Suite
from orchestration.files.parquet import part_files
from orchestration.quality.measures import measured
from orchestration.state.validation_history import Result

if TYPE_CHECKING:
    import great_expectations as gx

#: What is asked of all expectations, and then of those that rows violate: to look for rows takes a
#: third of the time that a small partition takes to validate.
_COUNTS = {"result_format": "BASIC"}
_ROWS = {"result_format": "COMPLETE", "return_unexpected_index_query": False}
_SEVERITY = {"error": "critical", "warning": "warning"}
_SHOWN = 200


@dataclass(frozen=True)
class Validation:
    """The results of a partition."""

    results: tuple[Result, ...]

    def failed(self, severity: Severity) -> list[Result]:
        """Return what failed and is an error, or a warning."""
        return [result for result in self.results if not result.passed and result.severity == severity]


def validate(
    folder: Path, expectations: Suite, comparison: Mapping[str, float | None], month: str
) -> Validation:
    """Validate the tables of a partition; `comparison` is the one row of the table `counts`.

    An expectation that Great Expectations cannot evaluate has failed. Memory holds the columns that the suite
    looks at, or their measures, and one part file. Raises ValueError for an expectation that Great
    Expectations does not know.
    """
    results: list[Result] = []
    for table in sorted({expectation.table for expectation in expectations}):
        chosen = [expectation for expectation in expectations if expectation.table == table]
        rows = _row(comparison) if table == "counts" else _columns(folder, table, chosen)
        results += _evaluated_once(chosen, month, rows)
    return Validation(tuple(results))


def suite(name: str, expectations: Suite, month: str) -> gx.ExpectationSuite:
    """Return a suite for one partition; an expectation is found again by the `name` in its `meta`.

    Raises ValueError for expectations that Great Expectations does not know.
    """
    import great_expectations as gx

    made = [_expectation(expectation, month) for expectation in expectations]
    return gx.ExpectationSuite(name=name, expectations=made)


def _expectation(expectation: Expectation, month: str) -> Any:
    """Return an expectation as Great Expectations has it: a class named after its type."""
    import great_expectations.expectations as types

    arguments = {
        word: [month if entry == THIS_MONTH else entry for entry in value]
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


def _evaluated_once(expectations: Suite, month: str, rows: pa.Table) -> list[Result]:
    """Evaluate expectations; of tables with one row or none, each content once in a process.

    Small partitions have many of these: nothing rejected, or nothing to be compared with.
    """
    if rows.num_rows > 1:
        return _evaluate(expectations, month, rows)
    in_month = month if THIS_MONTH in repr(expectations) else ""
    key = repr((expectations, in_month, rows.schema, rows.to_pydict()))
    if key not in _evaluated:
        _evaluated[key] = _evaluate(expectations, month, rows)
    return _evaluated[key]


def _evaluate(expectations: Suite, month: str, rows: pa.Table) -> list[Result]:
    batch = _definition().get_batch(batch_parameters={"dataframe": rows.to_pandas()})
    found = _by_name(batch.validate(suite("partition", expectations, month), result_format=_COUNTS))
    violated = [
        expectation
        for expectation in expectations
        if not found[expectation.name].success or found[expectation.name].result.get("unexpected_count")
    ]
    if violated:
        found |= _by_name(batch.validate(suite("partition", violated, month), result_format=_ROWS))
    return [_result(expectation, found[expectation.name]) for expectation in expectations]


def _by_name(validation: Any) -> dict[str, Any]:
    """Return the results of Great Expectations by the names of our expectations."""
    return {result.expectation_config.meta["name"]: result for result in validation.results}


def _columns(folder: Path, table: str, expectations: Suite) -> pa.Table:
    """Return the columns and measures of a table that expectations look at, read part by part."""
    names = sorted({column for expectation in expectations for column in expectation.columns})
    columns = sorted({name.partition(".")[0] for name in names})
    parts = (pq.read_table(path, columns=columns) for path in part_files(folder, table))
    return pa.concat_tables([pa.table({name: measured(part, name) for name in names}) for part in parts])


def _row(values: Mapping[str, float | None]) -> pa.Table:
    return pa.table({name: pa.array([value], pa.float64()) for name, value in values.items()})


@cache
def _definition() -> Any:
    """Return the one batch definition of this process: data frames, which it keeps nothing of."""
    import great_expectations as gx

    logging.getLogger("great_expectations").setLevel(logging.ERROR)
    context: Any = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = {"globally": False}
    asset = context.data_sources.add_pandas("parquet").add_dataframe_asset("partition")
    return asset.add_batch_definition_whole_dataframe("whole")


def _result(expectation: Expectation, found: Any) -> Result:
    # Great Expectations tells of one exception in all, or of one a metric.
    info, values = found.exception_info, found.result
    metrics = [info] if "raised_exception" in info else info.values()
    messages = [str(metric["exception_message"]) for metric in metrics if metric["raised_exception"]]
    if messages:
        texts = {" ".join(message.split())[:_SHOWN] for message in messages}
        return Result(expectation, False, 0, "", (), "; ".join(sorted(texts)))
    unexpected = values.get("partial_unexpected_list")
    observed = f"{values.get('element_count', 0)} rows"
    if values.get("observed_value") is not None:
        observed = str(values["observed_value"])
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
    """Return a value, or those of several columns, as people read it."""
    if isinstance(value, dict):
        value = tuple(value.values())
    text = " and ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
