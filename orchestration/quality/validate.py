"""Run a suite on one partition's Parquet files.

Belongs here: reading the columns that a suite looks at, the call of Great Expectations, and what came out
for each expectation. Not here: what becomes of it (checks.py), and the rows that failed (failing.py).
"""

from __future__ import annotations

import contextlib
import json
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from assets.declare.expectations import THIS_MONTH, Expectation, Severity, Suite
from orchestration.quality.measures import measured
from orchestration.state.validation_history import Result

if TYPE_CHECKING:
    from great_expectations.core.batch_definition import BatchDefinition

_FORMAT = {"result_format": "COMPLETE", "return_unexpected_index_query": False}
_SHOWN = 200


@dataclass(frozen=True)
class Validation:
    """The results of a partition, and the document that Great Expectations renders."""

    results: tuple[Result, ...]
    document: Mapping[str, Any]

    def failed(self, severity: Severity) -> list[Result]:
        """Return what failed and is an error, or a warning."""
        return [item for item in self.results if not item.passed and item.severity == severity]


def validate(
    folder: Path, expectations: Suite, comparison: Mapping[str, float | None], name: str, month: str
) -> Validation:
    """Validate the tables of a partition; `comparison` is the one row of the table `counts`.

    An expectation that Great Expectations cannot evaluate has failed. Memory holds the columns that the suite
    looks at, or their measures, and one part file.
    """
    results: list[Result] = []
    documents: list[dict[str, Any]] = []
    for table in sorted({item.table for item in expectations}):
        chosen = [item for item in expectations if item.table == table]
        columns = sorted({column for item in chosen for column in item.columns})
        rows = _comparison(comparison) if table == "counts" else _columns(folder, table, columns)
        found, document = _evaluated_once(chosen, month, rows)
        results += found
        documents.append({**json.loads(document), "suite_name": name})
    return Validation(tuple(results), _merged(documents))


_evaluated: dict[str, tuple[list[Result], str]] = {}


def _evaluated_once(expectations: Suite, month: str, rows: pa.Table) -> tuple[list[Result], str]:
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


def _evaluate(expectations: Suite, month: str, rows: pa.Table) -> tuple[list[Result], str]:
    """Return the results of expectations, and the document of Great Expectations as JSON."""
    from orchestration.quality.suites import suite

    batch = _definition().get_batch(batch_parameters={"dataframe": rows.to_pandas()})
    with _configured_once():
        ran = batch.validate(suite("partition", expectations, month), result_format=_FORMAT)
    found = {one.expectation_config.meta["name"]: one for one in ran.results if one.expectation_config}
    results = [_result(item, found[item.name]) for item in expectations]
    for one in ran.results:
        _shorten(one.result)
    return results, json.dumps(ran.to_json_dict())


def _columns(folder: Path, table: str, names: Sequence[str]) -> pa.Table:
    """Return columns and measures of a partition's table, read part by part."""
    wanted = sorted({name.partition(".")[0] for name in names})
    parts = []
    for path in sorted(folder.glob(f"{table}-*.parquet")):
        part = pq.read_table(path, columns=wanted)
        parts.append(pa.table({name: measured(part, name) for name in names}))
    return pa.concat_tables(parts)


def _comparison(values: Mapping[str, float | None]) -> pa.Table:
    return pa.table({name: pa.array([value], pa.float64()) for name, value in values.items()})


@contextlib.contextmanager
def _configured_once() -> Iterator[None]:
    """Let each expectation build its configuration once.

    Great Expectations builds the same one some 80 times over, which is half of the time that a small
    partition takes to validate.
    """
    from great_expectations.expectations.expectation import Expectation as Class

    plain: Any = Class.configuration
    built: dict[int, tuple[Any, Any]] = {}

    def configuration(self: Any) -> Any:
        if id(self) not in built:
            built[id(self)] = (self, plain.fget(self))  # kept with it, so that no other gets its id
        return built[id(self)][1]

    Class.configuration = property(configuration)
    try:
        yield
    finally:
        Class.configuration = plain


@cache
def _definition() -> BatchDefinition[Any]:
    """Return the one batch definition of this process: data frames, which it keeps nothing of."""
    import great_expectations as gx
    from great_expectations.data_context.types.base import ProgressBarsConfig

    logging.getLogger("great_expectations").setLevel(logging.ERROR)
    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = ProgressBarsConfig(globally=False)
    asset = context.data_sources.add_pandas("parquet").add_dataframe_asset("partition")
    return asset.add_batch_definition_whole_dataframe("whole")


def _result(item: Expectation, found: Any) -> Result:
    exceptions = _exceptions(found.exception_info)
    if exceptions:
        return Result(item, False, 0, "", (), "; ".join(exceptions))
    values = found.result
    return Result(
        expectation=item,
        passed=bool(found.success),
        unexpected=int(values.get("unexpected_count") or 0),
        observed=_observed(item, values),
        rows=[int(row) for row in values.get("unexpected_index_list") or ()],
    )


def _exceptions(info: Mapping[str, Any]) -> list[str]:
    """Return the messages of an expectation's exceptions: told once, or once a metric."""
    if "raised_exception" in info:
        info = {"": info}
    texts = [one["exception_message"] for one in info.values() if one["raised_exception"]]
    return sorted({" ".join(str(text).split())[:_SHOWN] for text in texts})


def _observed(item: Expectation, values: Mapping[str, Any]) -> str:
    """Return in words what was found: the first unexpected values, or how many rows there were."""
    if values.get("observed_value") is not None:
        return str(values["observed_value"])
    odd = values.get("partial_unexpected_list") or ()
    if odd:
        return ", ".join(dict.fromkeys(_short(value) for value in odd[:3]))
    if item.table == "counts" and values.get("missing_count"):
        return "no former version"
    return f"{values.get('element_count', 0)} rows"


def _short(value: object) -> str:
    """Return a value, or those of several columns, as people read it."""
    if isinstance(value, dict):
        value = tuple(value.values())
    text = " and ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _shorten(result: dict[str, Any]) -> None:
    """Leave out what grows with the data: the rows that failed are kept whole elsewhere."""
    for name in ("unexpected_list", "unexpected_index_list", "partial_unexpected_index_list"):
        result.pop(name, None)
    if "partial_unexpected_list" in result:
        result["partial_unexpected_list"] = [_short(value) for value in result["partial_unexpected_list"]]
    for count in result.get("partial_unexpected_counts", ()):
        count["value"] = _short(count["value"])


def _merged(documents: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return one document for all tables of a partition."""
    first, *others = documents
    first["results"] += [result for other in others for result in other["results"]]
    passed = sum(result["success"] for result in first["results"])
    total = len(first["results"])
    first["success"] = passed == total
    first["statistics"] = {
        "evaluated_expectations": total,
        "successful_expectations": passed,
        "unsuccessful_expectations": total - passed,
        "success_percent": 100 * passed / total,
    }
    return first
