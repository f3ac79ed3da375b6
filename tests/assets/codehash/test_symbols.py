"""Which changes of the project's source change the hash of a symbol, and which do not."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.assets.codehash.names import ProjectNames, Symbol
from silverloom.assets.codehash.symbols import Symbols

ROOT = Symbol("silverloom.ops.a", "f")


def symbols(sources, within=("silverloom.ops",)):
    """The symbols of a project of some modules (by dotted name; `.init` for a package) and other files."""
    root = Path(tempfile.mkdtemp())
    for name, text in sources.items():
        module = name.removeprefix("silverloom.").replace(".init", ".__init__")
        path = root / name if "/" in name else root / Path(*module.split(".")).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Symbols(ProjectNames(root), within)


def hash_of(sources, symbol=ROOT, within=("silverloom.ops",)):
    return symbols(sources, within).reach(symbol).hash


def same(one, other, symbol=ROOT):
    return hash_of(one, symbol) == hash_of(other, symbol)


HELPER = "def g(x):\n    return x + 1\n"
USER = {"silverloom.ops.a": "from silverloom.ops.b import g\ndef f(x):\n    return g(x)\n"}


@pytest.mark.parametrize(
    "text",
    [
        "from silverloom.ops.b import g\n\n# a comment\ndef f(x):\n    '''Says.'''\n    return (g(x))\n",
        "import os\nimport numpy\nfrom silverloom.ops.b import g, unused\ndef f(x):\n    return g(x)\n",
        "from silverloom.ops.b import g\ndef f(x):\n    return g(x)\ndef new(y):\n    return y\n",
        "from silverloom.ops.b import g as plus\ndef f(x):\n    return plus(x)\n",
        "from .b import g\ndef f(x):\n    return g(x)\n",
        "import silverloom.ops.b\ndef f(x):\n    return silverloom.ops.b.g(x)\n",
        "from silverloom.ops import b as base\ndef f(x):\n    return base.g(x)\n",
        "def f(x):\n    from silverloom.ops.b import g\n    return g(x)\n",
        "from silverloom.ops import g\ndef f(x):\n    return g(x)\n",
        "from silverloom.ops.c import g\ndef f(x):\n    return g(x)\n",
    ],
    ids=[
        "comment, docstring, layout",
        "unused imports",
        "a new function in its module",
        "imported under another name",
        "imported from a relative path",
        "as attribute of a module",
        "as attribute of a module of another name",
        "imported inside the function",
        "through the package, which exports it",
        "through two modules that import it",
    ],
)
def test_equivalent_code_has_the_same_hash(text):
    others = {
        "silverloom.ops.b": f"{HELPER}def unused():\n    pass\n",
        "silverloom.ops.init": "from silverloom.ops.c import g\n__all__ = ['g']\n",
        "silverloom.ops.c": "from silverloom.ops.b import g\n",
    }
    assert same({**USER, **others}, {**others, "silverloom.ops.a": text})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("silverloom.ops.b", "def g(x):\n    return x + 2\n"),
        ("silverloom.ops.b", "def g(x, y=0):\n    return x + 1\n"),
        ("silverloom.ops.b", "import functools\n@functools.cache\ndef g(x):\n    return x + 1\n"),
        ("silverloom.ops.b", "ONE = 1\ndef g(x):\n    return x + ONE\n"),
        ("silverloom.ops.a", "from silverloom.ops.b import g\ndef f(x):\n    return g(x) + 0\n"),
        ("silverloom.ops.a", "from silverloom.ops.b import g\ndef f(y):\n    return g(y)\n"),
    ],
    ids=["a constant", "a default", "a decorator", "a variable", "its own text", "a name of a local"],
)
def test_code_with_another_meaning_has_another_hash(name, text):
    before = {**USER, "silverloom.ops.b": HELPER}
    assert not same(before, {**before, name: text})


def test_swapping_helpers_of_the_same_name_changes_the_hash():
    user = "from silverloom.ops import b, c\ndef f(x):\n    return b.g(x) - c.g(x)\n"
    one, two = "def g(x):\n    return 1\n", "def g(x):\n    return 2\n"
    assert not same(
        {"silverloom.ops.a": user, "silverloom.ops.b": one, "silverloom.ops.c": two},
        {"silverloom.ops.a": user, "silverloom.ops.b": two, "silverloom.ops.c": one},
    )
    swapped = "from silverloom.ops import b, c\ndef f(x):\n    return c.g(x) - b.g(x)\n"
    helpers = {"silverloom.ops.b": one, "silverloom.ops.c": two}
    assert not same({**helpers, "silverloom.ops.a": user}, {**helpers, "silverloom.ops.a": swapped})


def test_swapping_variables_of_one_statement_changes_the_hash():
    text = "ONE, TWO = range(2)\ndef f():\n    return ONE - TWO\n"
    assert not same({"silverloom.ops.a": text}, {"silverloom.ops.a": text.replace("ONE - TWO", "TWO - ONE")})


def test_functions_that_call_each_other_reach_everything_that_either_reaches():
    text = "from silverloom.ops.b import g, K\ndef f(x):\n    return g(x) + K\n"
    other = "def g(x):\n    from silverloom.ops.a import f\n    return f(x) + L\nK, L = 1, 2\nM = 3\n"
    before = {"silverloom.ops.a": text, "silverloom.ops.b": other}
    for symbol in (ROOT, Symbol("silverloom.ops.b", "g")):
        assert not same(before, {**before, "silverloom.ops.b": other.replace("1, 2", "1, 3")}, symbol)
        assert same(before, {**before, "silverloom.ops.b": other.replace("M = 3", "M = 4")}, symbol)
        assert not same(
            before, {"silverloom.ops.a": text.replace("+ K", "- K"), "silverloom.ops.b": other}, symbol
        )


def test_a_class_counts_as_a_whole_with_its_base_class():
    user = {"silverloom.ops.a": "from silverloom.ops.b import K\ndef f():\n    return K().m()\n"}
    text = "class Base:\n    def n(self):\n        return 1\nclass K(Base):\n    def m(self):\n        return self.n()\n"
    assert not same(
        {**user, "silverloom.ops.b": text}, {**user, "silverloom.ops.b": text.replace("return 1", "return 2")}
    )
    assert not same(
        {**user, "silverloom.ops.b": text},
        {**user, "silverloom.ops.b": f"{text}    def o(self):\n        pass\n"},
    )


@pytest.mark.parametrize(
    "text",
    [
        "from silverloom.ops.b import g\ndef f(g):\n    return g\n",
        "from silverloom.ops.b import g\ndef f(x):\n    g = x\n    return [g for x in g]\n",
        "from silverloom.ops.b import g\ndef f(x):\n    return [g for g in x]\n",
        "from silverloom.ops.b import g\ndef f(x):\n    return lambda g: g\n",
        "from silverloom.ops.b import g\ndef f(x):\n    try:\n        return x\n    except OSError as g:\n        return g\n",
    ],
    ids=["argument", "local", "comprehension", "lambda", "exception"],
)
def test_a_name_bound_in_a_function_is_not_that_of_the_module(text):
    assert same(
        {"silverloom.ops.a": text, "silverloom.ops.b": HELPER},
        {"silverloom.ops.a": text, "silverloom.ops.b": HELPER.replace("1", "2")},
    )


@pytest.mark.parametrize(
    "text",
    [
        "from silverloom.ops.b import g\ndef f(g=g):\n    return 1\n",
        "from silverloom.ops.b import g\ndef f(x: g):\n    return 1\n",
        "from silverloom.ops.b import g\ndef f(x) -> g:\n    return 1\n",
        "from silverloom.ops.b import g\n@g\ndef f(x):\n    return 1\n",
        "from silverloom.ops.b import g\ndef f(x):\n    def inner():\n        return g(x)\n    return inner\n",
        "from silverloom.ops.b import g\ndef f(x):\n    return [g for g in g(x)]\n",
        "from silverloom.ops.b import g\ndef f():\n    global g\n    g = 1\n",
        "from silverloom.ops.b import g\nclass f:\n    g = 1\n    def m(self):\n        return g\n",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from silverloom.ops.b import g\ndef f(x: g): ...\n",
        "try:\n    from silverloom.ops.b import g\nexcept ImportError:\n    g = None\ndef f(x):\n    return g\n",
        "if x:\n    from silverloom.ops.b import g\nelse:\n    from silverloom.ops.c import g\ndef f(x):\n    return g\n",
        "with x:\n    g = None\ntry:\n    from silverloom.ops.b import g\nfinally:\n    pass\ndef f(x):\n    return g\n",
        "from silverloom.ops.b import *\ndef f(x):\n    return g(x)\n",
        "from silverloom.ops import b\ndef f(x):\n    return getattr(b, x)\n",
        "import silverloom.ops.b\ndef f(x):\n    return vars(silverloom.ops.b)[x]\n",
        "def f(x):\n    return load('silverloom.ops.b')\n",
        "def f(x):\n    return [x, '-c', 'import sys; from silverloom.ops.b import g; g()']\n",
        "def f(x):\n    return load(f'silverloom.ops.b.{x}')\n",
        "from silverloom.ops.b import g\ndef f(x):\n    return globals()[x]\ndef other():\n    return g\n",
        "from importlib import import_module\nNAMES = {'g': 'silverloom.ops.b'}\ndef f(x):\n    return import_module(NAMES[x])\n",
        "from silverloom.ops.b import g\ndef f(x):\n    return serve(__name__)\ndef other():\n    return g\n",
        "from silverloom.ops.c import unknown as f\n",
        "from silverloom.ops.b import g\nf = 1\nf += g\n",
        "from silverloom.ops.b import g\nf: int = g\n",
        "from silverloom.ops.b import g\nf, (e, *d) = g\n",
    ],
)
def test_every_possible_user_of_a_function_depends_on_it(text):
    others = {
        "silverloom.ops.c": "from silverloom.ops.b import g\ndef __getattr__(name):\n    return g\n",
        "silverloom.ops.init": "",
    }
    symbol = Symbol("silverloom.ops.user", "f")
    user = "from silverloom.ops.a import f\n" if text.startswith("from silverloom.ops.c") else text
    assert user
    before = {
        "silverloom.ops.a": text,
        "silverloom.ops.b": HELPER,
        **others,
        "silverloom.ops.user": "from silverloom.ops.a import f as g\nf = g\n",
    }
    assert not same(before, {**before, "silverloom.ops.b": HELPER.replace("1", "2")}, symbol)


def test_code_that_runs_at_import_counts_for_every_symbol_of_the_module():
    text = "from silverloom.ops.b import register, g\nregister(g)\nfor x in y:\n    register(x)\ndef f():\n    return 1\n"
    before = {"silverloom.ops.a": text, "silverloom.ops.b": f"{HELPER}def register(x):\n    return x\n"}
    assert not same(before, {**before, "silverloom.ops.a": text.replace("in y", "in z")})
    assert not same(before, {**before, "silverloom.ops.b": before["silverloom.ops.b"].replace("1", "2")})


@pytest.mark.parametrize(
    "text",
    [
        "import silverloom.ops.b\ndef f():\n    return 1\n",
        "import silverloom.ops.b\nimport silverloom.ops.d\ndef f():\n    return silverloom.ops.d.g\n",
        "from silverloom.ops.b import g\ndef f():\n    return 1\n",
        "from silverloom.ops import b\ndef f():\n    return 1\n",
        "def f():\n    import silverloom.ops.b\n",
        "import silverloom.ops.c\ndef f():\n    return 1\n",
    ],
)
def test_a_module_imported_for_its_side_effects_counts(text):
    effect = "def g(): ...\ndef h(): ...\nregister(g)\n"
    before = {
        "silverloom.ops.a": text,
        "silverloom.ops.b": effect,
        "silverloom.ops.c": "import silverloom.ops.b\n",
        "silverloom.ops.d": "g = 1\n",
    }
    assert not same(before, {**before, "silverloom.ops.b": effect.replace("g(): ...", "g(): 1")})
    assert same(before, {**before, "silverloom.ops.b": effect.replace("h(): ...", "h(): 1")})


@pytest.mark.parametrize(
    "text",
    [
        "if TYPE_CHECKING:\n    import silverloom.ops.b\n    register(1)\ndef f():\n    return 1\n",
        "from silverloom.ops.b import g\n__all__ = ['g']\ndef f():\n    return 1\n",
        "from silverloom.ops.b import g\ndef f():\n    return 1\ndef other():\n    return g\n",
        "if __name__ == '__main__':\n    from silverloom.ops.b import g\n    g()\ndef f():\n    return 1\n",
    ],
    ids=["of type checkers", "exported", "used by another function", "of the program"],
)
def test_imports_for_other_purposes_do_not_count_as_side_effects(text):
    before = {"silverloom.ops.a": text, "silverloom.ops.b": f"{HELPER}register(g)\n"}
    assert same(before, {**before, "silverloom.ops.b": before["silverloom.ops.b"].replace("1", "2")})
    assert same(before, {**before, "silverloom.ops.a": "def f():\n    return 1\n"})


def test_a_program_counts_if_the_module_is_run_by_its_name():
    text = "def main():\n    return 1\nif __name__ == '__main__':\n    main()\n"
    before = {"silverloom.ops.a": "f = ['-m', 'silverloom.ops.b']\n", "silverloom.ops.b": text}
    assert not same(before, {**before, "silverloom.ops.b": text.replace("    main()", "    exit(main())")})


@pytest.mark.parametrize(
    ("decorator", "counts"),
    [
        ("import spacy\n@spacy.component('g')\n", True),
        ("from silverloom.ops.c import rule\n@rule\n", True),
        ("from functools import cache\n@cache\n", False),
        ("import contextlib\n@contextlib.contextmanager\n", False),
        ("", False),
    ],
)
def test_a_possible_registration_by_a_decorator_counts_for_its_module(decorator, counts):
    text = f"{decorator}{HELPER}def f():\n    return 1\n"
    before = {"silverloom.ops.a": text, "silverloom.ops.c": "def rule(x):\n    return x\n"}
    assert same(before, {**before, "silverloom.ops.a": text.replace("x + 1", "x + 2")}) is not counts


def test_packages_are_those_of_reached_symbols():
    text = "import numpy as np\nimport torch\nimport json\nfrom scipy import sparse\ndef f():\n    return np.sum\ndef h():\n    return torch\nf2 = sparse\n"
    found = symbols({"silverloom.ops.a": text})
    assert found.reach(ROOT).packages == {"numpy"}
    assert found.reach(Symbol("silverloom.ops.a", "f2")).packages == {"scipy"}
    assert not same({"silverloom.ops.a": text}, {"silverloom.ops.a": text.replace("numpy", "cupy")})
    assert not same({"silverloom.ops.a": text}, {"silverloom.ops.a": text.replace("np.sum", "np.max")})


def test_functions_that_call_each_other_share_all_their_packages():
    text = "import numpy, torch\ndef f():\n    return g(numpy)\ndef g():\n    return f(torch)\n"
    found = symbols({"silverloom.ops.a": text})
    assert (
        found.reach(ROOT).packages
        == found.reach(Symbol("silverloom.ops.a", "g")).packages
        == {"numpy", "torch"}
    )


def test_a_file_that_a_symbol_names_counts_by_its_content():
    text = "WORDS = 'words.txt'\nALL = 'static/*.js'\ndef f():\n    return WORDS\ndef g():\n    return ALL\n"
    before = {"silverloom.ops.a": text, "ops/words.txt": "a", "ops/static/a.js": "a"}
    g = Symbol("silverloom.ops.a", "g")
    assert not same(before, {**before, "ops/words.txt": "b"}) and same(
        before, {**before, "ops/words.txt": "b"}, g
    )
    assert same(before, {**before, "ops/static/b.js": "b"})
    assert not same(before, {**before, "ops/static/b.js": "b"}, g)


def test_code_that_walks_a_package_depends_on_everything_below_it():
    text = "import pkgutil\nimport silverloom.ops.p\ndef f():\n    return pkgutil.iter_modules(silverloom.ops.p.__path__)\ndef g():\n    return 1\n"
    before = {
        "silverloom.ops.a": text,
        "silverloom.ops.p.init": "",
        "silverloom.ops.p.q.init": "",
        "silverloom.ops.p.q.r": "x = 1\n",
        "silverloom.ops.b": "y = 1\n",
    }
    after = {**before, "silverloom.ops.p.q.r": "x = 2\n"}
    assert not same(before, after) and same(before, after, Symbol("silverloom.ops.a", "g"))
    assert same(before, {**before, "silverloom.ops.b": "y = 2\n"})


def test_modules_outside_ops_count_by_name_only_except_the_symbols_own():
    text = "from silverloom.orchestration.b import g\nfrom silverloom.ops.c import h\ndef f():\n    return g(h, K)\nK = 1\n"
    symbol = Symbol("silverloom.assets.a", "f")
    before = {
        "silverloom.assets.a": text,
        "silverloom.orchestration.b": HELPER,
        "silverloom.ops.c": "h = 1\n",
    }
    assert same(before, {**before, "silverloom.orchestration.b": "def g(): ...\n"}, symbol)
    assert not same(
        before,
        {**before, "silverloom.assets.a": text.replace("import g", "import i").replace("g(h", "i(h")},
        symbol,
    )
    assert not same(before, {**before, "silverloom.assets.a": text.replace("K = 1", "K = 2")}, symbol)
    assert not same(before, {**before, "silverloom.ops.c": "h = 2\n"}, symbol)


def test_checks_and_display_of_a_dataset_are_not_part_of_its_code():
    text = "from silverloom.ops.b import g, h\n@dataset(shape=h, measures=[g], expectations=g)\ndef f(x):\n    return x\n"
    before = {"silverloom.ops.a": text, "silverloom.ops.b": f"{HELPER}h = 1\nregister(h)\n"}
    assert same(before, {**before, "silverloom.ops.a": text.replace("[g]", "[]")})
    assert same(before, {**before, "silverloom.ops.b": before["silverloom.ops.b"].replace("x + 1", "x + 2")})
    assert not same(before, {**before, "silverloom.ops.a": text.replace("shape=h", "shape=None")})
    assert not same(
        before, {**before, "silverloom.ops.b": before["silverloom.ops.b"].replace("h = 1", "h = 2")}
    )


def test_a_name_that_the_module_does_not_bind_is_an_error():
    with pytest.raises(LookupError, match=r"ops\.a binds no g"):
        hash_of({"silverloom.ops.a": "f = 1\n"}, Symbol("silverloom.ops.a", "g"))


def test_circular_imports_that_define_nothing_terminate():
    hash_of(
        {
            "silverloom.ops.a": "from silverloom.ops.b import f\ng = f\n",
            "silverloom.ops.b": "from silverloom.ops.a import f\n",
        },
        Symbol("silverloom.ops.a", "g"),
    )
    hash_of(
        {
            "silverloom.ops.a": "from silverloom.ops import b\nf = b.c\n",
            "silverloom.ops.init": "from . import b\n",
            "silverloom.ops.b": "",
        }
    )


def test_a_chain_of_thousands_of_functions_does_not_recurse():
    text = "".join(f"def f{number}():\n    return f{number + 1}\n" for number in range(3000))
    before = {"silverloom.ops.a": f"{text}f3000 = 1\n"}
    assert not same(before, {"silverloom.ops.a": f"{text}f3000 = 2\n"}, Symbol("silverloom.ops.a", "f0"))


MODULES = ("silverloom.ops.a", "silverloom.ops.b", "silverloom.ops.p.c")
FUNCTIONS = range(5)
#: A number that a function returns, the functions that it mentions, and whether its module calls it at import.
functions = st.tuples(
    st.integers(0, 1), st.lists(st.sampled_from(FUNCTIONS), max_size=3, unique=True), st.booleans()
)
projects = st.fixed_dictionaries(dict.fromkeys(FUNCTIONS, functions))
edits = st.dictionaries(st.sampled_from(FUNCTIONS), functions, max_size=2)
#: The module of each function.
places = st.tuples(*[st.sampled_from(MODULES)] * len(FUNCTIONS))
#: How each mention is spelled, and the order of the functions.
styles = st.tuples(
    st.lists(st.sampled_from(["name", "attribute", "inside", "exported"]), min_size=15, max_size=15),
    st.permutations(FUNCTIONS),
)


def written(project, place, style):
    """Return the sources of a project."""
    ways, order = iter(style[0]), style[1]
    sources = dict.fromkeys(place, "") | {"silverloom.ops.init": "", "silverloom.ops.p.init": ""}
    for number in order:
        constant, mentions, _ = project[number]
        module, inside, values = place[number], "", [str(constant)]
        for used in mentions:
            origin = place[used]
            way = "own" if origin == module else next(ways)
            if way == "attribute":
                sources[module] += f"import {origin} as m{used}\n"
            elif way == "inside":
                inside += f"    from {origin} import f{used} as n{used}\n"
            elif way == "exported":
                sources["silverloom.ops.p.init"] += f"from {origin} import f{used} as e{used}\n"
                sources[module] += f"from silverloom.ops.p import e{used}\n"
            elif way == "name":
                sources[module] += f"from {origin} import f{used} as n{used}\n"
            spelled = {"own": f"f{used}", "attribute": f"m{used}.f{used}", "exported": f"e{used}"}
            values.append(spelled.get(way, f"n{used}"))
        sources[module] += f"def f{number}():\n{inside}    return {', '.join(values)}\n"
    for number, (_, _, called) in project.items():
        sources[place[number]] += f"print(f{number})\n" if called else ""
    return sources


def all_hashes(project, place, style):
    found = symbols(written(project, place, style))
    return {number: found.reach(Symbol(place[number], f"f{number}")).hash for number in FUNCTIONS}


def closure(project, place, number):
    """The functions that a function reaches, each with its module and all that counts of it."""
    found = {number}
    for _ in FUNCTIONS:
        modules = {place[used] for used in found}
        found |= {used for inner in found for used in project[inner][1]}
        found |= {used for used in FUNCTIONS if project[used][2] and place[used] in modules}
    return {used: (place[used], project[used]) for used in found}


@given(projects, edits, places, st.none() | places, styles, styles)
def test_two_functions_have_one_hash_if_and_only_if_they_reach_the_same(
    project, edited, place, moved, style, other_style
):
    """Neither the form of imports nor the order of functions matters."""
    changed, moved = {**project, **edited}, moved or place
    before, after = all_hashes(project, place, style), all_hashes(changed, moved, other_style)
    for number in FUNCTIONS:
        is_same = closure(project, place, number) == closure(changed, moved, number)
        assert (before[number] == after[number]) is is_same
