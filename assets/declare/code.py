"""What code a dataset depends on, as hashes that a comment does not move.

Belongs here: the symbols that a dataset is made of, what they reach and a hash of that, the locked versions
of the packages that these use, and the digests of models. Not here: reading a module, and what its names mean
(hashing/modules.py); params and inputs, the other two thirds of a partition's key.

A symbol uses what it mentions, wherever that is defined. Its hash is that of its own text and of the symbols
that it uses. No path of a module enters it: names count, and not files.

What the text alone cannot tell counts as a whole:

- A module that is passed on as a value, or asked for a name that it does not bind, or whose dotted path is in
  a string ("-m ops.crawl.child"), counts with all of its symbols.
- What calls `globals`, `eval`, `exec` or `import_module`, or uses `__name__`, counts with its own module.
- What uses pkgutil counts with all modules below the packages that it mentions.

What a module does when it is imported counts for each of its symbols: statements that bind nothing, and
definitions with a decorator that may register them, which is any but the standard library's. So does what
the modules do that it imports without mentioning them. A class that only its base class knows of, by
`__init_subclass__`, counts where it is mentioned.
"""

from __future__ import annotations

import importlib.metadata
import re
import sys
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar

from assets.declare.hashing.modules import EFFECTS, WHOLE, ProjectNames, Reference, Symbol, kept
from assets.declare.hashing.statements import PROJECT, Import, Statement, is_used, md5
from assets.declare.settings import checkout
from ops.models.installed import digest

#: What turns outcomes into bytes is part of every dataset's code.
WRITER = Symbol("orchestration.files.parquet", "write_outcomes")

#: Where the modules lie that a dataset's code may be made of, and those of a report.
DATASET = ("ops",)
REPORT = ("ops", "pages")


def entry(
    function: Callable[..., Any],
    models: Iterable[str],
    within: Sequence[str] = DATASET,
    about: str = "",
    also: Iterable[Callable[..., Any]] = (),
) -> dict[str, Any]:
    """Return the code entry of an asset function: `code`, `packages` and `models`.

    What counts is what the function reaches, and what writes the rows: symbols of its own module, and of
    modules `within` some packages. So do the functions of `also` that are within these, and `about`, a text.
    Raises LookupError for a package that requirements.lock does not pin.
    """
    reached = symbols(tuple(within))
    further = [found for found in map(symbol_of, also) if reached.counts(found.module)]
    roots = [reached.reach(found) for found in (symbol_of(function), WRITER, *sorted(set(further)))]
    packages = sorted({package for root in roots for package in root.packages})
    hashes = [root.hash for root in roots]
    return {
        "code": md5(repr([*hashes[:2], sorted(hashes[2:]), about])),
        "packages": {name: version for package in packages for name, version in [locked_version(package)]},
        "models": {name: digest(name) for name in sorted(set(models))},
    }


@cache
def rules(symbol: Symbol, within: tuple[str, ...]) -> str:
    """Return a hash of a symbol and what it reaches `within` some packages, and of the packages that it uses.

    Packages count by their locked versions, as those of a dataset do.
    """
    reached = symbols(within).reach(symbol)
    return md5(repr([reached.hash, sorted(map(locked_version, reached.packages))]))


@cache
def symbols(within: tuple[str, ...]) -> Symbols:
    """Return the symbols of this checkout, of modules `within` some packages."""
    return Symbols(checkout(), within)


def symbol_of(function: Callable[..., Any]) -> Symbol:
    """Return the symbol of a function; one inside of another counts with that."""
    return Symbol(function.__module__, function.__qualname__.split(".")[0])


@lru_cache(maxsize=1)
def lock_file() -> tuple[Mapping[str, tuple[str, str]], str]:
    """Return the name and version of every locked package, by its normal name; and the digest of the lock."""
    text = (checkout() / "requirements.lock").read_text()
    pins = re.findall(r"^([A-Za-z0-9._-]+)==([^\s;]+)", text, re.MULTILINE)
    return {_normal(name): (name, version) for name, version in pins}, md5(text)


@cache
def locked_version(package: str) -> tuple[str, str]:
    """Return what requirements.lock pins for an imported package: its name there, and its version."""
    pins, lock = lock_file()
    if found := pins.get(_normal(package)):
        return found
    return pins[kept(f"{lock} {package}", lambda: _distribution(package))]


def _distribution(package: str) -> str:
    """Return the normal name of the locked distribution that has an import package.

    As importlib.metadata.packages_distributions tells it, which splits every record of every package.
    """
    member = re.compile(rf"^{re.escape(package)}[/.]", re.MULTILINE)
    for distribution in importlib.metadata.distributions():
        name = _normal(distribution.name)
        if name in lock_file()[0] and member.search(distribution.read_text("RECORD") or ""):
            return name
    raise LookupError(f"the package {package!r} is imported but requirements.lock does not pin it")


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


class Content(NamedTuple):
    """What counts of a symbol by itself, the symbols that it uses, and the packages from outside."""

    text: list[str]
    uses: list[tuple[str, Symbol]]
    packages: set[str]


class Reach(NamedTuple):
    """The hash of a symbol and all that it reaches, and the packages from outside, as they are imported."""

    hash: str
    packages: frozenset[str]


class Symbols:
    """The symbols of a checkout. Those in modules `within` some packages count, besides a module's own."""

    def __init__(self, root: Path, within: Sequence[str]) -> None:
        self._names = ProjectNames(root)
        self._within = tuple(within)
        self._contents: dict[Symbol, Content] = {}
        self._reached: dict[Symbol, Reach] = {}
        self._registered: dict[str, list[str]] = {}
        self._effects: dict[str, list[Symbol]] = {}

    def reach(self, symbol: Symbol) -> Reach:
        """Return what a symbol reaches. Raises LookupError for a name that its module does not bind."""
        if symbol not in self._reached:
            for component in components(symbol, self._uses, self._reached):
                self._settle(component)
        return self._reached[symbol]

    def counts(self, module: str) -> bool:
        """Say whether the symbols of a module count wherever they are mentioned."""
        return any(module == package or module.startswith(f"{package}.") for package in self._within)

    def _is_seen(self, module: str, symbol: Symbol) -> bool:
        return symbol.module == module or self.counts(symbol.module)

    def content(self, symbol: Symbol) -> Content:
        """Return what counts of a symbol by itself. Raises LookupError as `reach` does."""
        if symbol not in self._contents:
            self._contents[symbol] = self._content(symbol)
        return self._contents[symbol]

    def _uses(self, symbol: Symbol) -> list[Symbol]:
        return [used for _, used in self.content(symbol).uses]

    def _settle(self, component: Sequence[Symbol]) -> None:
        """Hash symbols that reach each other; all else that they reach is hashed."""
        members = frozenset(component)
        known, inner, packages = {}, {}, frozenset[str]()
        for symbol in component:
            text, uses, own_packages = self.content(symbol)
            outer = [(label, self._reached[used]) for label, used in uses if used not in members]
            inner[symbol] = [(label, used) for label, used in uses if used in members]
            known[symbol] = md5(repr([text, sorted((label, used.hash) for label, used in outer)]))
            packages = packages.union(own_packages, *(used.packages for _, used in outer))
        for symbol, found in hashes_together(known, inner).items():
            self._reached[symbol] = Reach(found, packages)

    def _content(self, symbol: Symbol) -> Content:
        module, name = symbol
        source = self._names.source(module)
        content = Content([name], [], set())
        effects = self._effects_of(module)
        if name == WHOLE:
            content.uses.extend((bound, Symbol(module, bound)) for bound in source.names)
            for found in (*source.exported, *source.unused):
                self._add(content, module, found.bound, self._names.follow(found, module, []))
        elif name == EFFECTS:
            content.uses.extend(("decorated", Symbol(module, bound)) for bound in self._decorated(module))
        elif name not in source.names:
            raise LookupError(f"{module} binds no {name}")
        for number, index in enumerate(source.names.get(name, ())):
            self._add_statement(content, symbol, source.statements[index], str(number))
        for found in source.imports.get(WHOLE, ()):
            self._add(content, module, "import *", self._names.follow(found, module, []))
        content.uses.extend(("effect", effect) for effect in effects if effect != symbol)
        return content

    def _add_statement(self, content: Content, symbol: Symbol, statement: Statement, label: str) -> None:
        module = symbol.module
        content.text.append(statement.text)
        meanings = [self._names.resolve(module, chain, statement.imports) for chain in statement.mentions]
        for number, references in enumerate(meanings):
            self._add(content, module, f"{label}.{number}", references)
        for found in statement.imports:
            if found.bound == symbol.name:
                self._add(content, module, f"{label} import", self._names.follow(found, module, []))
            elif not is_used(found, statement.mentions):
                content.uses.extend(("effect", effect) for effect in self._effects_by(found, module))
        if statement.reflects:
            content.uses.append((f"{label} own", Symbol(module, WHOLE)))
        self._add_walked(content, label, [reference for found in meanings for reference in found])
        for path in statement.modules:
            self._add(content, module, f"{label} {path}", self._names.at(path))
        if statement.files:
            self._add_files(content, module, statement.files)

    def _add(self, content: Content, module: str, label: str, references: Iterable[Reference]) -> None:
        """Add what a mention in a module means; of a symbol that does not count its name does."""
        for symbol, text in references:
            if symbol is None:
                package = text.split(".")[0]
                content.text.append(f"{label} {text}")
                if package not in sys.stdlib_module_names and package not in PROJECT:
                    content.packages.add(package)
            elif self._is_seen(module, symbol):
                content.uses.append((f"{label} {text}", symbol))
            else:
                content.text.append(f"{label} {symbol.name} {text}")

    def _add_walked(self, content: Content, label: str, references: Sequence[Reference]) -> None:
        """Add the modules below the packages that a statement with pkgutil mentions."""
        if any(symbol is None and text.split(".")[0] == "pkgutil" for symbol, text in references):
            packages = {symbol.module for symbol, _ in references if symbol and symbol.name == WHOLE}
            walked = (module for package in sorted(packages) for module in self._names.below(package))
            content.uses.extend(
                (f"{label} walked", Symbol(name, WHOLE)) for name in walked if self.counts(name)
            )

    def _add_files(self, content: Content, module: str, files: Iterable[str]) -> None:
        """Add the files beside a module that strings name, by patterns as well."""
        folder = self._names.file(module).parent
        for text in files:
            for path in sorted(folder.glob(text)) if "*" in text else [folder / text]:
                if path.is_file():
                    content.text.append(f"{path.relative_to(folder).as_posix()} {md5(path.read_bytes())}")

    def _effects_of(self, module: str) -> list[Symbol]:
        """Return what is done when a module is imported, by it and by what it imports for that."""
        if module not in self._effects:
            seen, waiting = {module: None}, [module]
            while waiting:
                importing = waiting.pop()
                for found in self._names.source(importing).unused:
                    fresh = [name for name in self._names.imported(found, importing) if name not in seen]
                    waiting += [name for name in fresh if self.counts(name)]
                    seen |= dict.fromkeys(waiting)
            self._effects[module] = [Symbol(name, EFFECTS) for name in seen if self._has_effects(name)]
        return self._effects[module]

    def _effects_by(self, found: Import, module: str) -> Iterator[Symbol]:
        for name in self._names.imported(found, module):
            if self.counts(name):
                yield from self._effects_of(name)

    def _has_effects(self, module: str) -> bool:
        return EFFECTS in self._names.source(module).names or bool(self._decorated(module))

    def _decorated(self, module: str) -> list[str]:
        """Return the definitions of a module that a decorator may register somewhere."""
        if module not in self._registered:
            self._registered[module] = [
                name
                for name, decorator in self._names.source(module).decorated
                if any(self._may_register(module, found) for found in self._names.resolve(module, decorator))
            ]
        return self._registered[module]

    def _may_register(self, module: str, decorator: Reference) -> bool:
        if decorator.symbol is None:
            return decorator.text.split(".")[0] not in sys.stdlib_module_names
        return self._is_seen(module, decorator.symbol)


Node = TypeVar("Node")
#: Edges by what they are called: several may have one name.
Edges: TypeAlias = list[tuple[str, Node]]


def components(
    first: Node, uses: Callable[[Node], Iterable[Node]], done: Container[Node]
) -> Iterator[list[Node]]:
    """Yield the sets of nodes that reach each other, from one on, each set after all that it reaches.

    Tarjan's algorithm (1972), without recursion: functions may call each other a thousand deep. What is
    `done` is left out.
    """
    order, lowest = {first: 0}, {first: 0}
    waiting = {first: None}
    path = [(first, iter(uses(first)))]
    while path:
        node, rest = path[-1]
        for used in rest:
            if used in waiting:
                lowest[node] = min(lowest[node], order[used])
            elif used not in order and used not in done:
                order[used] = lowest[used] = len(order)
                waiting[used] = None
                path.append((used, iter(uses(used))))
                break
        else:
            path.pop()
            if path:
                user = path[-1][0]
                lowest[user] = min(lowest[user], lowest[node])
            if lowest[node] == order[node]:
                component = [waiting.popitem()[0]]
                while component[-1] != node:
                    component.append(waiting.popitem()[0])
                yield component


def hashes_together(known: Mapping[Node, str], edges: Mapping[Node, Edges[Node]]) -> dict[Node, str]:
    """Return the hashes of nodes that reach each other, given a hash of all else that each is made of.

    Round by round a hash tells one more step of what a node reaches, until a round tells no more nodes apart
    (partition refinement, Hopcroft 1971). The hashes of all nodes together then become part of each. Where
    those of two components are equal, no further round tells their nodes apart either, so that they
    reach the same to any depth. The order of the nodes plays no part.
    """
    found, count = dict(known), 0
    while any(edges.values()) and count < (count := len(set(found.values()))):
        found = {
            node: md5(repr([known[node], sorted((name, found[used]) for name, used in edges[node])]))
            for node in known
        }
    together = sorted(set(found.values()))
    return {node: md5(repr([own, together])) for node, own in found.items()}
