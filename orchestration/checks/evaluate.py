"""What Great Expectations finds in a table that is in memory.

Belongs here: asking Great Expectations, and reusing what this process found. Not here: tables that do not fit
into memory (slices.py), the checks of a partition (validate.py). Great Expectations takes seconds to load, so
only validation loads it.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from silverloom.assets.declare.expectations import THIS_PARTITION, Expectation, Suite
from silverloom.assets.declare.own_suites import PLUGINS
from silverloom.assets.declare.params_file import folder_of_params
from silverloom.orchestration.checks.results import Result
from silverloom.orchestration.checks.slices import described

if TYPE_CHECKING:
    import great_expectations as gx

#: Result formats: first counts for all expectations, then failing rows for the violated ones only. Finding
#: rows takes a third of the time of validating a small partition.
_COUNTS = {"result_format": "BASIC"}
_ROWS = {"result_format": "COMPLETE", "return_unexpected_index_query": False}
_SEVERITY = {"error": "critical", "warning": "warning"}
_SHOWN = 200


#: The parameter that takes the partition's name, in a list, where a suite is for any partition.
PARAMETER = "this_partition"


def suite(
    name: str, expectations: Suite, partition: str | None, meta: Mapping[str, Any] | None = None
) -> gx.ExpectationSuite:
    """Return the suite for one partition, or for any if it is None.

    The `name` in an expectation's `meta` identifies it. Raises ValueError for expectations that Great
    Expectations does not know.
    """
    import great_expectations as gx

    made = [_expectation(expectation, partition) for expectation in expectations]
    return gx.ExpectationSuite(name=name, expectations=made, meta={**(meta or {})})


def _expectation(expectation: Expectation, partition: str | None) -> Any:
    """Return Great Expectations' object for an expectation."""
    arguments = {word: _filled(value, partition) for word, value in expectation.arguments.items()}
    try:
        made: Any = _class(expectation.type)(
            **arguments, meta={"name": expectation.name}, severity=_SEVERITY[expectation.severity]
        )
    except (LookupError, TypeError, ValueError) as error:
        raise ValueError(
            f"Great Expectations refuses the type or arguments of {expectation.name}: {error}"
        ) from error
    return made


def _filled(value: Any, partition: str | None) -> Any:
    """Return the value of an argument, with the partition's name where that is asked for."""
    if not isinstance(value, list) or THIS_PARTITION not in value:
        return value
    if partition is None:
        return {"$PARAMETER": PARAMETER}
    return [partition if entry == THIS_PARTITION else entry for entry in value]


@cache
def _class(kind: str) -> Any:
    """Return the class of a type: Great Expectations' own, or a user's from `gx/plugins`.

    Raises LookupError for an unknown type.
    """
    import great_expectations.expectations as types
    from great_expectations.exceptions import ExpectationNotFoundError

    with suppress(ExpectationNotFoundError):
        return types.registry.get_expectation_impl(kind)
    plugins = folder_of_params() / PLUGINS
    if str(plugins) not in sys.path:  # where Great Expectations puts it too
        sys.path.append(str(plugins))
    for path in sorted(plugins.glob("*.py")):
        spec = spec_from_file_location(f"silverloom_plugins.{path.stem}", path)
        if spec and spec.loader:
            sys.modules[spec.name] = module = module_from_spec(spec)
            spec.loader.exec_module(module)  # registers its classes
    with suppress(ExpectationNotFoundError):
        return types.registry.get_expectation_impl(kind)
    raise LookupError(f"there is no such type, nor a class of it in {PLUGINS}")


_evaluated: dict[str, list[Result]] = {}
#: What this process has found to be met: an expectation, with everything in its column that decides it.
_met: set[tuple[Any, ...]] = set()


def evaluated_once(expectations: Suite, partition: str, rows: pa.Table) -> list[Result]:
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
    evaluated = {result.expectation.name: result for result in evaluate(due, partition, rows)} if due else {}
    _met.update(deciding[name] for name, result in evaluated.items() if result.passed and deciding[name])
    number = rows.num_rows
    known = described((), number)
    results = [
        evaluated.get(asked.name) or Result(asked, True, 0, known, elements=number) for asked in expectations
    ]
    if key:
        _evaluated[key] = results
    return results


def _deciding(expectation: Expectation, partition: str, rows: pa.Table) -> tuple[Any, ...]:
    """Return an expectation with what decides it, or () if that is too many values or several columns."""
    if expectation.table == "counts" or expectation.type not in OF_COLUMN:
        return ()
    if not expectation.arguments.keys() <= DECIDED_BY_VALUES:
        return ()
    arguments = repr(expectation.arguments)
    own_partition = partition if THIS_PARTITION in arguments else ""
    values = rows[expectation.arguments["column"]]
    decides = OF_COLUMN[expectation.type](values)
    return () if decides is None else (expectation.name, arguments, own_partition, values.type, decides)


#: The most distinct values to remember.
_FEW = 32

#: With only these arguments, values alone decide. Others may count rows (`mostly`) or read other columns.
DECIDED_BY_VALUES = {"column", "min_value", "max_value", "regex", "value_set"}


def _distinct(values: pa.ChunkedArray) -> tuple[Any, ...] | None:
    distinct = pc.unique(values.drop_null())
    return tuple(sorted(distinct.to_pylist())) if len(distinct) <= _FEW else None


#: By type of expectation: what decides it for a whole column.
OF_COLUMN: dict[str, Callable[[pa.ChunkedArray], tuple[Any, ...] | None]] = {
    "expect_column_values_to_not_be_null": lambda values: (values.null_count > 0,),
    "expect_column_values_to_be_between": lambda values: tuple(pc.min_max(values).as_py().values()),
    "expect_column_values_to_match_regex": _distinct,
    "expect_column_values_to_be_in_set": _distinct,
}


def evaluate(expectations: Suite, partition: str, rows: pa.Table) -> list[Result]:
    """Evaluate expectations; those that are violated twice, the second time for the failing rows."""
    batch = _definition().get_batch(batch_parameters={"dataframe": rows.to_pandas()})
    gx_results = _by_name(batch.validate(suite("partition", expectations, partition), result_format=_COUNTS))
    violated = [
        expectation
        for expectation in expectations
        if not gx_results[expectation.name].success
        or gx_results[expectation.name].result.get("unexpected_count")
    ]
    if violated:
        gx_results |= _by_name(batch.validate(suite("partition", violated, partition), result_format=_ROWS))
    return [_result(expectation, gx_results[expectation.name]) for expectation in expectations]


def _by_name(validation: Any) -> dict[str, Any]:
    """Return Great Expectations' results by the names of our expectations."""
    return {result.expectation_config.meta["name"]: result for result in validation.results}


@cache
def _definition() -> Any:
    """Return this process's single batch definition, for data frames; it keeps none of them."""
    import great_expectations as gx

    logging.getLogger("great_expectations").setLevel(logging.ERROR)
    context: Any = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = {"globally": False}
    asset = context.data_sources.add_pandas("parquet").add_dataframe_asset("partition")
    return asset.add_batch_definition_whole_dataframe("whole")


def _result(expectation: Expectation, gx_result: Any) -> Result:
    # Great Expectations reports either one exception or one per metric.
    info, values = gx_result.exception_info, gx_result.result
    metrics = [info] if "raised_exception" in info else info.values()
    messages = [str(metric["exception_message"]) for metric in metrics if metric["raised_exception"]]
    if messages:
        texts = {" ".join(message.split())[:_SHOWN] for message in messages}
        return Result(expectation, False, 0, "", (), "; ".join(sorted(texts)))
    elements = int(values.get("element_count") or 0)
    first = tuple(_short(value) for value in (values.get("partial_unexpected_list") or ())[:3])
    observed = described(first, elements)
    if values.get("observed_value") is not None:
        seen = values["observed_value"]
        observed = f"{seen:.4g}" if isinstance(seen, float) else str(seen)
    elif expectation.table == "counts" and values.get("missing_count") and not first:
        observed = "no former version"
    return Result(
        expectation,
        passed=bool(gx_result.success),
        unexpected=int(values.get("unexpected_count") or 0),
        observed=observed,
        rows=[int(row) for row in values.get("unexpected_index_list") or ()],
        first=first,
        elements=elements,
    )


def _short(value: object) -> str:
    """Return a value, or the values of several columns, as short text."""
    if isinstance(value, dict):
        value = tuple(value.values())
    text = " and ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
