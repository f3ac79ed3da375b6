"""A system is a set of files: no file outside names it."""

import ast
import pkgutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from silverloom.assets.codehash.statements import PROJECT
from silverloom.assets.declare.project import checkout
from tests.systems import own_folders

SYSTEMS = sorted(module.name for module in pkgutil.iter_modules([str(checkout() / "assets/systems")]))


def source_files(root: Path) -> Iterator[Path]:
    """Every source file, including templates and scripts."""
    for package in PROJECT:
        for path in sorted((root / package).rglob("*")):
            if path.suffix in {".py", ".html", ".js", ".css", ".yaml"}:
                yield path


def code_words(path: Path) -> Iterator[str]:
    """The words of a file's code: Python identifiers and strings, without docstrings, comments and help texts."""
    text = path.read_text()
    if path.suffix != ".py":
        yield text
        return
    tree = ast.parse(text)
    passed_over = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and ast.unparse(call.func).startswith("typer."):
            passed_over |= {id(word.value) for word in call.keywords if word.arg == "help"}
    for node in ast.walk(tree):
        if id(node) in passed_over:
            continue
        for _, value in ast.iter_fields(node):
            yield from [value] if isinstance(value, str) else []


@cache
def lower_cased(path: Path) -> frozenset[str]:
    """Those words in lower case: a file is parsed once for all systems."""
    return frozenset(word.lower() for word in code_words(path))


def naming(root: Path, system: str) -> set[str]:
    """The files that name a system but do not belong to it."""
    found = set()
    for path in source_files(root):
        place = path.relative_to(root).as_posix()
        own = any(place.startswith((f"{folder}/", f"{folder}.")) for folder in own_folders(system))
        if not own and any(system in word for word in lower_cased(path)):
            found.add(place)
    return found


def test_there_are_systems():
    assert {"discofuse", "talksumm"} <= set(SYSTEMS)


def test_no_file_outside_a_system_names_it():
    assert {system: naming(checkout(), system) for system in SYSTEMS} == {system: set() for system in SYSTEMS}


@pytest.mark.parametrize(
    "line",
    [
        "from silverloom.ops.loom import warp",
        "import silverloom.ops.loom.warp",
        "LOOM_ROWS = 3",
        "def of_loom(): ...",
        "call(loom=1)",
        "name = 'loom/warps'",
        "name = f'data/{folder}/loom'",
    ],
)
def test_code_that_names_a_system_is_found(tmp_path, line):
    for folder in ("ops/loom", "assets/systems", "orchestration"):
        (tmp_path / folder).mkdir(parents=True)
    for place in ("ops/loom/warp.py", "assets/systems/loom.py", "orchestration/run.py"):
        (tmp_path / place).write_text(f'"""As in Loom (1804)."""\n# of Loom\n{line}\n')
    assert naming(tmp_path, "loom") == {"orchestration/run.py"}


@pytest.mark.parametrize(
    "line", ['typer.Option(help="A group (loom).")', "x = 1  # loom", '"""loom"""', "x: int\n'''loom'''"]
)
def test_docstrings_comments_and_help_texts_may_name_one(tmp_path, line):
    (tmp_path / "orchestration").mkdir()
    (tmp_path / "orchestration/run.py").write_text(f"{line}\n")
    assert naming(tmp_path, "loom") == set()


def test_templates_and_scripts_are_searched_literally(tmp_path):
    (tmp_path / "orchestration").mkdir()
    (tmp_path / "orchestration/page.html").write_text("<p>loom</p>")
    assert naming(tmp_path, "loom") == {"orchestration/page.html"}
