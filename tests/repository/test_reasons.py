"""The reasons for dropping units that the reference explains are those that the code gives.

Belongs here: reasons.yaml against the code of each dataset, and against what the sample drops. Not here: how the
reference shows them (test_site.py).
"""

import ast
import csv
from collections.abc import Iterator
from functools import cache

import pytest

from silverloom.assets.codehash.names import Symbol
from silverloom.assets.declare.code import DATASET, symbol_of, symbols
from silverloom.assets.declare.declaration import DECLARED
from silverloom.assets.declare.project import checkout
from silverloom.assets.reasons import explained_reasons, meaning_of, reasons_of
from silverloom.orchestration.definitions import workspace

#: The functions that get a reason, each with the position of it among the arguments.
DROPS = {"drop": 1, "_dropped": 1, "_lost": 1, "_Lost": 0, "UnwantedError": 0, "without_record": 0}
GIVES = {**DROPS, "fromkeys": 1}
#: The keyword arguments that are reasons.
KEYWORDS = {"reason", "cause"}


@pytest.fixture(scope="module")
def explained():
    """The reasons of each dataset."""
    workspace()
    named = {name for name in explained_reasons() if "*" not in name}
    assert named <= {item.name for item in DECLARED.values()}
    return {item.name: set(reasons_of(item.name)) for item in DECLARED.values() if item.shape}


def sample_reasons(dataset: str) -> set[str]:
    """Why the sample drops units of a dataset."""
    system, name = dataset.split("/")
    file = checkout() / f"metrics/{system}.funnel.csv"
    if not file.exists():
        return set()
    with file.open(newline="") as lines:
        rows = csv.DictReader(lines)
        return {row["reason"] for row in rows if (row["dataset"], row["outcome"]) == (name, "dropped")}


def texts(value: ast.AST | None) -> Iterator[str]:
    """The strings that an expression may be; not those with which it looks something up."""
    match value:
        case ast.Constant(value=str(text)):
            yield text
        case ast.IfExp(body=body, orelse=other):
            yield from (*texts(body), *texts(other))
        case ast.Tuple(elts=items) | ast.Dict(values=items):
            yield from (text for item in items for text in texts(item))
        case ast.List(elts=items):
            yield from (text for item in items if isinstance(item, ast.Tuple) for text in texts(item))
        case ast.Subscript(value=looked_up) | ast.Call(func=ast.Attribute(value=looked_up, attr="get")):
            yield from texts(looked_up)
        case ast.DictComp(value=inner):
            yield from texts(inner)


def given(code: ast.AST, functions=GIVES) -> Iterator[str]:
    """The strings that code may give as a reason: to these functions, as a result, or by a name."""
    for node in ast.walk(code):
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=args, keywords=keywords):
                yield from texts(
                    args[functions[name]] if len(args) > functions.get(name, len(args)) else None
                )
                if functions is GIVES:
                    yield from (
                        text for word in keywords if word.arg in KEYWORDS for text in texts(word.value)
                    )
            case ast.Return(value=value) | ast.Assign(value=value) if functions is GIVES:
                yield from texts(value)


@cache
def definitions(module: str) -> dict[str, list[ast.stmt]]:
    """The statements of a module that bind a name, by the name."""
    path = checkout() / module.replace(".", "/")
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    found: dict[str, list[ast.stmt]] = {}
    for statement in ast.parse(file.read_text()).body if file.exists() else ():
        names = [getattr(statement, "name", "")]
        if isinstance(statement, ast.Assign):
            names = [node.id for node in ast.walk(statement) if isinstance(node, ast.Name)]
        for name in names:
            found.setdefault(name, []).append(statement)
    return found


@cache
def given_by(symbol: Symbol) -> set[str]:
    return {text for code in definitions(symbol.module).get(symbol.name, ()) for text in given(code)}


def given_for(dataset: str) -> set[str]:
    """The strings that the code of a dataset may give as a reason."""
    function = next(item.function for item in DECLARED.values() if item.name == dataset)
    return set().union(*map(given_by, symbols(DATASET).reached(symbol_of(function))))


def test_every_reason_that_the_sample_has_is_explained(explained):
    for dataset in explained:
        unknown = {reason for reason in sample_reasons(dataset) if meaning_of(dataset, reason) is None}
        assert not unknown, dataset


def test_every_explained_reason_is_one_that_the_code_of_the_dataset_gives(explained):
    for dataset, reasons in explained.items():
        others = {reason for reason in reasons if "<" not in reason} - sample_reasons(dataset)
        unknown = others and others - given_for(dataset)
        assert not unknown, dataset


def test_every_reason_that_code_names_where_it_drops_is_explained(explained):
    known = set().union(*explained.values())
    for path in (checkout() / "ops").rglob("*.py"):
        assert set(given(ast.parse(path.read_text()), DROPS)) <= known, path


@pytest.mark.parametrize(
    "code", ['drop(row, "size", 1.0)', 'why = "size" if large else None', 'return {True: "size"}[large]']
)
def test_a_reason_is_found_where_code_gives_it(code):
    assert "size" in given(ast.parse(code))


@pytest.mark.parametrize(
    "code", ['row["size"] > 1', 'return row.get("size")', 'drop(row, row["size"])', '["size"]']
)
def test_the_name_of_a_column_is_no_reason(code):
    assert "size" not in [*given(ast.parse(code))]
