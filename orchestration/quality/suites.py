"""Expectations as Great Expectations runs them.

Belongs here: turning declared expectations into a suite. Not here: running it (validate.py). Importing this
module is cheap; calling it loads Great Expectations.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from assets.expectations import THIS_MONTH, Expectation

if TYPE_CHECKING:
    from great_expectations.core.expectation_suite import ExpectationSuite

_SEVERITY = {"error": "critical", "warning": "warning"}


def suite(name: str, expectations: Iterable[Expectation], month: str) -> ExpectationSuite:
    """Return a suite for one partition; an expectation is found again by the `name` in its `meta`."""
    from great_expectations.core.expectation_suite import ExpectationSuite

    return ExpectationSuite(name=name, expectations=[_configuration(item, month) for item in expectations])


def _configuration(item: Expectation, month: str) -> dict[str, Any]:
    return {
        "type": item.type,
        "kwargs": {word: _filled(value, month) for word, value in item.arguments.items()},
        "meta": {"name": item.name, "table": item.table},
        "severity": _SEVERITY[item.severity],
    }


def _filled(value: object, month: str) -> object:
    if isinstance(value, list):
        return [month if one == THIS_MONTH else one for one in value]
    return value
