"""What code a dataset depends on, as hashes that a comment does not move.

Belongs here: the syntax tree of an asset function and of the modules that it imports (their closure
inside the project), the locked versions of the packages which those import, and the digests of models.
Not here: params and inputs, which are the other two thirds of a partition's key.
"""

from __future__ import annotations

import ast
import importlib.metadata
import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib.util import resolve_name
from pathlib import Path
from types import ModuleType
from typing import Any

from assets.declare.modules import Import, ModuleSource, dump, imports, kept, md5, summary
from assets.declare.settings import checkout
from ops.models.digest import digest

#: What turns outcomes into bytes is part of every dataset's code.
WRITER = "orchestration.files.parquet"
PROJECT = ("ops", "assets", "orchestration")

#: Where the modules lie that a dataset's code may be made of, and those of a report.
DATASET = ("ops",)
REPORT = (
    "ops",
    "orchestration.pages",
    "orchestration.lineage",
    "orchestration.quality.profile",
    "orchestration.state.counts",
    "orchestration.files.json_ready",
    "orchestration.files.page_paths",
    "orchestration.files.vega",
)

#: What a declaration says of how a dataset is checked and shown: it looks at the data and makes none of it.
ABOUT = frozenset({"text_pair", "expectations", "measures", "scores", "thresholds", "trains", "trials"})


def entry(
    function: Callable[..., Any],
    models: Iterable[str],
    within: Sequence[str] = DATASET,
    about: str = "",
    also: Iterable[str] = (),
) -> dict[str, Any]:
    """Return the code entry of an asset function: `code`, `packages` and `models`.

    Of the project's modules those `within` these packages count that the function or `also` names, and what
    they import; so does `about`, a text. Modules are followed as a whole, through imports inside functions as
    well. A data file beside a module counts as part of it where the module names it, or a pattern that it
    matches ("static/*.js"). A module that walks packages with pkgutil imports all modules of those that it
    names. Raises LookupError for a package that requirements.lock does not pin.
    """
    trees = _own_definitions(function)
    named = [name for name in also if _inside(name, within)]
    modules = closure([*_used_modules(function, trees, within), *named, WRITER], within)
    parts = {f" {number}": dump(tree) for number, tree in enumerate(trees)}
    parts |= {name: _module_hash(name) for name in modules}
    parts |= {" about": about} if about else {}
    packages = sorted({package for name in modules for package in _imports(name)[1]})
    return {
        "code": md5(repr(sorted(parts.items()))),
        "packages": {name: version for package in packages for name, version in [_locked(package)]},
        "models": {name: digest(name) for name in sorted(set(models))},
    }


@cache
def rules(module: str, within: tuple[str, ...]) -> str:
    """Return a hash of a module, of those `within` some packages that it imports, and of all locked packages.

    Packages count by their locked versions, as those of a dataset do.
    """
    modules = closure([module], within)
    packages = {package for name in modules for package in _imports(name)[1]}
    return md5(repr([*((name, _module_hash(name)) for name in modules), *sorted(map(_locked, packages))]))


def closure(names: Iterable[str], within: Sequence[str] = PROJECT) -> list[str]:
    """Return these and the modules `within` some packages that they import, directly or not; sorted."""
    seen: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting.extend(module for module in _imports(name)[0] if _inside(module, within))
    return sorted(seen)


def _inside(module: str, within: Sequence[str]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in within)


def _file(module: str) -> Path:
    path = checkout() / Path(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


@cache
def _read(module: str) -> ModuleSource:
    return summary(_file(module))


@cache
def _module_hash(module: str) -> str:
    read, folder = _read(module), _file(module).parent
    paths = {path for name in read.files for path in (folder.glob(name) if "*" in name else [folder / name])}
    files = [path for path in sorted(paths) if path.is_file()]
    data = [(path.relative_to(folder).as_posix(), md5(path.read_bytes())) for path in files]
    return md5(read.tree + repr(data))


@cache
def _imports(module: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the project's modules and the packages from outside that a module imports."""
    inside, outside, walks = set(), set(), False
    for name, _ in _bound(_read(module).imports, module):
        if name.split(".")[0] in PROJECT:
            inside.add(name)
        elif name.split(".")[0] not in sys.stdlib_module_names:
            outside.add(name.split(".")[0])
        elif name == "pkgutil":
            walks = True
    if walks:
        inside |= {found for name in inside for found in _below(name)}
    return frozenset(inside - {module}), frozenset(outside)


def _below(package: str) -> Iterator[str]:
    """Yield the modules of a package, and of those in it; none of a module."""
    if (place := _file(package)).name == "__init__.py":
        for path in sorted(place.parent.rglob("*.py")):
            yield ".".join([package, *path.relative_to(place.parent).with_suffix("").parts])


def _bound(found: Iterable[Import], module: str) -> Iterator[tuple[str, str]]:
    """Yield (imported module, bound name) for each name that a module's imports bind.

    What is imported from a package is the module of that name, where there is one.
    """
    package = module if _file(module).name == "__init__.py" else module.rpartition(".")[0]
    for level, origin, name, bound in found:
        if origin is None:
            yield name, bound
        else:
            base = resolve_name("." * level + origin, package)
            is_module = base.split(".")[0] in PROJECT and _file(f"{base}.{name}").is_file()
            yield f"{base}.{name}" if is_module else base, bound


@cache
def _source_tree(module: ModuleType) -> ast.Module:
    return ast.parse(inspect.getsource(module))


def _own_definitions(function: Callable[..., Any]) -> list[ast.AST]:
    """Return the function and what its own module defines and it mentions, directly or not.

    An argument hides the dataset that it is named after.
    """
    module = inspect.getmodule(function)
    assert module is not None
    defined: dict[str, ast.AST] = {}
    for node in _source_tree(module).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            defined[node.name] = node
        elif isinstance(node, ast.Assign):
            defined |= {target.id: node for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            defined[node.target.id] = node
    found: list[ast.AST] = [_function_tree(function)]
    seen = {function.__name__}
    for tree in found:
        fresh = sorted((_mentioned(tree) & defined.keys()) - seen)
        seen.update(fresh)
        found += [defined[name] for name in fresh]
    return found


def _mentioned(tree: ast.AST) -> set[str]:
    arguments = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - arguments


def _used_modules(function: Callable[..., Any], trees: Iterable[ast.AST], within: Sequence[str]) -> list[str]:
    """Return the modules whose names an asset function, or what it uses of its own module, mentions."""
    module = inspect.getmodule(function)
    assert module is not None
    nodes = [*_source_tree(module).body, *(node for tree in trees for node in ast.walk(tree))]
    bound = {name: target for target, name in _bound(imports(nodes), module.__name__)}
    names = {name for tree in trees for name in _mentioned(tree)}
    return sorted({bound[name] for name in names if name in bound and _inside(bound[name], within)})


def _function_tree(function: Callable[..., Any]) -> ast.Module:
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            for call in node.decorator_list:
                if isinstance(call, ast.Call):
                    call.keywords = [word for word in call.keywords if word.arg not in ABOUT]
    return tree


@lru_cache(maxsize=1)
def _lock() -> tuple[Mapping[str, tuple[str, str]], str]:
    """Return the name and version of every locked package, by its normal name; and the digest of the lock."""
    text = (checkout() / "requirements.lock").read_text()
    pins = re.findall(r"^([A-Za-z0-9._-]+)==([^\s;]+)", text, re.MULTILINE)
    return {_normal(name): (name, version) for name, version in pins}, md5(text)


@cache
def _locked(package: str) -> tuple[str, str]:
    pins, lock = _lock()
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
        if name in _lock()[0] and member.search(distribution.read_text("RECORD") or ""):
            return name
    raise LookupError(f"the package {package!r} is imported but requirements.lock does not pin it")


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
