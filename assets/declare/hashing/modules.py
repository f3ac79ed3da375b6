"""What counts of one module: its top-level statements, the names that they bind and mention, its imports.

Belongs here: reading a module, and keeping what was read. Not here: what a name means in another module
(symbols.py), and which symbols count (assets/declare/code.py).
"""

from __future__ import annotations

import ast
import sqlite3
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import diskcache

from assets.declare.hashing import statements as statements
from assets.declare.hashing.statements import (
    Import,
    Statement,
    chain_of,
    imported,
    is_docstring,
    is_used,
    md5,
)
from assets.declare.settings import checkout

#: Where what was read is kept, by the digest of the file: every command begins with some hundred modules.
CACHE = ".silverloom/modules"

#: The pseudo symbol of the statements of a module that bind nothing, and that of its part as a program.
EFFECTS, PROGRAM = "", "__main__"

#: What a cache that is damaged, or that another process holds, raises: then all is read as without it.
_UNUSABLE = (sqlite3.Error, diskcache.Timeout, OSError, ValueError, zlib.error)
#: Seconds to wait for another process: to read a module takes less.
_PATIENCE = 1

_COMPOUND = (ast.If, ast.Try, ast.With)
_OWN_SCOPE = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_DEFINITION = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class ModuleSource(NamedTuple):
    """What counts of a module."""

    statements: list[Statement]
    names: dict[str, list[int]]
    """The statements that bind a name, by their numbers."""
    imports: dict[str, list[Import]]
    """The imports at the top that bind a name."""
    unused: list[Import]
    """Those whose names the module neither mentions nor exports: they are there for their effect."""
    exported: list[Import]
    """Those whose names it only exports, by `__all__`."""
    decorated: list[tuple[str, str]]
    """Functions and classes with a decorator that the module has a name for: (name, decorator)."""


#: What counts of a folder that is no package.
EMPTY = ModuleSource([], {}, {}, [], [], [])


def summary(path: Path) -> ModuleSource:
    """Return what counts of a module's file. Comments, docstrings and layout do not."""
    content = path.read_bytes()
    found = ModuleSource(*kept(f"{_reader()} {md5(content)}", lambda: _summary(content)))
    return ModuleSource(
        [
            read._replace(imports=_imports(read.imports)) if read.imports else read
            for read in (Statement(*fields) for fields in found.statements)
        ],
        found.names,
        {name: _imports(bindings) for name, bindings in found.imports.items()},
        _imports(found.unused),
        _imports(found.exported),
        [(name, decorator) for name, decorator in found.decorated],
    )


def kept(key: str, make: Callable[[], Any] = lambda: None) -> Any:
    """Return the value of a key, made once in this checkout: JSON that depends on nothing but the key.

    None is not kept, but made again.
    """
    with suppress(*_UNUSABLE):
        if (store := _cache()) is not None and (found := store.get(key)) is not None:
            return found
    made = make()
    with suppress(*_UNUSABLE):
        if made is not None and (store := _cache()) is not None:
            store.set(key, made)
    return made


def _imports(read: Iterable[Iterable[Any]]) -> list[Import]:
    """Return imports as they were before they were JSON."""
    return [Import(*fields) for fields in read]


class _Module:
    """The statements of a module, and what binds its names."""

    def __init__(self, tree: ast.Module) -> None:
        self.nodes: list[ast.stmt] = []
        self.names: dict[str, list[int]] = {}
        self.imports: list[Import] = []
        #: Those that only type checkers run.
        self.typing: list[Import] = []
        self._collect(tree.body, typing=False)

    def _collect(self, body: Iterable[ast.stmt], typing: bool) -> None:
        for node in body:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                (self.typing if typing else self.imports).extend(imported(node))
            elif isinstance(node, ast.If) and (chain_of(node.test) or "").endswith("TYPE_CHECKING"):
                self._collect(node.body, typing=True)
                self._collect(node.orelse, typing)
            elif not is_docstring(node) and not isinstance(node, ast.Pass):
                self._add(node, typing)

    def _add(self, node: ast.stmt, typing: bool) -> None:
        names = set(_bound(node))
        if _is_program(node):
            names = {PROGRAM}
        elif not (typing or _only_binds(node)):
            names.add(EFFECTS)
        for name in names:
            self.names.setdefault(name, []).append(len(self.nodes))
        self.nodes.append(node)

    @property
    def decorated(self) -> list[tuple[str, str]]:
        return [
            (node.name, decorator)
            for node in self.nodes
            if isinstance(node, _DEFINITION)
            for call in node.decorator_list
            if (decorator := chain_of(call.func if isinstance(call, ast.Call) else call))
        ]


def _summary(content: bytes) -> ModuleSource:
    module = _Module(ast.parse(content))
    imports: dict[str, list[Import]] = {}
    for found in (*module.imports, *module.typing):
        imports.setdefault(found.bound, []).append(found)
    bound = module.names.keys() | imports.keys()
    decorated = [
        (name, decorator) for name, decorator in module.decorated if decorator.split(".")[0] in bound
    ]
    public = {
        node.value
        for number in module.names.get("__all__", ())
        for node in ast.walk(module.nodes[number])
        if isinstance(node, ast.Constant)
    }
    read = [statements.read_statement(node, bound) for node in module.nodes]
    mentions = {chain for statement in read for chain in (*statement.mentions, *statement.aside)}
    loose = [found for found in module.imports if found.base != "__future__" and not is_used(found, mentions)]
    unused = [found for found in loose if found.bound not in public]
    exported = [found for found in loose if found.bound in public]
    return ModuleSource(read, module.names, imports, unused, exported, decorated)


def _bound(node: ast.AST) -> Iterator[str]:
    """Yield the names that a statement binds in its module."""
    if isinstance(node, _DEFINITION):
        yield node.name
        return
    if isinstance(node, _OWN_SCOPE):
        return
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    yield from (found.bound for found in imported(node))
    for child in ast.iter_child_nodes(node):
        yield from _bound(child)


def _only_binds(node: ast.AST) -> bool:
    """Say whether a statement does nothing but bind names, which count where they are mentioned."""
    if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        return all(map(_is_name, node.targets if isinstance(node, ast.Assign) else [node.target]))
    if isinstance(node, _COMPOUND):
        blocks = ("body", "orelse", "finalbody")
        lines = [line for block in blocks for line in getattr(node, block, ())]
        lines += [line for handler in getattr(node, "handlers", ()) for line in handler.body]
        return all(map(_only_binds, lines)) and any(_bound(node))
    return isinstance(node, (*_DEFINITION, ast.Import, ast.ImportFrom, ast.Pass)) or is_docstring(node)


def _is_name(target: ast.AST) -> bool:
    if isinstance(target, (ast.Tuple, ast.List)):
        return all(map(_is_name, target.elts))
    return isinstance(target.value if isinstance(target, ast.Starred) else target, ast.Name)


def _is_program(node: ast.AST) -> bool:
    """Say whether a statement is `if __name__ == "__main__":`, which no import runs."""
    return (
        isinstance(node, ast.If)
        and isinstance(node.test, ast.Compare)
        and ast.unparse(node.test) == "__name__ == '__main__'"
        and not node.orelse
    )


@cache
def _cache() -> diskcache.Cache | None:
    """Open the cache of this checkout, JSON in SQLite; None before set-up, and where it cannot be opened."""
    folder = checkout() / CACHE
    with suppress(*_UNUSABLE):
        if folder.parent.is_dir():
            return diskcache.Cache(str(folder), _PATIENCE, diskcache.JSONDisk, size_limit=2**26)
    return None


@cache
def _reader() -> str:
    """Return what a summary depends on beside the module: Python's version and what reads it."""
    readers = [md5(Path(str(name)).read_bytes()) for name in (__file__, statements.__file__)]
    return f"{sys.version_info[:2]} {readers}"
