"""The code that a dataset depends on: a hash of its symbols, package versions, digests of models.

Belongs here: which symbols a dataset or a report depends on, and caching what they reach for other processes.
Not here: what a symbol reaches (assets/codehash/); params and inputs, the rest of a partition's key.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from silverloom.assets.codehash.names import ProjectNames, Symbol
from silverloom.assets.codehash.packages import Pins, installed, locked, pins
from silverloom.assets.codehash.statements import PROJECT, md5
from silverloom.assets.codehash.symbols import Symbols
from silverloom.assets.declare.cache import read_cache, write_cache
from silverloom.assets.declare.project import LOCKS, checkout, project
from silverloom.ops.models.installed import digest

#: The code that turns outcomes into bytes is part of every dataset's code.
WRITER = Symbol("silverloom.orchestration.files.parquet", "write_outcomes")

#: The packages whose modules count in a dataset's code, and in a report's.
DATASET = ("silverloom.ops",)
REPORT = ("silverloom.ops", "silverloom.assets.rows", "silverloom.pages")

#: The cache of what symbols reach, next to the digest of the files that all of it was read from.
CACHE = "reach.json"


#: The hash of a symbol and everything that it reaches, and the locked versions of external packages.
LockedReach: TypeAlias = tuple[str, dict[str, str]]


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
    counts = symbols(tuple(within)).counts
    further = {symbol for symbol in map(symbol_of, also) if counts(symbol.module)}
    roots = [reach(symbol, tuple(within)) for symbol in (symbol_of(function), WRITER, *sorted(further))]
    packages = {name: version for _, versions in roots for name, version in versions.items()}
    return {
        "code": md5(repr([[code for code, _ in roots], about])),
        "packages": dict(sorted(packages.items())),
        "models": {name: digest(name) for name in sorted(set(models))},
    }


def rules(symbol: Symbol, within: tuple[str, ...]) -> str:
    """Return a hash of a symbol, of what it reaches `within` some packages, and of the packages that it uses.

    Packages count with their locked versions, as in a dataset's code.
    """
    return md5(repr(reach(symbol, within)))


def reach(symbol: Symbol, within: tuple[str, ...]) -> LockedReach:
    """Return what a symbol reaches `within` some packages; reuses what `keep` stored for unchanged files."""
    key = " ".join([*symbol, *within])
    if key not in known():
        code, packages = symbols(within).reach(symbol)
        known()[key] = code, dict(pin for name in sorted(packages) for pin in locked(name, lock_file()))
    code, versions = known()[key]
    return code, versions


@cache
def known() -> dict[str, LockedReach]:
    """Return what symbols reach, by key: what an earlier process stored for these files, or nothing."""
    today = project_files()  # before any of them is read
    files, stored = json.loads(read_cache(project(), CACHE) or '["", {}]')
    return dict(stored) if files == today else {}


def keep(root: Path | None = None) -> None:
    """Store what symbols reach for other processes of a project (by default, this one).

    Does nothing if a file changed in the meantime.
    """
    content = json.dumps([project_files(), known()]).encode()
    if read_cache(root or project(), CACHE) != content and read_files() == project_files():
        write_cache(root or project(), CACHE, content)


def read_files() -> str:
    """Return a digest of all files that hashes depend on, of the packages, and of Python's version."""
    root = checkout()
    folders = [place for name in PROJECT for place in os.walk(root / name)]
    paths = [Path(folder, file) for folder, _, files in folders for file in files]
    counted = sorted(path for path in paths if path.parent.name != "__pycache__")
    texts = [(path.relative_to(root).as_posix(), md5(path.read_bytes())) for path in counted]
    return md5(repr([sys.version_info[:2], sorted(read_lock_file().items()), texts]))


#: The digest of these files when this process began to read them.
project_files = cache(read_files)


@cache
def symbols(within: tuple[str, ...]) -> Symbols:
    """Return the symbols of this checkout, in modules `within` some packages."""
    return Symbols(names(), within)


@cache
def names() -> ProjectNames:
    """Return the names of all modules of this checkout; each module is read once."""
    return ProjectNames(checkout())


def symbol_of(function: Callable[..., Any]) -> Symbol:
    """Return the symbol of a function; a nested function counts as part of its outer function."""
    return Symbol(function.__module__, function.__qualname__.split(".")[0])


def read_lock_file() -> Pins:
    """Return name and version of every locked package, by normalised name.

    An installed package has no lock files: what is installed beside it counts.
    """
    texts = [path.read_text() for name in LOCKS if (path := checkout() / name).exists()]
    return pins("".join(texts)) if texts else installed()


#: The locked packages when this process began to read them.
lock_file = cache(read_lock_file)
