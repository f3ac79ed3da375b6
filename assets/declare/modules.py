"""What counts of one module: its syntax tree, the data files that it names, its imports.

Belongs here: reading a module, and keeping what was read. Not here: which modules count (code.py).
"""

from __future__ import annotations

import ast
import hashlib
import re
import sqlite3
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import diskcache

from assets.declare.settings import checkout

#: Where what was read is kept, by the digest of the file: every command begins with some hundred modules.
CACHE = ".silverloom/modules"

#: What a cache that is damaged, or that another process holds, raises: then all is read as without it.
_UNUSABLE = (sqlite3.Error, diskcache.Timeout, OSError, ValueError, zlib.error)
#: Seconds to wait for another process: to read a module takes less.
_PATIENCE = 1


class Import(NamedTuple):
    """A name that an import binds: `from <dots><base> import <name> as <bound>`; else without base."""

    level: int
    base: str | None
    name: str
    bound: str


@dataclass(frozen=True)
class ModuleSource:
    """What counts of a module: a hash of its tree, the strings in it that may name files, its imports."""

    tree: str
    files: list[str]
    imports: list[Import]


def summary(path: Path) -> ModuleSource:
    """Return what counts of a module's file. Comments, docstrings and layout do not."""
    content = path.read_bytes()
    found = kept(f"{_reader()} {md5(content)}", lambda: asdict(_summary(content)))
    return ModuleSource(found["tree"], found["files"], [Import(*names) for names in found["imports"]])


def kept(key: str, make: Callable[[], Any]) -> Any:
    """Return the value of a key, made once in this checkout: JSON that depends on nothing but the key."""
    with suppress(*_UNUSABLE):
        if (store := _cache()) is not None and (found := store.get(key)) is not None:
            return found
    made = make()
    with suppress(*_UNUSABLE):
        if (store := _cache()) is not None:
            store.set(key, made)
    return made


def dump(tree: ast.AST) -> str:
    """Return a tree as text, without docstrings (of attributes as well), positions and comments.

    The tree loses its docstrings: to copy it first takes longer than all else.
    """
    for node in ast.walk(tree):
        _strip(node)
    return ast.dump(tree)


def imports(nodes: Iterable[ast.AST]) -> Iterator[Import]:
    """Yield the names that the imports among some nodes bind."""
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(0, None, alias.name, alias.asname or alias.name.split(".")[0])
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield Import(node.level, node.module or "", alias.name, alias.asname or alias.name)


def md5(content: str | bytes) -> str:
    """Return the MD5 of bytes, or of a text as UTF-8: 32 hexadecimal digits."""
    content = content.encode() if isinstance(content, str) else content
    return hashlib.md5(content, usedforsecurity=False).hexdigest()


def _summary(content: bytes) -> ModuleSource:
    """Find everything in one walk."""
    strings, importing = set(), []
    for node in ast.walk(tree := ast.parse(content)):
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str):
                strings.add(node.value)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            importing.append(node)
        else:
            _strip(node)
    files = sorted(text for text in strings if re.fullmatch(r"[\w*-]+([./][\w*-]+)+", text))
    return ModuleSource(md5(ast.dump(tree)), files, list(imports(importing)))


@cache
def _cache() -> diskcache.Cache | None:
    """Open the cache of this checkout, JSON in SQLite; None before set-up, and where it cannot be opened."""
    folder = checkout() / CACHE
    with suppress(*_UNUSABLE):
        if folder.parent.is_dir():
            return diskcache.Cache(str(folder), _PATIENCE, diskcache.JSONDisk, size_limit=2**25)
    return None


@cache
def _reader() -> str:
    """Return what a summary depends on beside the module: Python's version and this file."""
    return f"{sys.version_info[:2]} {md5(Path(__file__).read_bytes())}"


def _strip(node: ast.AST) -> None:
    body = getattr(node, "body", None)
    if isinstance(body, list):
        node.body = [line for line in body if not _is_docstring(line)]  # type: ignore[attr-defined]


def _is_docstring(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
