"""What a name of one module means: a symbol of another, a whole module, or something outside the project.

Belongs here: the modules of a checkout, and following imports through them. Not here: reading a module
(modules.py), and which symbols count (symbols.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from silverloom.assets.codehash.modules import EMPTY, ModuleSource, read_module
from silverloom.assets.codehash.statements import PACKAGE, PROJECT, Import

#: The pseudo symbol of everything that a module binds.
WHOLE = "*"


class Symbol(NamedTuple):
    """A name that a module binds at its top level: a function, a class with its methods, a variable."""

    module: str
    name: str


class Meaning(NamedTuple):
    """What a name means: a symbol and the attributes that follow; outside the project, only a dotted path."""

    symbol: Symbol | None
    text: str


class ProjectNames:
    """The names of all modules of the package, of which the subpackages lie in a folder."""

    def __init__(self, root: Path) -> None:
        self._root = root
        #: The file of each module of the project; that of a folder may not exist.
        self.files: dict[str, Path] = {}
        for path in sorted(path for folder in PROJECT for path in (root / folder).rglob("*.py")):
            name = _dotted(path.relative_to(root).with_suffix(""))
            if path.stem != "__init__":
                self.files.setdefault(name, path)
            for folder in path.relative_to(root).parents:
                self.files.setdefault(_dotted(folder), root / folder / "__init__.py")
        self.source = cache(self._read)

    def file(self, module: str) -> Path:
        """Return the file of a module, be it one of the project's packages or any other below the folder."""
        return self.files.get(module, self._root / Path(*module.split(".")).with_suffix(".py"))

    def _read(self, module: str) -> ModuleSource:
        """Return what counts of a module; a folder is empty. Raises FileNotFoundError if there is neither."""
        file = self.file(module)
        if module == PACKAGE or (module in self.files and not file.exists()):
            return EMPTY
        package = module if file.stem == "__init__" else module.rpartition(".")[0]
        return read_module(file.read_bytes(), package)

    def resolve(self, module: str, chain: str, inner: Iterable[Import] = ()) -> Iterator[Meaning]:
        """Yield all meanings of a chain in a module ("periods.after"): several if imports are conditional.

        `inner` are the imports inside the statement that mentions the chain.
        """
        source = self.source(module)
        name, *rest = chain.split(".")
        if name in source.names:
            yield Meaning(Symbol(module, name), ".".join(rest))
        for import_ in (
            *source.imports.get(name, ()),
            *(import_ for import_ in inner if import_.bound == name),
        ):
            yield from self.follow(import_, rest)

    def follow(
        self, import_: Import, rest: Iterable[str] = (), seen: frozenset[Symbol] = frozenset()
    ) -> Iterator[Meaning]:
        """Yield what an import binds, followed by some attributes."""
        if import_.base is None:
            return self.member(import_.name.split(".")[0], [*rest], seen)
        return self.member(import_.base, [] if import_.name == WHOLE else [import_.name, *rest], seen)

    def imported(self, import_: Import) -> Iterator[str]:
        """Yield the modules of the project that an import runs, without the packages that contain them."""
        names = [import_.name] if import_.base is None else [import_.base, f"{import_.base}.{import_.name}"]
        return (name for name in names if name in self.files)

    def member(
        self, module: str, path: list[str], seen: frozenset[Symbol] = frozenset()
    ) -> Iterator[Meaning]:
        """Yield the meanings of some attributes of a module.

        As in Python, a name that the module binds takes precedence over a submodule. A name that is neither
        (`__getattr__`, `__path__`) may mean anything in the module.
        """
        if module not in self.files:
            yield Meaning(None, ".".join([module, *path]))
            return
        name, *rest = path or [WHOLE]
        source, symbol = self.source(module), Symbol(module, name)
        if path and symbol not in seen and (name in source.names or name in source.imports):
            if name in source.names:
                yield Meaning(symbol, ".".join(rest))
            for import_ in source.imports.get(name, ()):
                yield from self.follow(import_, rest, seen | {symbol})
        elif path and f"{module}.{name}" in self.files:
            yield from self.member(f"{module}.{name}", rest, seen)
        else:
            yield Meaning(Symbol(module, WHOLE), ".".join(path))


def _dotted(path: Path) -> str:
    return ".".join((PACKAGE, *path.parts))
