"""Reading a statement of the project's own code: its hash changes only if its meaning changes.

Belongs here: which parts of a statement count (not comments, docstrings, layout, imports), and which names it
mentions. Not here: what the statements of a module bind (modules.py), and what a name means (names.py).
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

#: Arguments of a declaration that say how a dataset is checked and shown; they do not affect its rows.
ABOUT = frozenset({"text_pair", "expectations", "measures", "scores", "thresholds", "trains", "trials"})
#: The decorator that takes these arguments.
DATASET_DECORATOR = "dataset"

#: A statement with one of these may reach any name of its module, and modules known only at run time.
_REFLECTION = frozenset({"globals", "eval", "exec", "__import__", "__name__"})
_IMPORTING = "import_module"

#: The package of the project, and the folders of a checkout that are its subpackages.
PACKAGE = "silverloom"
PROJECT = ("ops", "assets", "pages", "orchestration")

#: Strings that may name a file next to the module, or files by a pattern.
_PATH = re.compile(r"[\w*-]+([./][\w*-]+)+")
#: Module paths anywhere in a string; the string may be a program for another process.
_DOTTED = re.compile(rf"(?<![\w./]){PACKAGE}\.(?:{'|'.join(PROJECT)})(?:\.\w+)+")


class Import(NamedTuple):
    """A name that an import binds: `from <base> import <name> as <bound>`; base None: `import <name>`."""

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
    known = {*bound, *(import_.bound for import_ in reader.imports)}
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
    """Yield the names that an import binds; nothing for other nodes. Relative ones are absolute already."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            base, _, name = alias.name.rpartition(".")
            if alias.asname and base:
                yield Import(base, name, alias.asname)
            else:
                yield Import(None, alias.name, alias.asname or alias.name.split(".")[0])
    elif isinstance(node, ast.ImportFrom):
        for alias in node.names:
            yield Import(node.module or "", alias.name, alias.asname or alias.name)


def is_used(import_: Import, mentions: Iterable[str]) -> bool:
    """Return whether some mentions use what an import binds; `import a.b` binds `a` and provides `a.b`."""
    if import_.base is not None or import_.bound == import_.name:
        return any(chain.split(".")[0] == import_.bound for chain in mentions)
    wanted = import_.name if import_.bound == import_.name.split(".")[0] else import_.bound
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
        visible = [
            mention
            for mention in self.mentions[first:]
            if mention[2] or mention[1].split(".")[0] not in hidden
        ]
        self.mentions[first:] = visible

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
            about = (child for word in node.keywords if word not in made for child in ast.walk(word))
            self.aside += filter(None, map(chain_of, about))
        self._fields(node, ("func", "args"))
        self.write(made)
