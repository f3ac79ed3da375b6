"""What a name in a module of the project means: a symbol of the project, or something from outside.

Belongs here: following names through imports, re-exports and attributes of modules. Not here: reading a
module (modules.py), and what a symbol reaches (symbols.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib.util import resolve_name
from pathlib import Path
from typing import NamedTuple

from assets.declare.hashing.modules import EMPTY, ModuleSource, summary
from assets.declare.hashing.statements import PROJECT, Import

#: The pseudo symbol of all that a module binds.
WHOLE = "*"


class Symbol(NamedTuple):
    """A name that a module binds at its top: a function, a class with its methods, a variable."""

    module: str
    name: str


class Reference(NamedTuple):
    """What a name means: a symbol and the attributes that follow; or, from outside, a dotted path alone."""

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
        """Return where a module lies, or would."""
        if module not in self._files:
            path = self._root / Path(*module.split("."))
            self._files[module] = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        return self._files[module]

    def is_module(self, name: str) -> bool:
        """Say whether a dotted path is that of a module of the project, or of a folder of modules."""
        if name not in self._is_module:
            file = self.file(name)
            is_there = file.is_file() or file.name == "__init__.py"
            self._is_module[name] = name.split(".")[0] in PROJECT and is_there
        return self._is_module[name]

    def source(self, module: str) -> ModuleSource:
        """Return what counts of a module, nothing of a folder. Raises FileNotFoundError for neither."""
        if module not in self._sources:
            file = self.file(module)
            is_folder = file.name == "__init__.py" and not file.exists()
            self._sources[module] = EMPTY if is_folder else summary(file)
        return self._sources[module]

    def below(self, package: str) -> Iterator[str]:
        """Yield the modules of a package, and of those in it; none of a module."""
        if (place := self.file(package)).name == "__init__.py":
            for path in sorted(place.parent.rglob("*.py")):
                inner = path.relative_to(place.parent).with_suffix("").parts
                yield ".".join([package, *(part for part in inner if part != "__init__")])

    def resolve(self, module: str, chain: str, inner: Iterable[Import] = ()) -> list[Reference]:
        """Return what a chain in a module means ("periods.after"), once each: an import may depend on a test.

        `inner` are the imports of the statement that mentions it.
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
        """Yield what an import of a module binds, and what attributes of that are."""
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
        """Yield what a dotted path of the project means."""
        first, *rest = path.split(".")
        yield from self._member(first, tuple(rest), frozenset())

    def imported(self, binding: Import, module: str) -> Iterator[str]:
        """Yield the modules of the project that an import runs, besides the packages that they are in."""
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
        """Yield what some attributes of a module mean.

        What the module itself binds goes before a module in it, as in Python; what neither is (`__getattr__`,
        `__path__`) may be anything of the module.
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
