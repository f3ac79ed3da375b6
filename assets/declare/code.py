"""The code that a dataset depends on: a hash of its symbols, package versions, digests of models.

Belongs here: which symbols a dataset or a report depends on, the locked versions of the packages that these
use, and caching the result for other processes. Not here: what a symbol reaches (symbols.py); params and
inputs, the other two thirds of a partition's key.
"""

from __future__ import annotations

import importlib.metadata
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any

from assets.declare.settings import checkout
from assets.declare.source import PROJECT, kept, md5
from assets.declare.symbols import Reach, Symbol, Symbols
from ops.models.installed import digest

#: The code that turns outcomes into bytes is part of every dataset's code.
WRITER = Symbol("orchestration.files.parquet", "write_outcomes")

#: The packages whose modules count in a dataset's code, and in a report's.
DATASET = ("ops",)
REPORT = ("ops", "assets.rows", "pages")


def entry(
    function: Callable[..., Any],
    models: Iterable[str],
    within: Sequence[str] = DATASET,
    about: str = "",
    also: Iterable[Callable[..., Any]] = (),
) -> dict[str, Any]:
    """Return the code entry of an asset function: `code`, `packages` and `models`.

    Counts all symbols that the function and the writer of rows reach: those of the function's own module, and
    those of modules `within` some packages. Functions of `also` in these modules count, and so does `about`,
    a text. Raises LookupError for a package that requirements.lock does not pin.
    """
    reached = symbols(tuple(within))
    further = [found for found in map(symbol_of, also) if reached.counts(found.module)]
    roots = [reach(found, tuple(within)) for found in (symbol_of(function), WRITER, *sorted(set(further)))]
    packages = sorted({package for root in roots for package in root.packages})
    hashes = [root.hash for root in roots]
    return {
        "code": md5(repr([*hashes[:2], sorted(hashes[2:]), about])),
        "packages": {name: version for package in packages for name, version in [locked_version(package)]},
        "models": {name: digest(name) for name in sorted(set(models))},
    }


@cache
def rules(symbol: Symbol, within: tuple[str, ...]) -> str:
    """Return a hash of a symbol, of what it reaches `within` some packages, and of the packages that it uses.

    Packages count with their locked versions, as in a dataset's code.
    """
    reached = reach(symbol, within)
    return md5(repr([reached.hash, sorted(map(locked_version, reached.packages))]))


@cache
def reach(symbol: Symbol, within: tuple[str, ...]) -> Reach:
    """Return what a symbol reaches `within` some packages; reuses what `keep` stored for unchanged files."""
    key = repr([sys.version_info[:2], project_files(), *symbol, *within])
    if (known := kept(key)) is None:
        found = symbols(within).reach(symbol)
        known = _looked_for[key] = found.hash, sorted(found.packages)
    return Reach(known[0], frozenset(known[1]))


def keep() -> None:
    """Store what symbols reach for other processes, unless a file changed in the meantime."""
    if _looked_for and project_files.__wrapped__() == project_files():
        for key, found in _looked_for.items():
            kept(key, partial(tuple, found))
        _looked_for.clear()


_looked_for: dict[str, tuple[str, list[str]]] = {}


@cache
def project_files() -> str:
    """Return a digest of all files that symbols are read from: every file of the project's packages."""
    root = checkout()
    paths = sorted(
        Path(folder, name)
        for package in PROJECT
        for folder, _, names in os.walk(root / package)
        if not folder.endswith("__pycache__")
        for name in names
    )
    return md5(repr([(path.relative_to(root).as_posix(), md5(path.read_bytes())) for path in paths]))


@cache
def symbols(within: tuple[str, ...]) -> Symbols:
    """Return the symbols of this checkout, in modules `within` some packages."""
    return Symbols(checkout(), within)


def symbol_of(function: Callable[..., Any]) -> Symbol:
    """Return the symbol of a function; a nested function counts as part of its outer function."""
    return Symbol(function.__module__, function.__qualname__.split(".")[0])


@lru_cache(maxsize=1)
def lock_file() -> tuple[Mapping[str, tuple[str, str]], str]:
    """Return name and version of every locked package, by normalised name; and the digest of the lock."""
    text = (checkout() / "requirements.lock").read_text()
    pins = re.findall(r"^([A-Za-z0-9._-]+)==([^\s;]+)", text, re.MULTILINE)
    return {_normal(name): (name, version) for name, version in pins}, md5(text)


@cache
def locked_version(package: str) -> tuple[str, str]:
    """Return the name and the version that requirements.lock pins for an imported package."""
    pins, lock = lock_file()
    if found := pins.get(_normal(package)):
        return found
    return pins[kept(f"{lock} {package}", lambda: _distribution(package))]


def _distribution(package: str) -> str:
    """Return the normalised name of the locked distribution that provides an import package.

    importlib.metadata.packages_distributions gives the same, but parses every record of every package.
    """
    member = re.compile(rf"^{re.escape(package)}[/.]", re.MULTILINE)
    for distribution in importlib.metadata.distributions():
        name = _normal(distribution.name)
        if name in lock_file()[0] and member.search(distribution.read_text("RECORD") or ""):
            return name
    raise LookupError(f"the package {package!r} is imported but requirements.lock does not pin it")


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
