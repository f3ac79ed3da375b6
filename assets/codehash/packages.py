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
    """Return the packages of this environment, without what a version says of the build ("+cpu").

    Packages of extras are left out, so that installing one changes nothing.
    """
    found = importlib.metadata.distributions()
    named = {_normal(each.name): (each.name, each.version.partition("+")[0]) for each in found}
    return {name: pin for name, pin in named.items() if name not in _optional()}


def locked(package: str, pinned: Pins) -> list[tuple[str, str]]:
    """Return name and version of the pinned packages that provide an import name.

    These are several if packages share a namespace, and none if it is optional and not pinned. Raises
    LookupError for another installed package without a pin.
    """
    names = [package] if _normal(package) in pinned else _providers().get(package, [])
    if versions := sorted(pinned[_normal(name)] for name in {*names} if _normal(name) in pinned):
        return versions
    if importlib.util.find_spec(package) is None or _optional() & {*map(_normal, names)}:
        return []
    raise LookupError(f"the package {package!r} is imported but not locked")


@cache
def _optional() -> frozenset[str]:
    """Return the packages that only extras of silverloom require."""
    try:
        required = importlib.metadata.requires("silverloom") or []
    except importlib.metadata.PackageNotFoundError:  # a checkout that is not installed
        required = []
    names: dict[bool, set[str]] = {True: set(), False: set()}
    for line in required:
        names["extra ==" in line].add(_normal(re.split(r"[^A-Za-z0-9._-]", line, maxsplit=1)[0]))
    return frozenset(names[True] - names[False])


@cache
def _providers() -> Mapping[str, list[str]]:
    return importlib.metadata.packages_distributions()


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
