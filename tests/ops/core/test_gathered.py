"""Rows in another order."""

from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.core import gathered
from silverloom.ops.core.database import database
from silverloom.ops.core.gathered import taken
from tests.parts import parts

WORDS = st.one_of(st.none(), st.text(max_size=30))
ROW = st.fixed_dictionaries(
    {
        "text": WORDS,
        "bytes": st.one_of(st.none(), st.binary(max_size=20)),
        "number": st.one_of(st.none(), st.integers(0, 9)),
        "vector": st.one_of(st.none(), st.lists(st.floats(0, 1, width=32), min_size=2, max_size=2)),
        "marks": st.one_of(
            st.none(),
            st.lists(st.fixed_dictionaries({"start": st.integers(0, 9), "text": WORDS}), max_size=3),
        ),
        "words": st.one_of(st.none(), st.lists(WORDS, max_size=3)),
    }
)
SCHEMA = pa.schema(
    [
        ("text", pa.string()),
        ("bytes", pa.binary()),
        ("number", pa.int32()),
        ("vector", pa.list_(pa.float32(), 2)),
        ("marks", pa.list_(pa.struct([("start", pa.int32()), ("text", pa.string())]))),
        ("words", pa.list_(pa.string())),
    ]
)


@given(rows=st.lists(ROW, min_size=1, max_size=8), cut=st.integers(0, 8), draws=st.data())
def test_rows_that_are_taken_in_pieces_are_those_taken_at_once(rows, cut, draws):
    chunks = [rows[:cut], rows[cut:]]
    table = pa.concat_tables(pa.Table.from_pylist(chunk, schema=SCHEMA) for chunk in chunks)
    places = np.array(draws.draw(st.lists(st.integers(0, len(rows) - 1), max_size=20)), np.int64)
    with patch.object(gathered, "LARGEST", 200):
        pieces = list(taken(table, places))
    assert pa.concat_tables(pieces).to_pylist() == [rows[place] for place in places]
    assert all(piece.schema == SCHEMA for piece in pieces)
    longest = max((len((row["text"] or "").encode()) for row in rows), default=0)
    assert all(len(piece) == 1 or piece.nbytes < 2 * 200 + longest for piece in pieces)


def test_a_long_row_that_is_taken_often_is_taken_in_bounded_pieces():
    table = pa.table({"text": ["a" * 50_000, "b"]})
    with patch.object(gathered, "LARGEST", 200_000):
        sizes = [piece.nbytes for piece in taken(table, np.array([0] * 100 + [1] * 9))]
    assert len(sizes) >= 25
    assert max(sizes) < 210_000


def test_buckets_are_bounded_by_what_rows_take_in_memory(tmp_path):
    # Parquet stores the text once for each file
    rows = [{"id": f"{number:03}", "text": "a" * 1000} for number in range(400)]
    schema = pa.schema([("id", pa.string()), ("text", pa.string())])
    stored = parts(tmp_path / "rows", schema, rows[:200], rows[200:])
    query = """
        SELECT file_index, file_row_number, 0 AS part, row_number() OVER (ORDER BY id DESC) - 1 AS place
        FROM read_parquet(?, file_row_number = true)
    """
    with patch.object(gathered, "BUCKET", 50_000), database(tmp_path / "found") as tables:
        found = list(gathered.gathered(tables, stored, schema, query, tmp_path / "found"))
    assert pa.concat_tables(found).select(["id", "text"]).to_pylist() == rows[::-1]
    assert len(found) == 9
    assert max(table.nbytes for table in found) < 60_000


@pytest.mark.long
def test_strings_of_more_than_two_gigabytes_are_taken_whole():
    table = pa.table({"text": ["a" * 2**26, "b"]})
    lengths = []
    for piece in taken(table, np.array([0, 1] * 33)):
        piece.validate(full=True)
        lengths += [len(text) for text in piece["text"].to_pylist()]
    assert lengths == [2**26, 1] * 33
