"""Expectations as Great Expectations runs them.

Belongs here: turning declared expectations into a suite. Not here: running it (validate.py). Importing this
module is cheap; calling it loads Great Expectations.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from assets.declare.expectations import THIS_MONTH, Expectation

if TYPE_CHECKING:
    from great_expectations.core.expectation_suite import ExpectationSuite

_SEVERITY = {"error": "critical", "warning": "warning"}


def suite(name: str, expectations: Iterable[Expectation], month: str) -> ExpectationSuite:
    """Return a suite for one partition; an expectation is found again by the `name` in its `meta`.

    Raises ValueError for expectations that Great Expectations does not know, which it only logs.
    """
    from great_expectations.core.expectation_suite import ExpectationSuite

    wanted = [_configuration(item, month) for item in expectations]
    made = ExpectationSuite(name=name, expectations=wanted)
    known = {(item.meta or {})["name"] for item in made.expectations}
    if refused := [item["meta"]["name"] for item in wanted if item["meta"]["name"] not in known]:
        raise ValueError(f"Great Expectations refuses the type or arguments of {', '.join(refused)}")
    return made


def _configuration(item: Expectation, month: str) -> dict[str, Any]:
    return {
        "type": item.type,
        "kwargs": {word: _filled(value, month) for word, value in item.arguments.items()},
        "meta": {"name": item.name, "table": item.table},
        "severity": _SEVERITY[item.severity],
    }


def _filled(value: object, month: str) -> object:
    if isinstance(value, list):
        return [month if entry == THIS_MONTH else entry for entry in value]
    return value
