"""Expectations that a user adds to a dataset in Great Expectations' own files, without code of ours.

Belongs here: reading the suite of a dataset in the project's `gx/`, and the code of the user's own types. Not
here: expectations that assets declare (expectations.py), evaluating both (orchestration/checks).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NotRequired

from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict

from silverloom.assets.declare.expectations import Expectation, check
from silverloom.assets.declare.yaml import read_yaml
from silverloom.ops.core.outcome import Shape

#: The folder of the project that `great_expectations.get_context()` opens, and what is in it.
GX = "gx"
SUITES, PLUGINS = f"{GX}/expectations", f"{GX}/plugins"

#: Great Expectations stores suites as JSON. People may write the same as YAML.
_READERS: dict[str, Callable[[bytes], Any]] = {"json": json.loads, "yaml": read_yaml, "yml": read_yaml}


@with_config(ConfigDict(extra="ignore"))
class _Configuration(TypedDict):
    type: str
    kwargs: dict[str, Any]
    severity: NotRequired[str]
    description: NotRequired[str | None]


@with_config(ConfigDict(extra="ignore"))
class _SuiteFile(TypedDict):
    expectations: list[_Configuration]


_SUITE: TypeAdapter[_SuiteFile] = TypeAdapter(_SuiteFile)


def suite_name(group: str, asset: str) -> str:
    """Return the name of a dataset's suite in Great Expectations, which stores it at <group>/<asset>.json."""
    return f"{group}.{asset}"


def own_suite(root: Path, group: str, asset: str, shape: Shape) -> tuple[Expectation, ...]:
    """Return the expectations that a dataset's files in `gx/` add; none without such a file.

    They are about the kept rows. Critical ones, Great Expectations' default, are errors; others are warnings.
    Raises ValueError for an invalid file and LookupError for a column that the dataset lacks; both name the
    file.
    """
    suite: list[Expectation] = []
    for suffix, read in _READERS.items():
        place = f"{SUITES}/{group}/{asset}.{suffix}"
        if (root / place).exists():
            added = [_expectation(entry) for entry in _entries(place, read, (root / place).read_bytes())]
            check(added, shape, place)
            suite += added
    return tuple(suite)


def _entries(place: str, read: Callable[[bytes], Any], content: bytes) -> list[_Configuration]:
    try:
        return _SUITE.validate_python(read(content))["expectations"]
    except ValidationError as error:
        first = error.errors()[0]
        raise ValueError(f"{place}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from None


def _expectation(configuration: _Configuration) -> Expectation:
    arguments = configuration["kwargs"]
    words = configuration["type"].removeprefix("expect_").removeprefix("column_").replace("_", " ")
    values = ", ".join(f"{name}={value}" for name, value in arguments.items())
    return Expectation(
        configuration.get("description") or f"{words} ({values})",
        configuration["type"],
        arguments,
        "error" if configuration.get("severity", "critical") == "critical" else "warning",
    )


def plugins_version(root: Path) -> str:
    """Return a hash of the user's own types of expectations, in `gx/plugins`; "" without any."""
    digest, paths = hashlib.md5(usedforsecurity=False), sorted((root / PLUGINS).glob("*.py"))
    for path in paths:
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest() if paths else ""
