"""What tests have in common lies beside them: none imports another."""

import ast
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]


def imported(path):
    """Yield the modules that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            yield node.module or ""
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def test_no_module_imports_a_module_of_tests():
    found = [
        f"{path.relative_to(TESTS)}: {module}"
        for path in sorted(TESTS.rglob("*.py"))
        for module in imported(path)
        if module.rpartition(".")[2].startswith("test_")
    ]
    assert not found
