"""Type names are unique, so that a reader who meets a type knows which one it is."""

import ast
from collections import defaultdict

import pytest

from silverloom.assets.codehash.statements import PROJECT
from silverloom.assets.declare.project import checkout

SYSTEMS = {path.stem for path in (checkout() / "assets/systems").iterdir() if path.stem[0] not in "_."}


def types(tree):
    """The public classes and type aliases of a module."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            name = node.name
        elif isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "TypeAlias":
            name = node.target.id
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript | ast.BinOp):
            name = getattr(node.targets[0], "id", "_")
        else:
            continue
        if name[0].isalpha() and not name.isupper() and name[0].isupper():
            yield name


def owner(path):
    """The system that a module belongs to; None for shared modules."""
    return next((part for part in path.with_suffix("").parts if part in SYSTEMS), None)


def shared_names(root):
    """The names of several types. Two systems may use the same name, because neither knows the other."""
    found = defaultdict(list)
    for path in sorted(path for package in PROJECT for path in (root / package).rglob("*.py")):
        for name in types(ast.parse(path.read_text())):
            found[name].append(owner(path.relative_to(root)))
    return {name for name, owners in found.items() if len(owners) > max(1, len(set(owners) - {None}))}


def test_no_two_types_share_a_name():
    assert shared_names(checkout()) == set()


@pytest.mark.parametrize(
    ("first", "second", "shared"),
    [
        ("ops/text/a.py", "orchestration/b.py", {"Place"}),
        ("ops/text/a.py", "ops/talksumm/b.py", {"Place"}),
        ("ops/talksumm/a.py", "ops/talksumm/b.py", {"Place"}),
        ("ops/talksumm/a.py", "assets/systems/discofuse/b.py", set()),
    ],
)
def test_a_name_of_two_types_is_found_unless_two_systems_use_it(tmp_path, first, second, shared):
    for path, text in ((first, "class Place:\n    pass\n"), (second, "Place: TypeAlias = tuple[str, str]\n")):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    assert shared_names(tmp_path) == shared
