"""The metadata of a table's columns, and merging outcomes."""

import weakref

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.core.outcome import (
    NAME,
    TEXT,
    TITLE,
    Outcome,
    Shape,
    columns,
    drop,
    extended,
    in_parts,
    meaning,
    of_role,
    place,
    role,
    spans,
)

ROWS = columns(
    ("title", pa.string(), "as found", TITLE),
    ("url", pa.string(), "where it is", NAME),
    ("line", pa.int32(), "of the file", place("line {line} of {url}")),
    ("runs", pa.list_(pa.int32()), "", spans("talk_id.words")),
    ("size", pa.int32()),
)


def test_a_column_says_its_role_and_others_have_none():
    assert role(ROWS.field("title")) == TITLE
    assert role(ROWS.field("size")) is None
    assert meaning(ROWS.field("title")) == "as found"
    assert of_role(ROWS, "place") == {"line": "line {line} of {url}"}
    assert of_role(ROWS, "spans") == {"runs": "talk_id.words"}
    assert of_role(ROWS, "time") == {}


def test_columns_of_one_role_are_in_the_order_of_the_table():
    more = extended(
        ROWS, ("text", pa.string(), "all of it", TEXT), ("heading", pa.string(), "above it", TITLE)
    )
    assert list(of_role(more, "title")) == ["title", "heading"]


@pytest.mark.parametrize(
    "told", [("x", pa.string()), ("x", pa.string(), "what"), ("x", pa.string(), "what", TITLE)]
)
def test_columns_of_the_same_name_and_type_are_equal_with_any_metadata(told):
    assert columns(told).equals(columns(("x", pa.string())))


SHAPE = Shape(unit=columns(), kept=columns(("size", pa.int32())))


def outcome(number, kept, dropped):
    units = [{"id": f"{number}-{at}", "source_ids": [], "licence": ""} for at in range(kept + dropped)]
    rows = [{**unit, "size": number} for unit in units[:kept]]
    lost = [drop(unit, "short") for unit in units[kept:]]
    counts = {"seen": 1, f"odd {number % 2}": number}
    files = {f"{number}": b"x"} if number % 3 == 0 else {}
    return Outcome.of(SHAPE, [unit["id"] for unit in units], rows, lost, combinations=counts, files=files)


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)) | st.just((0, 0)), max_size=300),
    st.integers(1, 60),
)
def test_merged_outcomes_are_those_of_joining_whole_runs(sizes, rows):
    outcomes = [outcome(number, *size) for number, size in enumerate(sizes)]
    expected, run = [], []
    for one in outcomes:
        run.append(one)
        if sum(len(it.kept) + len(it.dropped) for it in run) >= rows:
            expected.append(Outcome.joined(run))
            run = []
    expected += [Outcome.joined(run)] if run else []
    assert list(in_parts(outcomes, rows)) == expected


def test_few_outcomes_without_rows_are_held():
    born, most = [], 0

    def empty():
        nonlocal most
        for number in range(1000):
            one = outcome(number, 0, 0)
            born.append(weakref.ref(one))
            yield one
            most = max(most, sum(it() is not None for it in born))

    (joined,) = in_parts(empty())
    assert joined.combinations["seen"] == 1000 and most < 100
