"""Every expectation finds exactly the rows that break it, in any partition: empty, tiny, huge, odd."""

import dataclasses

import pyarrow as pa
import pytest

from silverloom.assets.declare.expectations import (
    THIS_PARTITION,
    among,
    at_most,
    between,
    equal,
    matches,
    none,
    not_null,
    steady,
    text,
    texts,
    unique,
)
from silverloom.ops.core.outcome import Outcome, Shape, columns, drop, reject
from silverloom.orchestration.checks import evaluate, slices
from silverloom.orchestration.checks.validate import validate
from silverloom.orchestration.files.parquet import write_outcomes

KEPT = columns(
    ("text", pa.string()),
    ("month", pa.string()),
    ("score", pa.float64()),
    ("low", pa.int32()),
    ("high", pa.int32()),
    ("words", pa.list_(pa.struct([("text", pa.string()), ("start", pa.float64())]))),
)
SHAPE = Shape(unit=columns(("path", pa.string())), kept=KEPT)
NEW = dict.fromkeys(("kept.of_previous", "drop_share.rise", "reject_share.rise"))


def row(name, **values):
    sound = {"text": "a word", "month": "2018-06", "score": 0.5, "low": 1, "high": 2, "words": []}
    return {"id": name, "source_ids": ["file"], "licence": "CC0", **sound, **values}


def unit(name):
    return {"id": name, "source_ids": ["file"], "licence": "CC0", "path": name}


def check(folder, rows, *expectations, comparison=NEW, part=2):
    """Validate rows in parts of `part` rows each."""
    parts = [
        Outcome.of(SHAPE, [one["id"] for one in rows[begin : begin + part]], rows[begin : begin + part])
        for begin in range(0, len(rows), part)
    ]
    write_outcomes(folder, parts, SHAPE)
    return validate(folder, expectations, comparison, "2018-06")


ROWS = [
    row("a"),
    row("b", score=None, text="b\x00"),
    row("b", score=1.5, month="2018-07", low=2),
    row("c", score=-0.1, high=0, low=2),
    row("d", words=[{"text": "one", "start": 2.0}, {"text": "", "start": 1.0}]),
]


@pytest.mark.parametrize(
    ("expectation", "broken"),
    [
        (not_null("score")[0], [1]),
        (unique("id"), [1, 2]),
        (unique("low", "high"), [0, 1, 4]),
        (between("score", 0, 1), [2, 3]),
        (between("score", 0), [3]),
        (among("month", THIS_PARTITION), [2]),
        (among("month", "2018-07", "2018-06"), []),
        (matches("text", r"^a \w+$"), [1]),
        (equal("low", "high"), [0, 1, 3, 4]),
        (at_most("low", "high"), [3]),
        (text("text", 100)[1], [1]),
        (texts("words.text", 100)[1], [4]),
        (none("words.start.descents")[0], [4]),
        (between("words.length", 0, 1), [4]),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_an_expectation_finds_the_rows_that_break_it(tmp_path, expectation, broken):
    (result,) = check(tmp_path, ROWS, expectation).results
    assert sorted(result.rows) == broken
    assert result.passed == (not broken) and result.unexpected == len(broken)
    assert result.exception is None


SUITE = [
    *not_null("id", "text"),
    unique("id"),
    unique("low", "high"),
    between("score", 0, 1),
    among("month", THIS_PARTITION),
    matches("id", "^[a-z]"),
    equal("low", "high"),
    at_most("low", "high"),
    *text("text", longest=2_000),
    *texts("words.text", 10),
    *none("words.start.descents"),
    between("words.start.least", 0),
    *steady(),
]


def test_a_partition_without_rows_passes(tmp_path):
    found = check(tmp_path, [], *SUITE)
    assert [dataset.expectation.name for dataset in found.results if not dataset.passed] == []


def test_a_single_sound_row_passes_and_a_single_bad_one_fails(tmp_path):
    assert not [
        dataset.expectation.name
        for dataset in check(tmp_path / "one", [row("a", low=2)], *SUITE).results
        if not dataset.passed
    ]
    found = check(tmp_path / "other", [row("a", score=2.0)], *SUITE)
    assert {dataset.expectation.name for dataset in found.failed("error")} == {
        "low equals high",
        "score at least 0 and at most 1",
    }


@pytest.fixture(autouse=True)
def folders(tmp_path):
    for name in ("one", "other"):
        (tmp_path / name).mkdir()


def test_a_column_without_values_passes_where_none_is_required(tmp_path):
    rows = [row(name, score=None, words=None) for name in "abc"]
    found = check(tmp_path, rows, between("score", 0, 1), none("words.start.descents")[0], *not_null("score"))
    assert [(dataset.passed, list(dataset.rows)) for dataset in found.results] == [
        (True, []),
        (True, []),
        (False, [0, 1, 2]),
    ]


def test_a_text_of_a_megabyte_is_measured_but_not_repeated_in_the_findings(tmp_path):
    long = "word " * 200_000
    found = check(tmp_path, [row("a", text=long)], *text("text", 1_000), matches("text", "^nothing$"))
    failed = {dataset.expectation.name: dataset for dataset in found.results if not dataset.passed}
    assert failed["text.characters at least 1 and at most 1000"].observed == "1000000"
    assert max(len(dataset.observed) for dataset in found.results) < 300


def test_markup_and_odd_characters_are_values_like_others(tmp_path):
    odd = [
        "<script>alert(1)</script>",
        "& <b>",
        "e\u0301\u202e\u200d🎉",
        "\ud7ff\U0010ffff",
        "NUL\x00",
        "|`*",
    ]
    rows = [row(str(index), text=value) for index, value in enumerate(odd)]
    found = check(tmp_path, rows, among("text", *odd), *text("text", 100))
    assert [(dataset.passed, list(dataset.rows)) for dataset in found.results] == [
        (True, []),
        (True, []),
        (False, [4]),
        (True, []),
    ]


def test_dropped_and_rejected_rows_have_expectations_of_their_own(tmp_path):
    outcome = Outcome.of(
        SHAPE, ["a", "b", "c"], [row("a")], [drop(unit("b"), "short", -1.0)], [reject(unit("c"), "")]
    )
    write_outcomes(tmp_path, [outcome], SHAPE)
    suite = [
        between("score", 0, None, table="dropped"),
        matches("error", r"\S", table="rejected"),
        between("score", 0),
    ]
    found = validate(tmp_path, suite, NEW, "2018-06")
    assert {dataset.expectation.table: dataset.passed for dataset in found.results} == {
        "dropped": False,
        "rejected": False,
        "kept": True,
    }


@pytest.mark.parametrize(
    ("comparison", "failed"),
    [
        (NEW, []),
        ({"kept.of_previous": 1.0, "drop_share.rise": 0.0, "reject_share.rise": -0.5}, []),
        ({"kept.of_previous": 0.4, "drop_share.rise": 0.1, "reject_share.rise": 0.0}, ["kept.of_previous"]),
        ({"kept.of_previous": 9.0, "drop_share.rise": 0.3, "reject_share.rise": 0.3}, ["drop_share.rise", "reject_share.rise"]),
    ],
)  # fmt: skip
def test_a_partition_is_compared_with_its_previous_version(tmp_path, comparison, failed):
    found = check(tmp_path, [row("a")], *steady(), comparison=comparison)
    assert [dataset.expectation.columns[0] for dataset in found.failed("warning")] == failed
    assert not found.failed("error")
    if comparison is NEW:
        assert {dataset.observed for dataset in found.results} == {"no former version"}


def test_an_expectation_that_cannot_be_evaluated_is_an_error_even_if_it_is_a_warning(tmp_path):
    suite = [between("text", 0, 1, "warning"), *not_null("id")]
    found = check(tmp_path, [row("a")], *suite)
    (failed,) = found.failed("error")
    assert failed.exception and failed.expectation.severity == "warning"
    assert not found.failed("warning")


def test_an_unknown_type_of_expectation_is_refused(tmp_path):
    unknown = dataclasses.replace(not_null("id")[0], type="expect_miracles")
    with pytest.raises(ValueError, match="refuses the type or arguments of id is there"):
        check(tmp_path, [row("a")], between("score", 0), unknown)


def test_results_of_a_tiny_partition_are_not_reused_for_another_content_suite_or_month(tmp_path):
    suite = month, score = among("month", THIS_PARTITION), between("score", 0, 1)
    sound, odd = tmp_path / "sound", tmp_path / "odd"
    sound.mkdir()
    odd.mkdir()
    assert not check(sound, [row("a")], *suite).failed("error")
    assert [one.expectation for one in check(odd, [row("a", score=2.0)], *suite).failed("error")] == [score]
    later = validate(sound, suite, NEW, "2018-07")
    assert [one.expectation for one in later.failed("error")] == [month]
    assert not validate(sound, suite, NEW, "2018-06").failed("error")
    assert not validate(sound, [score], NEW, "2018-07").failed("error")


def test_results_of_columns_are_not_reused_for_columns_that_differ_in_a_relevant_way(tmp_path):
    sound = [row("a", score=0.2), row("b", score=0.8, low=2, high=3)]
    expected = [
        not_null("score")[0],
        between("score", 0, 1),
        among("month", THIS_PARTITION),
        matches("text", r"^a \w+$"),
        unique("id"),
        unique("low", "high"),
        at_most("low", "high"),
    ]
    changes = [{"score": None}, {"score": 1.1}, {"month": "2018-05"}, {"text": "b"}]
    changes += [{"id": "b"}, {"low": 2, "high": 3}, {"high": 0}]
    for number in range(2):  # each passes before and after it fails
        for place, (expectation, change) in enumerate(zip(expected, changes, strict=True)):
            folders = [tmp_path / f"{number}-{place}-{kind}" for kind in ("sound", "odd")]
            for folder in folders:
                folder.mkdir()
            assert not check(folders[0], sound, *expected).failed("error")
            found = check(folders[1], [{**sound[0], **change}, sound[1]], *expected)
            assert [broken.expectation for broken in found.failed("error")] == [expectation]
            assert len(found.results) == len(expected) and found.failed("error")[0].rows


def test_a_share_of_rows_is_recounted_for_columns_with_the_same_extremes(tmp_path):
    within = between("score", 0, 1)
    mostly = dataclasses.replace(within, arguments={**within.arguments, "mostly": 0.9})
    many = [row(str(number), score=2.0 if number == 0 else 0.5) for number in range(10)]
    for name, rows, broken in (("many", many, []), ("few", many[:2], [mostly])):
        (tmp_path / name).mkdir()
        found = check(tmp_path / name, rows, mostly)
        assert [one.expectation for one in found.failed("error")] == broken


@pytest.mark.parametrize(
    "expectation", [item for item in SUITE if item.table != "counts"], ids=lambda item: item.name
)
def test_results_of_slices_are_those_of_the_whole_table(tmp_path, monkeypatch, expectation):
    whole = check(tmp_path, ROWS, expectation).results
    seen = []
    evaluated = evaluate.evaluate
    monkeypatch.setattr(slices, "ROWS", 2)
    for module in ("evaluate", "validate"):
        monkeypatch.setattr(
            f"silverloom.orchestration.checks.{module}.evaluate",
            lambda *given: seen.append(len(given[2])) or evaluated(*given),
        )
    (result,) = validate(tmp_path, [expectation], NEW, "2018-06").results
    assert [dataclasses.replace(result, rows=sorted(result.rows))] == [
        dataclasses.replace(one, rows=sorted(one.rows)) for one in whole
    ]
    assert max(seen, default=0) < len(ROWS)
