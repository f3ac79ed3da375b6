"""No module imports itself through others, and a declaration imports what it needs."""

import importlib
import os
import subprocess
import sys
import tomllib
import traceback

import grimp
import networkx
import pytest

from silverloom.assets.codehash.statements import PACKAGE, PROJECT
from silverloom.assets.declare.project import checkout

#: The modules of silverloom.assets.
DECLARATIONS = sorted(
    ".".join((PACKAGE, *path.relative_to(checkout()).with_suffix("").parts)).removesuffix(".__init__")
    for path in (checkout() / "assets").rglob("*.py")
    if path.parent.name != "assets" or path.stem != "__init__"
)

#: One of each system.
QUICK = {module.split(".")[3]: module for module in DECLARATIONS if ".systems." in module}.values()


def around(module):
    """The packages that contain a module."""
    parts = module.split(".")
    return [".".join(parts[:size]) for size in range(1, len(parts))]


def circles(*packages):
    """The modules that import each other, also inside functions; imports for type checkers do not count.

    An import also runs the packages around the imported module; the importing module's own packages are already
    running.
    """
    graph = grimp.build_graph(*packages, exclude_type_checking_imports=True, cache_dir=None)
    edges = [
        (module, place)
        for module in graph.modules
        for needed in graph.find_modules_directly_imported_by(module)
        for place in (needed, *around(needed))
        if place == needed or not f"{module}.".startswith(f"{place}.")
    ]
    found = networkx.strongly_connected_components(networkx.DiGraph(edges))
    return [modules for modules in found if len(modules) > 1]


def test_every_tool_is_told_of_the_same_packages():
    tools = tomllib.loads((checkout() / "pyproject.toml").read_text())["tool"]
    assert tools["setuptools"]["packages"]["find"]["include"] == [PACKAGE, f"{PACKAGE}.*"]
    assert tools["mypy"]["packages"] == tools["importlinter"]["root_packages"] == [PACKAGE]
    for name in PROJECT:
        assert (checkout() / PACKAGE / name).readlink().as_posix() == f"../{name}"


def test_there_is_no_circle_of_imports():
    assert circles(PACKAGE) == []


@pytest.mark.parametrize(
    "late", ["", "def later():\n    ", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    "]
)
def test_a_circle_through_a_package_is_found_and_imports_for_types_do_not_count(tmp_path, monkeypatch, late):
    ring = f"ring{len(late)}"
    (tmp_path / ring / "inner").mkdir(parents=True)
    (tmp_path / ring / "__init__.py").touch()
    (tmp_path / ring / "lines.py").write_text(f"from {ring}.inner import first\n")
    (tmp_path / ring / "inner/__init__.py").write_text(f"from {ring}.inner import first\n")
    (tmp_path / ring / "inner/first.py").write_text(f"{late}from {ring}.lines import first\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert circles(ring) == (
        [] if "TYPE_CHECKING" in late else [{f"{ring}.lines", f"{ring}.inner", f"{ring}.inner.first"}]
    )


def test_a_circle_through_the_package_of_a_module_is_found(tmp_path, monkeypatch):
    files = {
        "loop/__init__": "",
        "loop/lines": "from loop.papers.files import read\n",
        "loop/papers/__init__": "from loop.papers.scirex import parse\n",
        "loop/papers/files": "read = 1\n",
        "loop/papers/scirex": "from loop.lines import split\n",
    }
    for name, text in files.items():
        path = tmp_path / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    assert circles("loop") == [{"loop.lines", "loop.papers", "loop.papers.scirex"}]


@pytest.mark.parametrize(
    "module",
    [
        pytest.param(module, marks=pytest.mark.long)
        if ".systems." in module and module not in QUICK
        else module
        for module in DECLARATIONS
    ],
)
def test_a_module_of_declarations_can_be_imported_first(module):
    """In a fork, which already has the libraries in memory; no circle of imports is found among those of systems."""
    importlib.import_module("silverloom.assets.systems.talksumm.models")

    reader, writer = os.pipe()
    if (child := os.fork()) == 0:
        try:
            for name in [name for name in sys.modules if f"{name}.".startswith("silverloom.assets.")]:
                del sys.modules[name]
            __import__(module)
        except BaseException:
            os.write(writer, traceback.format_exc(limit=-1).encode()[:4000])
        finally:
            os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    with os.fdopen(reader) as stream:
        assert stream.read() == ""


def test_declarations_load_no_library_that_only_steps_need():
    """Every command loads all declarations, and importing these libraries takes up to seconds."""
    code = f"""
import importlib, sys

for name in {DECLARATIONS}:
    importlib.import_module(name)
heavy = {{"ctranslate2", "duckdb", "faster_whisper", "numba", "onnxruntime", "pandas", "sklearn"}}
heavy |= {{"tokenizers", "torch", "transformers"}}
print(*sorted(heavy & sys.modules.keys()))
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == []
