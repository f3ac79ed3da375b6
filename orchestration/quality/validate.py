"""Run a suite of expectations on one partition's Parquet files, by Great Expectations.

Belongs here: the suite as Great Expectations knows it, the columns that it looks at, and what came out for
each expectation. Not here: what becomes of it (checks.py), and the rows that failed (failing.py). Importing
this module is cheap; calling it loads Great Expectations.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping
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
    from great_expectations.core.batch_definition import BatchDefinition
    from great_expectations.core.expectation_suite import ExpectationSuite

#: What is asked of expectations first, and then of those that rows violate: to find no rows takes a third of
#: the time that a small partition takes to validate.
_COUNTS = {"result_format": "BASIC"}
_ROWS = {"result_format": "COMPLETE", "return_unexpected_index_query": False}
_SEVERITY = {"error": "critical", "warning": "warning"}
_SHOWN = 200


@dataclass(frozen=True)
class Validation:
    """The results of a partition, and the document that Great Expectations renders."""

    results: tuple[Result, ...]
    document: Mapping[str, Any]

    def failed(self, severity: Severity) -> list[Result]:
        """Return what failed and is an error, or a warning."""
        return [result for result in self.results if not result.passed and result.severity == severity]


def validate(
    folder: Path, expectations: Suite, comparison: Mapping[str, float | None], name: str, month: str
) -> Validation:
    """Validate the tables of a partition; `comparison` is the one row of the table `counts`.

    An expectation that Great Expectations cannot evaluate has failed. Memory holds the columns that the suite
    looks at, or their measures, and one part file.
    """
    results: list[Result] = []
    documents: list[dict[str, Any]] = []
    for table in sorted({expectation.table for expectation in expectations}):
        chosen = [expectation for expectation in expectations if expectation.table == table]
        rows = _row(comparison) if table == "counts" else _columns(folder, table, chosen)
        found, document = _evaluated_once(chosen, month, rows)
        results += found
        documents.append({**json.loads(document), "suite_name": name})
    return Validation(tuple(results), _merged(documents))


def suite(name: str, expectations: Suite, month: str) -> ExpectationSuite:
    """Return a suite for one partition; an expectation is found again by the `name` in its `meta`.

    Raises ValueError for expectations that Great Expectations does not know, which it only logs.
    """
    from great_expectations.core.expectation_suite import ExpectationSuite

    for expectation in expectations:
        _configure_once(expectation.type)
    made = ExpectationSuite(
        name=name,
        expectations=[
            {
                "type": expectation.type,
                "kwargs": {
                    word: [month if entry == THIS_MONTH else entry for entry in value]
                    if isinstance(value, list)
                    else value
                    for word, value in expectation.arguments.items()
                },
                "meta": {"name": expectation.name, "table": expectation.table},
                "severity": _SEVERITY[expectation.severity],
            }
            for expectation in expectations
        ],
    )
    known = {(expectation.meta or {})["name"] for expectation in made.expectations}
    if refused := [expectation.name for expectation in expectations if expectation.name not in known]:
        raise ValueError(f"Great Expectations refuses the type or arguments of {', '.join(refused)}")
    return made


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
    """Return the results of expectations, and the document of Great Expectations as JSON.

    The document has no values that grow with the data: the rows that failed are kept whole elsewhere.
    """
    batch = _definition().get_batch(batch_parameters={"dataframe": rows.to_pandas()})
    ran = batch.validate(suite("partition", expectations, month), result_format=_COUNTS)
    found = _by_name(ran.results)
    violated = [
        expectation
        for expectation in expectations
        if not found[expectation.name].success or found[expectation.name].result.get("unexpected_count")
    ]
    if violated:
        again = batch.validate(suite("partition", violated, month), result_format=_ROWS)
        found |= _by_name(again.results)
        ran.results = [found[name] for name in _by_name(ran.results)]
    results = [_result(expectation, found[expectation.name]) for expectation in expectations]
    for values in (result.result for result in ran.results):
        for name in ("unexpected_list", "unexpected_index_list", "partial_unexpected_index_list"):
            values.pop(name, None)
        if "partial_unexpected_list" in values:
            values["partial_unexpected_list"] = [_short(value) for value in values["partial_unexpected_list"]]
        for count in values.get("partial_unexpected_counts", ()):
            count["value"] = _short(count["value"])
    return results, json.dumps(ran.to_json_dict())


def _by_name(results: Iterable[Any]) -> dict[str, Any]:
    """Return the results of Great Expectations by the names of our expectations."""
    return {result.expectation_config.meta["name"]: result for result in results if result.expectation_config}


def _columns(folder: Path, table: str, expectations: Suite) -> pa.Table:
    """Return the columns and measures of a table that expectations look at, read part by part."""
    names = sorted({column for expectation in expectations for column in expectation.columns})
    columns = sorted({name.partition(".")[0] for name in names})
    parts = (pq.read_table(path, columns=columns) for path in part_files(folder, table))
    return pa.concat_tables([pa.table({name: measured(part, name) for name in names}) for part in parts])


def _row(values: Mapping[str, float | None]) -> pa.Table:
    return pa.table({name: pa.array([value], pa.float64()) for name, value in values.items()})


@cache
def _configure_once(name: str) -> None:
    """Take the place of a type of expectation by one that builds its configuration once.

    Great Expectations builds the same one some 80 times over, which is a third of the time that a small
    partition takes to validate. A class of one's own is known by its name, as documented, also where another
    one had it.
    """
    import great_expectations.expectations as types

    class_name = "".join(word.capitalize() for word in name.split("_"))
    base: Any = getattr(types, class_name, None)
    if base is None:
        return  # which is then refused

    def configuration(self: Any) -> Any:
        if not hasattr(self, "_built"):
            object.__setattr__(self, "_built", base.configuration.fget(self))
        return self._built

    logging.getLogger("great_expectations").setLevel(logging.ERROR)  # it warns of the name
    members = {"__module__": __name__, "__slots__": ("_built",), "configuration": property(configuration)}
    type(base)(class_name, (base,), members)


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


def _merged(documents: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return one document for all tables of a partition."""
    first, *others = documents
    first["results"] += [result for document in others for result in document["results"]]
    total = len(first["results"])
    passed = sum(result["success"] for result in first["results"])
    statistics = {
        "evaluated_expectations": total,
        "successful_expectations": passed,
        "unsuccessful_expectations": total - passed,
        "success_percent": 100 * passed / total,
    }
    return {**first, "success": passed == total, "statistics": statistics}
