"""Every module can be imported first: there is no circle of imports, and a declaration brings what it reads."""

import ast
import graphlib
import os
import sys
import traceback

import pytest

from assets.declare.settings import checkout


def modules(root, *packages):
    """The files of the modules of some packages, by their names."""
    found = {}
    for path in sorted(path for package in packages for path in (root / package).rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(statements):
    """The import statements that run when their module is imported, wherever they stand."""
    for statement in statements:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            yield statement
        elif not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            only_for_types = isinstance(statement, ast.If) and "TYPE_CHECKING" in ast.unparse(statement.test)
            for name in ("orelse",) if only_for_types else ("body", "handlers", "orelse", "finalbody"):
                yield from imports(getattr(statement, name, ()))


def needed(module, path, known):
    """The modules that run before a module has run, without the packages around it, which have begun to."""
    for statement in imports(ast.parse(path.read_text()).body):
        if isinstance(statement, ast.Import):
            names = [alias.name for alias in statement.names]
        else:
            inside = [f"{statement.module}.{alias.name}" for alias in statement.names]
            names = [name if name in known else str(statement.module) for name in inside]
        for name in names:
            parts = name.split(".")
            around = [".".join(parts[:size]) for size in range(1, len(parts))]
            yield from known & {
                name,
                *(package for package in around if not f"{module}.".startswith(f"{package}.")),
            }


def circle(root, *packages):
    """The modules of a circle of imports; [] where there is none."""
    files = modules(root, *packages)
    graph = {module: set(needed(module, path, files.keys())) for module, path in files.items()}
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return error.args[1]
    return []


def test_there_is_no_circle_of_imports():
    assert circle(checkout(), "ops", "assets", "orchestration") == []


@pytest.mark.parametrize("late", ["", "def later():\n    ", "if TYPE_CHECKING:\n    "])
def test_a_circle_through_a_package_is_found_and_imports_that_do_not_run_are_none(tmp_path, late):
    (tmp_path / "ring/inner").mkdir(parents=True)
    (tmp_path / "ring/lines.py").write_text("from ring.inner.files import found\n")
    (tmp_path / "ring/inner/files.py").write_text("found = 1\n")
    (tmp_path / "ring/inner/__init__.py").write_text("from ring.inner import first\n")
    (tmp_path / "ring/inner/first.py").write_text(f"{late}from ring.lines import found\n")
    found = {"ring.lines", "ring.inner", "ring.inner.first"} if not late else set()
    assert set(circle(tmp_path, "ring")) == found


@pytest.mark.parametrize("module", [name for name in modules(checkout(), "assets") if name != "assets"])
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
