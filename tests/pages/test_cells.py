"""Cells: every type of column is readable, and no cell is too long."""

import math

import pyarrow as pa

from silverloom.ops.parse.schemas import PAPERS, RECORD
from silverloom.ops.talksumm.schemas import ALIGNMENTS, MATCHES, TALKS, TRAINING_SETS
from silverloom.pages.html import embedded
from silverloom.pages.rows import cells, columns, fitted, numbers_of


def table(schema, *rows):
    return pa.Table.from_pylist(
        [{name: row.get(name) for name in schema.names} for row in rows], schema=schema
    )


def kinds(schema, **row):
    found = columns(table(schema, {"id": "x", "source_ids": ["y"], "licence": "z", **row}))
    return {column.name: (column.kind, column.part) for column in found}


def one(schema, shown=1, **row):
    made = table(schema, {"id": "x", "source_ids": ["y"], "licence": "z", **row})
    return dict(zip(schema.names, next(cells(made, shown)), strict=True))


def test_texts_are_distinguished_from_facts_and_names():
    found = kinds(ALIGNMENTS.kept, text="Here are quite a few words.", role="method", count=3)
    assert found["text"] == ("text", "texts")
    assert found["role"] == ("text", "facts") and found["count"] == ("value", "facts")
    assert found["spans"] == ("ranges", "facts")
    assert found["pair_id"] == ("text", "names") and found["source_ids"] == ("list", "names")


def test_the_reason_of_a_lost_row_has_a_section_of_its_own():
    found = kinds(ALIGNMENTS.dropped, reason="role_abstract", detail="because of a long story told here")
    assert {name for name, (_, part) in found.items() if part == "why"} == {"reason", "score", "detail"}


def test_words_are_running_text_with_times():
    words = [{"text": f"w{at}", "offset": at, "start": float(at), "end": at + 0.5} for at in range(40)]
    cell = one(TALKS.kept, words=words)["words"]
    assert cell["n"] == 40
    assert [time for time, _ in cell["v"]] == [0.0, 15.0, 30.0]
    assert " ".join(text for _, text in cell["v"]) == " ".join(word["text"] for word in words)


def test_words_without_times_are_passages_without_times():
    words = [{"text": "w", "offset": at, "start": None, "end": None} for at in range(90)]
    cell = one(TALKS.kept, words=words)["words"]
    assert [(time, len(text.split())) for time, text in cell["v"]] == [(None, 40), (None, 40), (None, 10)]


def test_structs_are_a_table_with_texts_first_and_names_last():
    sentence = {
        "id": "s",
        "position": 1,
        "section": 0,
        "start": 0,
        "end": 5,
        "locator": "line 1",
        "text": "Hello.",
        "holes": 0,
    }
    made = table(PAPERS.kept, {"id": "x", "source_ids": [], "licence": "z", "sentences": [sentence]})
    column = next(column for column in columns(made) if column.name == "sentences")
    assert column.fields == ("text", "position", "section", "start", "end", "locator", "holes", "id")
    assert one(PAPERS.kept, sentences=[sentence])["sentences"] == {
        "n": 1,
        "v": [["Hello.", 1, 0, 0, 5, "line 1", 0, "s"]],
    }
    candidate = {"title": "A", "score": 0.5, "paper_ids": ["p"]}
    assert one(MATCHES.kept, candidates=[candidate])["candidates"] == {"n": 1, "v": [["A", 0.5, ["p"]]]}


def test_raw_bytes_are_text_and_bounded():
    assert one(RECORD, content=b"caf\xe9")["content"] == "caf�"
    assert one(RECORD, content="é".encode() * 10)["content"] == "é" * 10
    text, length = one(RECORD, shown=5_000, content=b"a" * 1_000_000)["content"]
    assert length == 1_000_000 and 1_000 < len(text) < 10_000


def test_long_lists_are_bounded_and_show_their_length():
    cell = one(TRAINING_SETS.kept, shown=5_000, sentences=["s"] * 1_000)["sentences"]
    assert cell["n"] == 1_000 and len(cell["v"]) == 60


def test_missing_numbers_are_missing():
    assert one(ALIGNMENTS.kept, seconds=float("nan"))["seconds"] is None


def test_the_longest_cells_lose_the_most():
    rows = [["short", "a" * 1_000, {"n": 3, "v": ["b" * 400, "c" * 400, "d" * 400]}], ["tiny", "", None]]
    cut, whole = fitted(rows, 1_200)
    assert whole == rows[1]
    assert cut[0] == "short"
    text, length = cut[1]
    assert length == 1_000 and 500 < len(text) < 700
    assert cut[2] == {"n": 3, "v": ["b" * 400]}


def test_numbers_that_json_cannot_write_are_missing_at_any_depth():
    odd = [1.5, math.nan, math.inf, -math.inf]
    schema = pa.schema(
        [
            ("value", pa.float64()),
            ("numbers", pa.list_(pa.float64())),
            ("table", pa.list_(pa.struct([("a", pa.float64()), ("b", pa.string()), ("c", pa.string())]))),
        ]
    )
    rows = [{"value": one, "numbers": odd, "table": [{"a": one, "b": "", "c": ""}]} for one in odd]
    made = list(cells(pa.Table.from_pylist(rows, schema=schema), 1))
    assert [row[0] for row in made] == [1.5, None, None, None]
    assert made[0][1]["v"] == [1.5, None, None, None]
    assert [row[2]["v"][0][0] for row in made] == [1.5, None, None, None]
    assert numbers_of(pa.table({"score": odd}), "score") == [1.5, None, None, None]
    assert embedded({"a": [(1.5, math.nan)], "b": {"c": -math.inf}}) == '{"a":[[1.5,null]],"b":{"c":null}}'
