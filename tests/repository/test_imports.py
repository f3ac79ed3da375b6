"""No module imports itself through others, and a declaration brings what it reads."""

import os
import sys
import traceback

import grimp
import networkx
import pytest


def circles(*packages):
    """The modules that import each other, also inside functions; imports for type checkers are none."""
    graph = grimp.build_graph(*packages, exclude_type_checking_imports=True, cache_dir=None)
    edges = [
        (module, needed)
        for module in graph.modules
        for needed in graph.find_modules_directly_imported_by(module)
    ]
    found = networkx.strongly_connected_components(networkx.DiGraph(edges))
    return [modules for modules in found if len(modules) > 1]


def test_there_is_no_circle_of_imports():
    assert circles("ops", "assets", "orchestration") == []


@pytest.mark.parametrize(
    "late", ["", "def later():\n    ", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    "]
)
def test_a_circle_through_a_package_is_found_and_imports_for_types_are_none(tmp_path, monkeypatch, late):
    ring = f"ring{len(late)}"
    (tmp_path / ring / "inner").mkdir(parents=True)
    (tmp_path / ring / "__init__.py").touch()
    (tmp_path / ring / "lines.py").write_text(f"from {ring}.inner import first\n")
    (tmp_path / ring / "inner/__init__.py").write_text(f"from {ring}.inner import first\n")
    (tmp_path / ring / "inner/first.py").write_text(f"{late}from {ring}.lines import first\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert circles(ring) == ([] if "TYPE_CHECKING" in late else [{f"{ring}.lines", f"{ring}.inner.first"}])


@pytest.mark.parametrize("module", sorted(grimp.build_graph("assets", cache_dir=None).modules - {"assets"}))
def test_a_module_of_declarations_can_be_imported_first(module):
    """In a fork, which has the libraries in memory."""
    import assets.systems.talksumm.models  # noqa: F401

    reader, writer = os.pipe()
    if (child := os.fork()) == 0:
        try:
            for name in [name for name in sys.modules if name.partition(".")[0] == "assets"]:
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
