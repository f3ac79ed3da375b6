"""The locked versions of the packages that code imports.

Belongs here: pins in a lock file, or what is installed, and which package provides an import name. Not here:
which packages code uses (symbols.py).
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import re
from collections.abc import Mapping
from functools import cache
from typing import TypeAlias

#: Name and version of every locked package, by normalised name.
Pins: TypeAlias = Mapping[str, tuple[str, str]]


def pins(lock: str) -> Pins:
    """Return the pins in the text of a lock file: lines of `name==version`."""
    pinned = re.findall(r"^([A-Za-z0-9._-]+)==([^\s;]+)", lock, re.MULTILINE)
    return {_normal(name): (name, version) for name, version in pinned}


def installed() -> Pins:
    """Return the packages of this environment, without what a version says of the build ("+cpu")."""
    found = importlib.metadata.distributions()
    named = [(each.name, each.version.partition("+")[0]) for each in found]
    return {_normal(name): (name, version) for name, version in named}


def locked(package: str, pinned: Pins) -> list[tuple[str, str]]:
    """Return name and version of the pinned packages that provide an import name.

    These are several if packages share a namespace, and none if it is optional and not installed. Raises
    LookupError for an installed package without a pin.
    """
    names = [package] if _normal(package) in pinned else _providers().get(package, [])
    if versions := sorted(pinned[_normal(name)] for name in {*names} if _normal(name) in pinned):
        return versions
    if importlib.util.find_spec(package) is None:
        return []
    raise LookupError(f"the package {package!r} is imported but not locked")


@cache
def _providers() -> Mapping[str, list[str]]:
    return importlib.metadata.packages_distributions()


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
