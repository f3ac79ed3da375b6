from __future__ import annotations

import bz2
import gzip
import os
from io import BytesIO

import pytest
from backports import zstd
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.parse.decoding import json_value
from silverloom.ops.parse.lines import keys_of, line_records, named
from silverloom.ops.parse.source import ParseError, Raw
from silverloom.ops.parse.unpacked import Unpacked


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


def zstandard(content):
    return zstd.compress(content, options={zstd.CompressionParameter.checksum_flag: 1})


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, zstandard])
@given(st.lists(st.integers(0, 4), min_size=2, max_size=6), st.data())
def test_a_damaged_member_costs_its_own_lines_and_is_said(pack, sizes, data):
    """Whatever one byte of a member is, the lines of all others are read; its own are read right or not."""
    lines = [[f'{{"id": "{at} {line}"}}\n'.encode() for line in range(size)] for at, size in enumerate(sizes)]
    members = [bytearray(pack(b"".join(several))) for several in lines]
    at = data.draw(st.integers(1, len(members) - 1))
    members[at][data.draw(st.integers(0, len(members[at]) - 1))] ^= data.draw(st.integers(1, 255))
    packed = b"".join(members)
    raws = list(line_records(Unpacked(BytesIO(packed), len(packed), 10**6), "a.jsonl", 1000))
    read = [raw.content + b"\n" for raw in raws if raw.error is None]
    others = [line for place, several in enumerate(lines) for line in several if place != at]
    assert [line for line in read if line in others] == others
    assert len(read) == sum(sizes) or any(raw.error for raw in raws)


def test_the_rest_of_a_line_that_damage_has_cut_is_no_line():
    packed = [bytearray(gzip.compress(part)) for part in (b"one\ntwo\n", b"three\nfo", b"ur\nfive\n")]
    packed[1][-6] ^= 255
    content = b"".join(packed)
    raws = list(line_records(Unpacked(BytesIO(content), len(content), 10**6), "a.txt", 1000))
    assert [raw.content for raw in raws if not raw.error][-1] == b"five"
    assert b"ur" not in [raw.content for raw in raws]
    assert [raw.row for raw in raws] == list(range(1, len(raws) + 1))


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
