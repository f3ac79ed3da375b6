"""Suites are plain data next to the declarations: validated when declared, and not part of the data's code."""

import subprocess
import sys
from functools import cache

import pyarrow as pa
import pytest

from silverloom.assets.codehash.names import Symbol
from silverloom.assets.codehash.symbols import Symbols
from silverloom.assets.declare import code
from silverloom.assets.declare.dataset import dataset
from silverloom.assets.declare.expectations import (
    Expectation,
    among,
    at_most,
    between,
    check,
    checks_version,
    equal,
    matches,
    none,
    not_null,
    of_shape,
    steady,
    text,
    texts,
    unique,
)
from silverloom.assets.declare.project import checkout
from silverloom.ops.core.outcome import Shape, columns, one_of, optional, required
from silverloom.ops.core.parts import Parts
from silverloom.orchestration.definitions import workspace

WORD = pa.struct([("text", pa.string()), ("start", pa.float64())])
SHAPE = Shape(
    unit=columns(("path", pa.string())),
    kept=columns(
        ("title", pa.string()),
        ("count", pa.int32()),
        ("words", pa.list_(WORD)),
        ("labels", pa.list_(pa.int32())),
    ),
)


@pytest.mark.parametrize(
    "expectation",
    [
        between("count", 0),
        between("title.characters", 1),
        between("words.length", 1),
        between("words.start.least", 0),
        between("labels.items.greatest", 0, 1),
        equal("labels.length", "words.length"),
        unique("id", "count"),
        matches("path", "^a", table="dropped"),
        matches("error", "^a", table="rejected"),
        between("kept.of_previous", 0.5, table="counts"),
    ],
)
def test_columns_and_measures_of_a_dataset_are_accepted(expectation):
    check([expectation], SHAPE, "group/set")


@pytest.mark.parametrize(
    "expectation",
    [
        between("nothing"),
        between("title.weight"),
        between("words.colour.least"),
        between("words.items.least"),
        between("labels.text.least"),
        between("title.text.least"),
        between("words.start.least.again"),
        equal("labels.length", "nothing.length"),
        unique("id", "nothing"),
        between("title.characters", table="dropped"),
        between("kept.of_next", table="counts"),
    ],
)
def test_an_unknown_column_or_measure_is_refused_by_name(expectation):
    odd = expectation.columns[-1]
    with pytest.raises(LookupError, match=rf"group/set: .* have no column or measure {odd}$"):
        check([expectation], SHAPE, "group/set")


def test_two_expectations_of_one_name_are_refused():
    with pytest.raises(ValueError, match="group/set: expected twice: id is there"):
        check([*not_null("id"), *not_null("title", "id")], SHAPE, "group/set")
    check([*not_null("id"), *not_null("id", table="dropped")], SHAPE, "group/set")


def test_a_declaration_with_an_unknown_column_is_refused(own_declarations):
    with pytest.raises(LookupError, match="talksumm/words: 'size at least 1'"):

        @dataset(group="talksumm", shape=SHAPE, expectations=[between("size", 1)])
        def words(talks: Parts):
            """No."""


def test_conditions_that_input_can_break_are_warnings_and_those_that_only_code_can_break_are_errors():
    input_can = [*text("title", 100), *texts("words.text", 100), *steady()]
    assert {expectation.severity for expectation in input_can} == {"warning"}
    only_code_can = [one for one in of_shape(SHAPE) if one not in steady()]
    assert {expectation.severity for expectation in only_code_can} == {"error"}


def test_names_describe_the_expectation():
    found = [
        *not_null("id"),
        unique("id"),
        unique("a", "b"),
        between("x", 0, 1),
        between("x", None, 2.5),
        *none("words.start.descents"),
        among("split", "train", "validation"),
        equal("a", "b"),
        at_most("a", "b"),
    ]
    assert [expectation.name for expectation in found] == [
        "id is there",
        "id once",
        "a and b once",
        "x at least 0 and at most 1",
        "x at most 2.5",
        "no words.start.descents",
        "split is train or validation",
        "a equals b",
        "a at most b",
    ]


def test_the_version_of_a_suite_covers_all_its_expectations():
    versions = {
        checks_version(suite)
        for suite in (
            [],
            [between("x", 0)],
            [between("x", 1)],
            [between("x", 0, severity="warning")],
            [between("x", 0, table="dropped")],
            [Expectation("another", between("x", 0).type, between("x", 0).arguments)],
        )
    }
    assert len(versions) == 6
    assert checks_version([between("x", 0)]) == checks_version((between("x", 0),))


def test_the_version_of_checks_covers_great_expectations(monkeypatch):
    before = checks_version([between("x", 0)])
    name, version = code.lock_file()["great-expectations"]
    changed_pins = {**code.lock_file(), "great-expectations": (name, f"{version}.post1")}
    monkeypatch.setattr(code, "lock_file", lambda: changed_pins)
    monkeypatch.setattr(code, "known", cache(dict))
    assert checks_version([between("x", 0)]) != before


DECIDING = [
    ("silverloom.orchestration.checks.conservation", "conservation"),
    ("silverloom.orchestration.checks.conservation", "on_disk"),
    ("silverloom.orchestration.checks.conservation", "schema"),
    ("silverloom.orchestration.checks.conservation", "accepted"),
    ("silverloom.orchestration.checks.conservation", "Finding"),
    ("silverloom.orchestration.checks.conservation", "expected_units"),
    ("silverloom.orchestration.checks.conservation", "unit_ids"),
    ("silverloom.orchestration.checks.ids", "IdCounts"),
    ("silverloom.orchestration.checks.validate", "against"),
    ("silverloom.orchestration.checks.validate", "former_counts"),
    ("silverloom.orchestration.checks.validate", "LEVELS"),
    ("silverloom.orchestration.checks.validate", "Validation"),
    ("silverloom.orchestration.checks.evaluate", "evaluate"),
    ("silverloom.orchestration.checks.slices", "repeated"),
    ("silverloom.ops.core.outcome", "Shape"),
    ("silverloom.ops.core.row_measures", "measured"),
    ("silverloom.ops.crawl.journal", "asked_units"),
    ("silverloom.assets.declare.checks", "ADVISORY"),
]
DESCRIBING = [
    ("silverloom.orchestration.checks.validate", "known_finding"),
    ("silverloom.orchestration.checks.results", "keep_failing"),
    ("silverloom.orchestration.messages", "escaped"),
]


def mend(patch, symbol):
    """Give a symbol another text, as an edit of it would: that changes the hash of what reaches it."""
    reach = Symbols.reach

    def mended(self, asked):
        found = reach(self, asked)
        return found._replace(hash="mended") if symbol in self.reached(asked) else found

    patch.setattr(Symbols, "reach", mended)
    patch.setattr(code, "known", cache(dict))


@pytest.mark.parametrize("symbol", DECIDING)
def test_mending_code_that_decides_whether_rows_pass_changes_the_version_of_checks(symbol, monkeypatch):
    before = checks_version([])
    mend(monkeypatch, Symbol(*symbol))
    assert checks_version([]) != before


@pytest.mark.parametrize("symbol", DESCRIBING)
def test_mending_code_that_only_describes_a_result_changes_no_version_of_checks(symbol, monkeypatch):
    before = checks_version([], reads_sources=True)
    mend(monkeypatch, Symbol(*symbol))
    assert checks_version([], reads_sources=True) == before


def test_mending_the_check_of_sources_concerns_only_datasets_that_read_some(monkeypatch):
    before = [checks_version([], reads) for reads in (False, True)]
    mend(monkeypatch, Symbol("silverloom.orchestration.checks.rejects", "sources_without_records"))
    after = [checks_version([], reads) for reads in (False, True)]
    assert [one == other for one, other in zip(before, after, strict=True)] == [True, False]


def test_checks_of_a_dataset_are_not_part_of_what_makes_its_rows(monkeypatch):
    dataset = next(one for one in workspace().datasets.values() if one.name == "talksumm/pairs")
    before = dataset.code
    mend(monkeypatch, Symbol("silverloom.orchestration.checks.conservation", "schema"))
    after = type(dataset).code.func(dataset)
    assert after["expectations"] != before["expectations"]
    assert {**after, "expectations": ""} == {**before, "expectations": ""}


def test_a_shape_says_which_columns_have_a_value_and_which_values_they_have():
    shape = Shape(
        unit=SHAPE.unit,
        kept=columns(
            ("title", pa.string()),
            optional("doi", pa.string()),
            one_of("split", ("train", "test")),
            ("month", pa.string()),
            ("words", pa.list_(WORD)),
        ),
    )
    names = [expectation.name for expectation in of_shape(shape)]
    assert [name for name in names if name.endswith("is there")] == [
        "id is there",
        "licence is there",
        "title is there",
        "split is there",
        "month is there",
    ]
    assert "split is train or test" in names
    assert "month is this partition" in names
    assert "month is this partition" not in [
        expectation.name for expectation in of_shape(shape, partitioned=False)
    ]


def test_every_dataset_has_a_suite_with_its_identity_and_its_previous_version():
    for declaration in workspace().datasets.values():
        if declaration.shape is not None:
            names = {one.name for one in declaration.expectations}
            assert {"id once", "id is there", "licence is there"} <= names, declaration.name
            assert {one.name for one in steady()} <= names, declaration.name
            assert set(required(declaration.shape.kept)) <= {name.removesuffix(" is there") for name in names}


def test_declaring_loads_no_great_expectations():
    script = "import sys, silverloom.orchestration.definitions; print('great_expectations' in sys.modules)"
    ended = subprocess.run(
        [sys.executable, "-c", script], cwd=checkout(), capture_output=True, text=True, check=True
    )
    assert ended.stdout.strip() == "False"
