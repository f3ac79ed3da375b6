"""Tests use public names, wait for pages, and keep shared helpers in modules of their own.

Belongs here: rules for the sources of all tests, checked on their syntax. Not here: what one test asserts.
"""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
#: Counters of the compiler, which has no public ones.
NO_PUBLIC_DOOR = {"torch._dynamo.utils"}
#: Calls of Playwright that read at once, where `expect` waits until it is so.
AT_ONCE = {
    "all_inner_texts",
    "all_text_contents",
    "inner_text",
    "input_value",
    "is_checked",
    "is_disabled",
    "is_hidden",
    "is_visible",
    "text_content",
    "title",
}


#: Calls that wait for a text, or find an element by it.
SEEN = {"assert_text", "get_by_text", "to_contain_text", "to_have_text"}
#: This many words in a row are a sentence of a page, not a name or a number with its unit; options belong to
#: commands.
SENTENCE = 4


@cache
def sources():
    """The path and the syntax tree of each test file, parsed once for all rules."""
    return [(path.relative_to(TESTS), ast.parse(path.read_text())) for path in sorted(TESTS.rglob("*.py"))]


def is_private(name):
    return any(part[:1] == "_" and part[:2] != "__" for part in name.split("."))


def imported(tree):
    """Yield the modules that a file imports, anywhere in it, and the names that it takes from each."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield node.module or "", [(alias.name, alias.asname or alias.name) for alias in node.names]
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, [("", alias.asname or alias.name.partition(".")[0])]


def private_names(tree):
    """Yield the private names of the project's modules that a file reads or sets."""
    modules = set()
    for module, names in imported(tree):
        if module.partition(".")[0] == "silverloom":
            yield from (f"{module}.{name}" for name, _ in names if is_private(name))
            modules |= {bound for _, bound in names}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr):
            if ast.unparse(node.value).partition(".")[0] in modules:
                yield ast.unparse(node)
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("setattr", "patch"):
            names = [word.value for word in node.args[:2] if isinstance(word, ast.Constant)]
            yield from (str(name) for name in names if is_private(str(name)))


def read_at_once(tree):
    """Yield the assertions of a file that read a page at once."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            called = {
                call.func.attr
                for call in ast.walk(node)
                if isinstance(getattr(call, "func", None), ast.Attribute)
            }
            if called & AT_ONCE:
                yield ast.unparse(node)


def frozen(tree, pages):
    """Yield the texts of a file that repeat a sentence of the pages: SENTENCE words in a row."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in SEEN:
            for word in ast.walk(ast.Module([ast.Expr(value) for value in node.args], [])):
                if isinstance(word, ast.Constant) and isinstance(word.value, str):
                    words = word.value.split()
                    runs = [" ".join(words[at : at + SENTENCE]) for at in range(len(words) - SENTENCE + 1)]
                    yield from (run for run in runs if f" {run} " in pages and " -" not in run)


def test_no_module_imports_a_test_module_or_a_conftest():
    found = [
        f"{path}: {module}"
        for path, _ in sources()
        for module in re.findall(r"\btests\.[\w.]*\b(?:test_\w+|conftest)\b", (TESTS / path).read_text())
    ]
    assert not found


def test_no_test_freezes_a_sentence_of_a_page():
    files = [*(TESTS.parent / "pages").rglob("*.html"), *(TESTS.parent / "pages").rglob("*.js")]
    pages = " ".join(re.sub(r"<[^>]*>|[\"`.,:;()]", " ", path.read_text()) for path in files)
    pages = f" {' '.join(pages.split())} "
    found = [f"{path}: {text}" for path, tree in sources() for text in frozen(tree, pages)]
    assert not found


def test_no_test_uses_a_private_name_of_the_project():
    found = [f"{path}: {name}" for path, tree in sources() for name in private_names(tree)]
    assert not found


def test_no_test_imports_a_private_module_of_another_tool():
    found = [
        f"{path}: {module}"
        for path, tree in sources()
        for module, _ in imported(tree)
        if is_private(module) and module not in NO_PUBLIC_DOOR
    ]
    assert not found


def test_content_that_a_page_loads_later_is_waited_for():
    found = [
        f"{path}: {what}"
        for path, tree in sources()
        if path.parts[0] == "browser" and path.name.startswith("test_page")
        for what in read_at_once(tree)
    ]
    assert not found


@pytest.mark.parametrize(
    "source",
    [
        "from silverloom.ops.text import words\nwords._cache()",
        "from silverloom.ops.text.words import _cache",
        "from silverloom import ops\nfrom silverloom.pages import rows\ndef test(patch): patch.setattr(rows, '_PAGE', 1)",
        "def test(patch): patch.setattr('silverloom.ops.text.words._cache', None)",
        "from silverloom.ops.text import words\nwords.Words._cache",
        "def test(patch): patch.setattr(made, '_answers', print)",
    ],
)
def test_a_private_name_is_found(source):
    assert list(private_names(ast.parse(source)))


@pytest.mark.parametrize(
    "source",
    [
        "from silverloom.ops.text.words import words\nwords()._asdict()",
        "from pathlib import Path\ndef test(patch): patch.setattr(Path, 'unlink', print)",
        "class A:\n    def b(self): return self._c",
    ],
)
def test_a_public_name_is_not_mistaken_for_a_private_one(source):
    assert not list(private_names(ast.parse(source)))


def test_a_sentence_of_a_page_is_found():
    pages = " the talk never describes it "
    for text, found in (
        ("the talk never describes", 1),
        ("talk never describes", 0),
        ("passage 1 of 2, at 02:22", 0),
    ):
        assert len(list(frozen(ast.parse(f"opened.assert_text({text!r})"), pages))) == found
