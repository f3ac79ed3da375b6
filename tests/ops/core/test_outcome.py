"""The metadata of a table's columns."""

import pyarrow as pa
import pytest

from ops.core.outcome import NAME, TEXT, TITLE, columns, extended, meaning, of_role, place, role, spans

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
