"""What a symbol of the project's code reaches, as a hash that comments do not change.

Belongs here: which symbols a symbol uses, and their hashes. Not here: what a name means in another module
(names.py), which symbols a dataset depends on (assets/declare/code.py).

A symbol uses what it mentions, wherever that is defined. Its hash covers the text of every symbol that it
reaches, each with the places of what it mentions. So symbols that use each other need no care: what they
reach is one set.

Some uses cannot be read from the text alone. They count as follows:

- A module counts with all of its symbols if it is passed on as a value, asked for a name that it does not
  bind, or named by its dotted path in a string ("-m silverloom.ops.crawl.child").
- Code that calls `globals`, `eval`, `exec` or `import_module`, or uses `__name__`, counts with its module.
- Code that uses pkgutil counts with all modules below the packages that it mentions.

Effects of importing a module count for each of its symbols: statements that bind nothing, and definitions
with a decorator that may register them (any decorator outside the standard library and assets/). The effects
of modules that it imports without mentioning them count, too. A class that only its base class knows about,
through `__init_subclass__`, counts where it is mentioned.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

from silverloom.assets.codehash.modules import EFFECTS
from silverloom.assets.codehash.names import WHOLE, Meaning, ProjectNames, Symbol
from silverloom.assets.codehash.statements import PACKAGE, Import, Statement, is_used, md5


class Reach(NamedTuple):
    """The hash of a symbol and everything that it reaches, and the external packages, by import name."""

    hash: str
    packages: set[str]


class Content:
    """What counts of a symbol by itself, the symbols that it uses, and the external packages."""

    def __init__(self) -> None:
        self.text: list[object] = []
        self.uses: set[Symbol] = set()
        self.packages: set[str] = set()


class Symbols:
    """The symbols of a checkout. Counts symbols of the own module, and of modules `within` some packages."""

    def __init__(self, names: ProjectNames, within: Sequence[str]) -> None:
        self._names = names
        self._within = tuple(within)
        self._hashed = cache(self._hash)

    def reach(self, symbol: Symbol) -> Reach:
        """Return what a symbol reaches. Raises LookupError for a name that its module does not bind."""
        hashed = [self._hashed(used) for used in self.reached(symbol)]
        packages = set[str]().union(*(content.packages for _, content in hashed))
        return Reach(md5(repr([symbol, sorted(own for own, _ in hashed if own)])), packages)

    def reached(self, symbol: Symbol) -> set[Symbol]:
        """Return all symbols that a symbol reaches, itself included. Raises LookupError as `reach` does."""
        reached, waiting = {symbol}, [symbol]
        while waiting:
            fresh = self._hashed(waiting.pop())[1].uses - reached
            reached |= fresh
            waiting += fresh
        return reached

    def counts(self, module: str) -> bool:
        """Return whether the symbols of a module count wherever they are mentioned."""
        return any(f"{module}.".startswith(f"{package}.") for package in self._within)

    def _hash(self, symbol: Symbol) -> tuple[str, Content]:
        """Return what counts of a symbol by itself, after a hash of it: "" if it only points to others."""
        module, name = symbol
        source = self._names.source(module)
        if name not in source.names and name not in (WHOLE, EFFECTS):
            raise LookupError(f"{module} binds no {name}")
        content = Content()
        for number in source.names.get(name, ()):
            self._add_statement(content, symbol, source.statements[number])
        for import_ in source.imports.get(WHOLE, ()):
            self._add(content, module, self._names.follow(import_))
        if name == WHOLE:
            content.uses |= {Symbol(module, bound) for bound in source.names}
            for import_ in (*source.exported, *source.unused):
                self._add(content, module, self._names.follow(import_))
        content.uses.add(Symbol(module, EFFECTS))
        if name == EFFECTS:
            content.uses.update(*map(self._effects, source.unused))
        return md5(repr([symbol, content.text])) if content.text else "", content

    def _effects(self, import_: Import) -> set[Symbol]:
        """Return the effects of an import whose name is not mentioned."""
        return {Symbol(name, EFFECTS) for name in self._names.imported(import_) if self.counts(name)}

    def _add_statement(self, content: Content, symbol: Symbol, statement: Statement) -> None:
        module = symbol.module
        content.text.append(statement.text)
        meanings = [[*self._names.resolve(module, chain, statement.imports)] for chain in statement.mentions]
        for meaning in meanings:
            self._add(content, module, meaning)
        self._add_walked(content, {reference for meaning in meanings for reference in meaning})
        for import_ in statement.imports:
            if import_.bound == symbol.name:
                self._add(content, module, self._names.follow(import_))
            elif not is_used(import_, statement.mentions):
                content.uses |= self._effects(import_)
        if statement.reflects:
            content.uses.add(Symbol(module, WHOLE))
        for path in statement.modules:
            first, *rest = path.split(".")
            self._add(content, module, self._names.member(first, rest))
        folder = self._names.file(module).parent
        for pattern in statement.files:
            paths = sorted(folder.glob(pattern)) if "*" in pattern else [folder / pattern]
            files = [path for path in paths if path.is_file()]
            content.text += [(path.relative_to(folder).as_posix(), md5(path.read_bytes())) for path in files]

    def _add(self, content: Content, module: str, meanings: Iterable[Meaning]) -> None:
        """Add the meanings of a mention in a module; a symbol that does not count adds only its name."""
        texts = set[str]()
        for symbol, attributes in meanings:
            if symbol is None:
                texts.add(attributes)
                package = attributes.split(".")[0]
                if package not in sys.stdlib_module_names and package != PACKAGE:
                    content.packages.add(package)
            elif symbol.module == module or self.counts(symbol.module):
                texts.add(f"{symbol.module} {symbol.name} {attributes}")
                content.uses.add(symbol)
            else:
                texts.add(f"{symbol.name} {attributes}")
        content.text.append(sorted(texts))

    def _add_walked(self, content: Content, meanings: Iterable[Meaning]) -> None:
        """Add the modules below the packages that a statement with pkgutil mentions."""
        if any(symbol is None and text.split(".")[0] == "pkgutil" for symbol, text in meanings):
            packages = {f"{symbol.module}." for symbol, _ in meanings if symbol and symbol.name == WHOLE}
            walked = {name for name in self._names.files if f"{name}.".startswith((*packages,))}
            content.uses |= {Symbol(name, WHOLE) for name in walked if self.counts(name)}
