"""Reading a module of the project's own code: what its statements and imports bind.

Belongs here: the statements by the names that they bind, statements that bind nothing, and imports that exist
for their side effects. Not here: what counts of a statement (statements.py), what a name means (names.py).
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from importlib.util import resolve_name
from typing import NamedTuple

from silverloom.assets.codehash.statements import (
    PACKAGE,
    Import,
    Statement,
    chain_of,
    imported,
    is_docstring,
    is_used,
    read_statement,
)

#: The pseudo symbols of a module's statements that bind nothing, and of its part that runs as a program.
EFFECTS, PROGRAM = "", "__main__"

#: Decorators from here, and from the standard library, register nothing that rows depend on.
_DECLARES = f"{PACKAGE}.assets."

_COMPOUND = (ast.If, ast.Try, ast.With)
_OWN_SCOPE = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_DEFINITION = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class ModuleSource(NamedTuple):
    """The parts of a module that count."""

    statements: list[Statement]
    names: dict[str, list[int]]
    """The statements that bind a name, by number."""
    imports: dict[str, list[Import]]
    """The top-level imports that bind a name."""
    unused: list[Import]
    """Imports whose names the module neither mentions nor exports: they exist for their side effects."""
    exported: list[Import]
    """Imports whose names it only exports, by `__all__`."""


#: The content of a folder that is not a package.
EMPTY = ModuleSource([], {}, {}, [], [])


class _Module:
    """The statements of a module, and what binds its names."""

    def __init__(self, tree: ast.Module) -> None:
        self.nodes: list[ast.stmt] = []
        self.names: dict[str, list[int]] = {}
        self.imports: list[Import] = []
        #: Imports that only type checkers run.
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

    def add_registered(self) -> None:
        """Count the definitions that a decorator may register somewhere as effects of the module, too."""
        origins = {import_.bound: import_.base or import_.name for import_ in (*self.imports, *self.typing)}
        for number, node in enumerate(self.nodes):
            for call in getattr(node, "decorator_list", ()):
                name = (chain_of(call.func if isinstance(call, ast.Call) else call) or "").split(".")[0]
                if name in self.names or _may_register(origins.get(name, "sys")):
                    self.names.setdefault(EFFECTS, []).append(number)


def read_module(content: bytes, package: str) -> ModuleSource:
    """Return the parts that count of a module in a package. Comments, docstrings and layout do not."""
    tree = ast.parse(content)
    for node in ast.walk(tree) if b"from ." in content else ():
        if isinstance(node, ast.ImportFrom) and node.level:
            node.module = resolve_name("." * node.level + (node.module or ""), package)
    module = _Module(tree)
    module.add_registered()
    imports: dict[str, list[Import]] = {}
    for import_ in (*module.imports, *module.typing):
        imports.setdefault(import_.bound, []).append(import_)
    bound = module.names.keys() | imports.keys()
    public = {
        node.value
        for number in module.names.get("__all__", ())
        for node in ast.walk(module.nodes[number])
        if isinstance(node, ast.Constant)
    }
    read = [read_statement(node, bound) for node in module.nodes]
    mentions = {chain for statement in read for chain in (*statement.mentions, *statement.aside)}
    loose = [
        import_
        for import_ in module.imports
        if import_.base != "__future__" and not is_used(import_, mentions)
    ]
    unused = [import_ for import_ in loose if import_.bound not in public]
    exported = [import_ for import_ in loose if import_.bound in public]
    return ModuleSource(read, module.names, imports, unused, exported)


def _may_register(origin: str) -> bool:
    """Return whether a decorator imported from a module may register what it decorates."""
    return origin.split(".")[0] not in sys.stdlib_module_names and not f"{origin}.".startswith(_DECLARES)


def _bound(node: ast.AST) -> Iterator[str]:
    """Yield the names that a statement binds in its module."""
    if isinstance(node, _DEFINITION):
        yield node.name
        return
    if isinstance(node, _OWN_SCOPE):
        return
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    yield from (import_.bound for import_ in imported(node))
    for child in ast.iter_child_nodes(node):
        yield from _bound(child)


def _only_binds(node: ast.AST) -> bool:
    """Return whether a statement only binds names; those count where they are mentioned."""
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
    """Return whether a statement is `if __name__ == "__main__":`, which no import runs."""
    return (
        isinstance(node, ast.If)
        and isinstance(node.test, ast.Compare)
        and ast.unparse(node.test) == "__name__ == '__main__'"
        and not node.orelse
    )
