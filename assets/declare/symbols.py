"""What a symbol of the project's code reaches, as a hash that comments do not change.

Belongs here: what a name means in another module, which symbols a symbol uses, and their hashes. Not here:
reading a module (source.py), which symbols a dataset depends on (code.py).

A symbol uses what it mentions, wherever that is defined. Its hash covers its own text and the symbols that it
uses. It covers no module paths: names count, files do not.

Some uses cannot be read from the text alone. They count as follows:

- A module counts with all of its symbols if it is passed on as a value, asked for a name that it does not
  bind, or named by its dotted path in a string ("-m ops.crawl.child").
- Code that calls `globals`, `eval`, `exec` or `import_module`, or uses `__name__`, counts with its module.
- Code that uses pkgutil counts with all modules below the packages that it mentions.

Effects of importing a module count for each of its symbols: statements that bind nothing, and definitions
with a decorator that may register them (any decorator outside the standard library). The effects of modules
that it imports without mentioning them count, too. A class that only its base class knows about, through
`__init_subclass__`, counts where it is mentioned.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import resolve_name
from pathlib import Path
from typing import NamedTuple

from assets.declare.merkle import components, hashes_together
from assets.declare.source import (
    EFFECTS,
    EMPTY,
    PROJECT,
    Import,
    ModuleSource,
    Statement,
    is_used,
    md5,
    summary,
)

#: The pseudo symbol of everything that a module binds.
WHOLE = "*"


class Symbol(NamedTuple):
    """A name that a module binds at its top level: a function, a class with its methods, a variable."""

    module: str
    name: str


class Reference(NamedTuple):
    """What a name means: a symbol and the attributes that follow; outside the project, only a dotted path."""

    symbol: Symbol | None
    text: str


class ProjectNames:
    """The names of all modules below a folder."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._sources: dict[str, ModuleSource] = {}
        self._files: dict[str, Path] = {}
        self._is_module: dict[str, bool] = {}
        self._members: dict[tuple[str, tuple[str, ...]], list[Reference]] = {}

    def file(self, module: str) -> Path:
        """Return the path of a module, whether or not it exists."""
        if module not in self._files:
            path = self._root / Path(*module.split("."))
            self._files[module] = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        return self._files[module]

    def is_module(self, name: str) -> bool:
        """Return whether a dotted path names a module of the project, or a folder of modules."""
        if name not in self._is_module:
            file = self.file(name)
            is_there = file.is_file() or file.name == "__init__.py"
            self._is_module[name] = name.split(".")[0] in PROJECT and is_there
        return self._is_module[name]

    def source(self, module: str) -> ModuleSource:
        """Return what counts of a module; a folder is empty. Raises FileNotFoundError if it is neither."""
        if module not in self._sources:
            file = self.file(module)
            is_folder = file.name == "__init__.py" and not file.exists()
            self._sources[module] = EMPTY if is_folder else summary(file)
        return self._sources[module]

    def below(self, package: str) -> Iterator[str]:
        """Yield the modules in a package and its subpackages; nothing for a module."""
        if (place := self.file(package)).name == "__init__.py":
            for path in sorted(place.parent.rglob("*.py")):
                inner = path.relative_to(place.parent).with_suffix("").parts
                yield ".".join([package, *(part for part in inner if part != "__init__")])

    def resolve(self, module: str, chain: str, inner: Iterable[Import] = ()) -> list[Reference]:
        """Return all meanings of a chain in a module ("periods.after"): several if imports are conditional.

        `inner` are the imports inside the statement that mentions the chain.
        """
        source = self.source(module)
        root, *rest = chain.split(".")
        found = []
        if root in source.names:
            found.append(Reference(Symbol(module, root), ".".join(rest)))
        bindings = source.imports.get(root, ())
        if inner:
            bindings = [*bindings, *(binding for binding in inner if binding.bound == root)]
        for binding in bindings:
            found += self.follow(binding, module, rest)
        return list(dict.fromkeys(found)) if len(found) > 1 else found

    def follow(
        self, binding: Import, module: str, rest: Sequence[str], seen: frozenset[Symbol] = frozenset()
    ) -> Iterator[Reference]:
        """Yield what an import of a module binds, followed by some attributes."""
        origin, path = binding.name, tuple(rest)
        if binding.base is not None:
            origin = self._base(binding, module)
            path = () if binding.name == WHOLE else (binding.name, *rest)
        elif binding.bound == binding.name.split(".")[0]:
            origin = binding.bound
        if seen:
            yield from self._member(origin, path, seen)
            return
        if (origin, path) not in self._members:
            self._members[origin, path] = [*self._member(origin, path, seen)]
        yield from self._members[origin, path]

    def at(self, path: str) -> Iterator[Reference]:
        """Yield the meanings of a dotted path of the project."""
        first, *rest = path.split(".")
        yield from self._member(first, tuple(rest), frozenset())

    def imported(self, binding: Import, module: str) -> Iterator[str]:
        """Yield the modules of the project that an import runs, without the packages that contain them."""
        names = [binding.name]
        if binding.base is not None:
            base = self._base(binding, module)
            names = [base, f"{base}.{binding.name}"]
        yield from filter(self.is_module, names)

    def _base(self, binding: Import, module: str) -> str:
        if not binding.level:
            return binding.base or ""
        package = module if self.file(module).name == "__init__.py" else module.rpartition(".")[0]
        return resolve_name("." * binding.level + (binding.base or ""), package)

    def _member(self, module: str, path: tuple[str, ...], seen: frozenset[Symbol]) -> Iterator[Reference]:
        """Yield the meanings of some attributes of a module.

        As in Python, a name that the module binds takes precedence over a submodule. A name that is neither
        (`__getattr__`, `__path__`) may mean anything in the module.
        """
        if not self.is_module(module):
            yield Reference(None, ".".join([module, *path]))
            return
        name, rest = (path[0], path[1:]) if path else (WHOLE, ())
        source, symbol = self.source(module), Symbol(module, name)
        if symbol not in seen and (name in source.names or name in source.imports) and path:
            if name in source.names:
                yield Reference(symbol, ".".join(rest))
            for binding in source.imports.get(name, ()):
                yield from self.follow(binding, module, rest, seen | {symbol})
        elif path and self.is_module(f"{module}.{name}"):
            yield from self._member(f"{module}.{name}", rest, seen)
        else:
            yield Reference(Symbol(module, WHOLE), ".".join(path))


class Content(NamedTuple):
    """What counts of a symbol by itself, the symbols that it uses, and the external packages."""

    text: list[str]
    uses: list[tuple[str, Symbol]]
    packages: set[str]


class Reach(NamedTuple):
    """The hash of a symbol and everything that it reaches, and the external packages, by import name."""

    hash: str
    packages: frozenset[str]


class Symbols:
    """The symbols of a checkout. Counts symbols of the own module, and of modules `within` some packages."""

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
        """Return whether the symbols of a module count wherever they are mentioned."""
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
        """Hash the symbols of a component; everything else that they reach is hashed already."""
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
        """Add the meanings of a mention in a module; a symbol that does not count adds only its name."""
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
        """Add the files next to a module that strings name, by patterns as well."""
        folder = self._names.file(module).parent
        for text in files:
            for path in sorted(folder.glob(text)) if "*" in text else [folder / text]:
                if path.is_file():
                    content.text.append(f"{path.relative_to(folder).as_posix()} {md5(path.read_bytes())}")

    def _effects_of(self, module: str) -> list[Symbol]:
        """Return the effects of importing a module: its own, and those of its imports without a mention."""
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
