"""Reading the project's own code for hashing: a statement's hash changes only if its meaning changes.

Belongs here: which parts of a statement count (not comments, docstrings, layout, imports), which names it
mentions, what the statements of a module bind, and caching the result. Not here: what a name means in another
module, and which symbols count (symbols.py).
"""

from __future__ import annotations

import ast
import hashlib
import re
import sqlite3
import sys
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import diskcache

from assets.declare.settings import checkout

#: Arguments of a declaration that say how a dataset is checked and shown; they do not affect its rows.
ABOUT = frozenset({"text_pair", "expectations", "measures", "scores", "thresholds", "trains", "trials"})
#: The decorator that takes these arguments.
DATASET_DECORATOR = "dataset"

#: A statement with one of these may reach any name of its module, and modules known only at run time.
_REFLECTION = frozenset({"globals", "eval", "exec", "__import__", "__name__"})
_IMPORTING = "import_module"

#: The packages of the project.
PROJECT = ("ops", "assets", "pages", "orchestration")

#: Strings that may name a file next to the module, or files by a pattern.
_PATH = re.compile(r"[\w*-]+([./][\w*-]+)+")
#: Module paths anywhere in a string; the string may be a program for another process.
_DOTTED = re.compile(rf"(?<![\w./])(?:{'|'.join(PROJECT)})(?:\.\w+)+")


class Import(NamedTuple):
    """A name that an import binds: `from <dots><base> import <name> as <bound>`; base None: `import x`."""

    level: int
    base: str | None
    name: str
    bound: str


class Statement(NamedTuple):
    """The parts of a statement that count."""

    text: str
    """A hash of its syntax tree, in which numbers replace the names that it mentions: `#0` for the first."""
    mentions: list[str]
    """Names of the module, each with the attributes that follow it ("periods.after"), by number."""
    imports: list[Import]
    """The imports inside the statement."""
    files: list[str]
    """Strings that may name files."""
    modules: list[str]
    """Dotted paths of the project in strings."""
    reflects: bool
    """Whether it may reach any name of its module."""
    aside: list[str]
    """Other names that it mentions, which do not affect rows: see ABOUT."""


def read_statement(node: ast.stmt, bound: Collection[str]) -> Statement:
    """Return the parts that count of a statement in a module that binds the names `bound`."""
    reader = _Reader()
    reader.write(node)
    known = {*bound, *(found.bound for found in reader.imports)}
    numbers: dict[str, int] = {}
    reflects = False
    for place, chain, _ in reader.mentions:
        root, _, attributes = chain.partition(".")
        reflects |= (attributes or root).rpartition(".")[2] == _IMPORTING
        if root in known:
            reader.parts[place] = f"#{numbers.setdefault(chain, len(numbers))}"
        else:
            reflects |= root in _REFLECTION
    files, modules = sorted(reader.files), sorted(reader.modules)
    text = md5(" ".join(reader.parts))
    return Statement(text, [*numbers], reader.imports, files, modules, reflects, reader.aside)


def imported(node: ast.AST) -> Iterator[Import]:
    """Yield the names that an import binds; nothing for other nodes."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            base, _, name = alias.name.rpartition(".")
            if alias.asname and base:
                yield Import(0, base, name, alias.asname)
            else:
                yield Import(0, None, alias.name, alias.asname or alias.name.split(".")[0])
    elif isinstance(node, ast.ImportFrom):
        for alias in node.names:
            yield Import(node.level, node.module or "", alias.name, alias.asname or alias.name)


def is_used(found: Import, mentions: Iterable[str]) -> bool:
    """Return whether some mentions use what an import binds; `import a.b` binds `a` and provides `a.b`."""
    if found.base is not None or found.bound == found.name:
        return any(chain.split(".")[0] == found.bound for chain in mentions)
    wanted = found.name if found.bound == found.name.split(".")[0] else found.bound
    return any(f"{chain}.".startswith(f"{wanted}.") or wanted.startswith(f"{chain}.") for chain in mentions)


def is_docstring(node: ast.AST) -> bool:
    """Return whether a statement is only a string: a docstring of a module, class, function or attribute."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def chain_of(node: ast.AST) -> str | None:
    """Return a name with the attributes that follow it, "periods.after"; None for other expressions."""
    attributes: list[str] = []
    while isinstance(node, ast.Attribute):
        attributes.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(attributes)])


def md5(content: str | bytes) -> str:
    """Return the MD5 of bytes, or of a text as UTF-8: 32 hexadecimal digits."""
    content = content.encode() if isinstance(content, str) else content
    return hashlib.md5(content, usedforsecurity=False).hexdigest()


class _Reader(ast.NodeVisitor):
    """Writes a tree and records what it mentions, in one walk.

    A name that a function binds hides the module's name within that function; it is written as plain text. A
    class hides nothing, because its methods do not see its names.
    """

    def __init__(self) -> None:
        self.parts: list[str] = []
        #: The index in `parts`, the chain, and whether no scope can hide it (`global name`).
        self.mentions: list[tuple[int, str, bool]] = []
        self.imports: list[Import] = []
        self.files: set[str] = set()
        self.modules: set[str] = set()
        self.aside: list[str] = []
        self._scopes: list[set[str]] = [set()]
        self._globals: list[set[str]] = [set()]

    def write(self, value: object) -> None:
        """Write a node, a list of nodes, or the value of a field."""
        if isinstance(value, ast.AST):
            self.visit(value)
        elif isinstance(value, list):
            self.parts.append("[")
            for item in value:
                if isinstance(item, (ast.Import, ast.ImportFrom)):
                    self.imports.extend(imported(item))
                elif not is_docstring(item):
                    self.write(item)
            self.parts.append("]")
        else:
            self.parts.append(repr(value))

    def generic_visit(self, node: ast.AST) -> None:
        self._fields(node, node._fields)

    def _fields(self, node: ast.AST, names: Iterable[str]) -> None:
        self.parts += (type(node).__name__, "(")
        for name in names:
            self.write(getattr(node, name, None))
        self.parts.append(")")

    def _mention(self, chain: str, certain: bool = False) -> None:
        self.mentions.append((len(self.parts), chain, certain))
        self.parts.append(chain)

    def _open(self, names: Iterable[str] = ()) -> int:
        self._scopes.append(set(names))
        self._globals.append(set())
        return len(self.mentions)

    def _close(self, first: int) -> None:
        """End a scope: from index `first` on, names that it binds are not mentions of the module's names."""
        hidden = self._scopes.pop() - self._globals.pop()
        kept = [found for found in self.mentions[first:] if found[2] or found[1].split(".")[0] not in hidden]
        self.mentions[first:] = kept

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self._mention(node.id)
        else:
            self._scopes[-1].add(node.id)
            self.parts.append(node.id)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if chain := chain_of(node):
            self._mention(chain)
        else:
            self._fields(node, ("value", "attr"))

    def visit_Constant(self, node: ast.Constant) -> None:
        self.parts.append(repr(node.value))
        if isinstance(node.value, str):
            self.modules.update(_DOTTED.findall(node.value))
            if _PATH.fullmatch(node.value):
                self.files.add(node.value)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> None:
        """Write decorators, defaults and annotations outside the function's scope, and its body inside."""
        if not isinstance(node, ast.Lambda):
            self._scopes[-1].add(node.name)
        outside = [name for name in node._fields if name not in ("body", "type_comment")]
        self._fields(node, outside)
        arguments = node.args
        listed = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        rest = [argument for argument in (arguments.vararg, arguments.kwarg) if argument]
        first = self._open(argument.arg for argument in (*listed, *rest))
        self.write(node.body)
        self._close(first)

    visit_AsyncFunctionDef = visit_Lambda = visit_FunctionDef  # noqa: N815

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> None:
        """Write the first iterable outside the scope, and the rest inside."""
        self.write(node.generators[0].iter)
        first = self._open()
        self._fields(node, [name for name in node._fields if name != "generators"])
        for number, generator in enumerate(node.generators):
            fields = [name for name in generator._fields if number or name != "iter"]
            self._fields(generator, fields)
        self._close(first)

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp  # noqa: N815

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._scopes[-1].add(node.name)
        self._scopes.append(set())
        self._globals.append(set())
        self._fields(node, node._fields)
        self._scopes.pop()
        self._globals.pop()

    def visit_Global(self, node: ast.Global) -> None:
        self._globals[-1].update(node.names)
        self.parts.append("global")
        for name in node.names:
            self._mention(name, certain=True)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        self._globals[-1].update(node.names)
        self._fields(node, node._fields)

    def visit_ExceptHandler(self, node: ast.ExceptHandler | ast.MatchAs | ast.MatchStar) -> None:
        if node.name:
            self._scopes[-1].add(node.name)
        self._fields(node, node._fields)

    visit_MatchAs = visit_MatchStar = visit_ExceptHandler  # noqa: N815

    def visit_Call(self, node: ast.Call) -> None:
        """Write a call, without the arguments of a dataset's declaration that do not affect its rows."""
        made = node.keywords
        if isinstance(node.func, ast.Name) and node.func.id == DATASET_DECORATOR:
            made = [word for word in node.keywords if word.arg not in ABOUT]
            about = (found for word in node.keywords if word not in made for found in ast.walk(word))
            self.aside += filter(None, map(chain_of, about))
        self._fields(node, ("func", "args"))
        self.write(made)


#: Cache of what was read, by the file's digest: every command reads some hundred modules at its start.
CACHE = ".silverloom/modules"

#: The pseudo symbols of a module's statements that bind nothing, and of its part that runs as a program.
EFFECTS, PROGRAM = "", "__main__"

#: What a damaged cache raises, or one that another process holds: then everything is read without it.
_UNUSABLE = (sqlite3.Error, diskcache.Timeout, OSError, ValueError, zlib.error)
#: Seconds to wait for another process: reading a module takes less.
_PATIENCE = 1

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
    decorated: list[tuple[str, str]]
    """Functions and classes with a decorator that is a name of the module: (name, decorator)."""


#: The content of a folder that is not a package.
EMPTY = ModuleSource([], {}, {}, [], [], [])


def summary(path: Path) -> ModuleSource:
    """Return the parts that count of a module's file. Comments, docstrings and layout do not."""
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
    """Return the value of a key, computed once per checkout: JSON that depends only on the key.

    None is not cached, but computed again.
    """
    with suppress(*_UNUSABLE):
        if (store := file_cache(checkout())) is not None and (found := store.get(key)) is not None:
            return found
    made = make()
    with suppress(*_UNUSABLE):
        if made is not None and (store := file_cache(checkout())) is not None:
            store.set(key, made)
    return made


def _imports(read: Iterable[Iterable[Any]]) -> list[Import]:
    """Return imports, converted back from JSON."""
    return [Import(*fields) for fields in read]


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
    read = [read_statement(node, bound) for node in module.nodes]
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


@cache
def file_cache(root: Path) -> diskcache.Cache | None:
    """Open the cache of a checkout, JSON in SQLite; None before set-up, or if it cannot be opened."""
    folder = root / CACHE
    with suppress(*_UNUSABLE):
        if folder.parent.is_dir():
            return diskcache.Cache(str(folder), _PATIENCE, diskcache.JSONDisk, size_limit=2**26)
    return None


@cache
def _reader() -> str:
    """Return what a summary depends on apart from the module: Python's version and this file."""
    return f"{sys.version_info[:2]} {md5(Path(__file__).read_bytes())}"
