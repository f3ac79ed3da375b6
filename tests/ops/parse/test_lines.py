from __future__ import annotations

import os

import pytest

from ops.parse.decoding import json_value
from ops.parse.lines import keys_of, named
from ops.parse.source import ParseError, Raw


def naming(row):
    """Return the id of a row; one id kills the process that reads it, another one exhausts its memory."""
    if row.get("id") == "end":
        os._exit(3)
    if row.get("id") == "memory":
        bytearray(2**34)
    return row.get("id")


def raw_lines(*contents):
    return [Raw("a.jsonl", f"a.jsonl#{row}", content, row) for row, content in enumerate(contents, 1)]


def test_a_line_that_kills_the_child_or_exhausts_its_memory_is_rejected_alone():
    raws = raw_lines(b'{"id": "one"}', b'{"id": "end"}', b'{"id": "memory"}', b'{"id": "two"}', b"{}")
    found = list(named(raws, naming, {"a.jsonl"}))
    assert [raw.document for raw in found] == ["one", "a.jsonl#2", "a.jsonl#3", "two", "a.jsonl#5"]
    assert "status 3" in found[1].error and "memory" in found[2].error
    assert [raw.error for raw in found if raw.row in (1, 4, 5)] == [None] * 3
    assert [raw.content for raw in found] == [raw.content for raw in raws]


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        (b"[" * 100_000, "nested too deeply"),
        (b'{"id": 1', "malformed JSON"),
        (b'{"id": "a", "id": "b"}', "occurs twice"),
        (b"[1]", "expected a JSON object, found a list"),
        (b'{"id": "\xff"}', "not UTF-8"),
    ],
)
def test_anything_but_a_json_object_is_never_read_in_the_parent(content, cause):
    (found,) = named(raw_lines(content), naming, ())
    assert cause in found.error and found.document == "a.jsonl#1"
    assert keys_of(raw_lines(content, b'{"b": 1}', b'{"a": 1, "b": 2}')) == ["b", "a"]


def test_an_id_that_is_ambiguous_or_not_printable_is_ignored():
    raws = raw_lines(b'{"id": "a.jsonl#7"}', b'{"id": "b.jsonl#7"}', b'{"id": "a\\u0000"}')
    assert [raw.document for raw in named(raws, naming, {"a.jsonl"})] == [
        "a.jsonl#1",
        "b.jsonl#7",
        "a.jsonl#3",
    ]


def test_unread_lines_keep_their_errors_and_their_positions():
    raws = [
        *raw_lines(b'{"id": "a"}'),
        Raw("a.jsonl", "a.jsonl#2", b"", 2, error="too large"),
        *raw_lines(b"{}"),
    ]
    found = list(named(raws, naming, ()))
    assert [(raw.document, raw.error) for raw in found] == [
        ("a", None),
        ("a.jsonl#2", "too large"),
        ("a.jsonl#1", None),
    ]


def test_the_allowed_depth_of_json_is_the_same_in_every_reader():
    def at(depth, content):
        return at(depth - 1, content) if depth else json_value(content)

    def nested(levels):
        return b"[" * levels + b"]" * levels

    for depth in (0, 500):
        assert at(depth, nested(200))
        with pytest.raises(ParseError, match="nested too deeply"):
            at(depth, nested(300))
        assert at(depth, b'["' + b"[" * 10_000 + b'"]') == ["[" * 10_000]
