"""The work of scanning a file is linear in its size, whatever its content.

The work is counted (calls, characters, records), or limited to more processor time than any normal reading
takes.
"""

import bz2
import csv
import gzip
import random
import sys
from io import BytesIO

import pytest
from backports import zstd
from hypothesis import example, given
from hypothesis import strategies as st

from silverloom.ops.discofuse import sources as discofuse_sources
from silverloom.ops.discofuse.sources import paragraphs_of
from silverloom.ops.parse import encodings, papers, web, wikipedia
from silverloom.ops.parse.bounded.bounds import computing_at_most
from silverloom.ops.parse.files import opened
from silverloom.ops.parse.lines import guessed_in, line_records
from silverloom.ops.parse.scan import Corpus
from silverloom.ops.parse.source import MonthRule, Raw, Source
from silverloom.ops.parse.table_files import Delimited, delimited_rows
from silverloom.ops.parse.unpacked import DamageError, Unpacked
from tests.parts import OneProcess

FORMATS = {
    **discofuse_sources.PROSE_FORMATS,
    **web.FORMATS,
    **wikipedia.FORMATS,
    **discofuse_sources.FUSION_PAIR_FORMATS,
}
CLAIM = b"WARC/1.0\r\nWARC-Type:response\r\nContent-Length:15000000\r\n\r\n"
NOISE = random.Random(0).randbytes(400_000)


def scanned(root, name, content, kind, max_bytes=2**24):
    """The index of a source with one file, as every command makes it."""
    (root / "source").mkdir(exist_ok=True)
    (root / "source" / name).write_bytes(content)
    source = Source(
        kind=kind, path="source", month=MonthRule(constant="2018-06"), licence="MIT", max_bytes=max_bytes
    )
    index = Corpus("any", {"mine": source}, FORMATS, root, "2018-06", "2018-06", 50, OneProcess()).index
    return index.entries(index.months)


def calls_of(function, *arguments):
    """The number of function calls (including C functions) of a function, and its result."""
    calls = 0

    def count(frame, event, argument):
        nonlocal calls
        calls += event.endswith("call")

    sys.setprofile(count)
    try:
        found = function(*arguments)
    finally:
        sys.setprofile(None)
    return calls, found


def resource(content):
    head = f"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Record-ID: <noise>\r\nContent-Length: {len(content)}\r\n\r\n"
    return head.encode() + content + b"\r\n\r\n"


@pytest.mark.parametrize("packed", [gzip.compress, bytes])
def test_records_that_claim_the_bytes_after_them_are_read_once(tmp_path, packed):
    with computing_at_most(60):  # they used to be read and put back for a quarter of an hour
        found = scanned(tmp_path, "a.warc.gz", packed(CLAIM * 400_000), "warc", 15_000_000)
    assert found and all(entry.error for entry in found)


@pytest.mark.parametrize("padding", [10_000, 300_000])
def test_records_after_padding_are_read(tmp_path, padding):
    """Zeros between members, as on tapes, even if a block contains nothing else."""
    record = gzip.compress(resource(b"one"))
    found = scanned(tmp_path, "a.warc.gz", record + bytes(padding) + record + bytes(padding), "warc")
    assert len(found) == 2


@pytest.mark.parametrize("blank", [b"\n", b"\r\n", b" \t\n"])
def test_blank_lines_count_as_lines_and_are_no_records(tmp_path, blank):
    text = b'{"id": "first", "text": "a"}\n' + blank * 1_000 + b'{"id": "last", "text": "b"}\n'
    found = scanned(tmp_path, "a.jsonl.gz", gzip.compress(text), "jsonl_prose")
    assert [(entry.id, entry.error) for entry in found] == [
        ("mine/a.jsonl.gz#1", None),
        ("mine/a.jsonl.gz#1002", None),
    ]


def test_blank_lines_may_be_a_bomb(tmp_path):
    (found,) = scanned(tmp_path, "a.jsonl.gz", gzip.compress(b"\n" * 30_000_000), "jsonl_prose", 10_000)
    assert "unpacks to more than 100 times its size" in found.error


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "a.csv"])
@pytest.mark.parametrize("size", [25_000, 2_000_000])
def test_a_line_far_over_the_limit_costs_one_record(tmp_path, name, size):
    lines = [b"text,id", b"One.,1", b'"' + b"x" * size + b'",2', b"Two.,3"]
    if name != "a.csv":
        lines = [b'{"text": "%s"}' % line.partition(b",")[0].strip(b'"') for line in lines[1:]]
    found = scanned(tmp_path, name, b"\n".join(lines), "jsonl_prose", 10_000)
    assert [entry.error is None for entry in found] == [True, False, True]
    assert found[1].error == "larger than max_bytes = 10000; it was not read"


@pytest.mark.parametrize(
    ("name", "kind", "content"),
    [
        ("a.jsonl.gz", "jsonl_prose", gzip.compress(b"x\n" * 100_000)),
        ("a.warc.gz", "warc", gzip.compress(b"WARC/1.0\n\n" * 100_000)),
        ("a.xml.gz", "mediawiki_dump", gzip.compress(b"<page></page>" * 100_000)),
        ("a.bz2", "mediawiki_dump", bz2.compress(b"<page></page>" * 100_000)),
    ],
)
def test_a_small_file_cannot_give_a_flood_of_tiny_records(tmp_path, name, kind, content):
    found = scanned(tmp_path, name, content, kind, 10_000)
    assert len(found) < len(content) + 200
    assert "it unpacks to more than " in found[-1].error


def test_different_short_lines_are_not_a_flood(tmp_path):
    lines = b"".join(b'{"id": "%d", "text": "yes"}\n' % number for number in range(30_000))
    found = scanned(tmp_path, "a.jsonl.gz", gzip.compress(lines), "jsonl_prose", 10_000)
    assert len(found) == 30_000 and not any(entry.error for entry in found)


def plainly(content, max_bytes):
    """The lines of a file by number: a slow version that is obviously correct."""
    for row, line in enumerate(content.split(b"\n"), 1):
        if line.strip():
            line = line.rstrip(b"\r")
            yield row, line if len(line) <= max_bytes else "larger than max_bytes = 20; it was not read"


@given(
    st.lists(st.sampled_from([b"a", b"bc", b" ", b"\t", b"\r\n", b"\n", b"\n\n", b"x" * 15])).map(b"".join)
)
@example(b"x" * 20 + b"\r\n" + b"x" * 21 + b"\n" + b"y" * 200 + b"\nz")
@example(b" " * 100 + b"\n" + b"x" * 19 + b"\r\r\n z")
def test_lines_are_those_of_the_file(content):
    found = [
        (raw.row, raw.error or raw.content)
        for raw in line_records(Unpacked(BytesIO(content), len(content), 20), "a", 20)
    ]
    assert found == list(plainly(content, 20))


def characters_read(tmp_path, text, form, max_bytes=2**24):
    """The number of characters given to the CSV reader, and the resulting rows."""
    file = tmp_path / "a.csv"
    file.write_text(text, newline="")
    given = 0

    class Counted:
        def __init__(self, lines):
            self.lines = lines

        def __iter__(self):
            return self

        def __next__(self):
            nonlocal given
            line = next(self.lines)
            given += len(line)
            return line

    def counting(lines, **more):
        return read(lines if isinstance(lines, list) else Counted(lines), **more)  # a list is the header

    read = csv.reader
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv, "reader", counting)
        found = list(delimited_rows(file, form, max_bytes))
    return given, found


LINES = st.lists(st.text('ab",\t ', max_size=8), max_size=40).map(lambda lines: "\n".join(["x,y", *lines]))


@given(
    LINES, st.sampled_from([",", "\t"]), st.sampled_from(["", "csv", "none"]), st.sampled_from([30, 10_000])
)
@example("x,y\n" + 'x","\n' * 2_000, ",", "", 10_000)
@example("x,y\n" + 'x","\n' * 2_000 + 'x"\n', ",", "", 10_000)
@example("x\ty\n" + 'x"\t"\n' * 2_000 + 'x"\ty\n', "\t", "", 2**24)
@example("x,y\n" + '"\n"",\n' * 1_000, ",", "csv", 2**24)
@example("x,y\n" + 'x","\n' * 2_000, ",", "", 500)
def test_no_line_of_a_table_is_read_more_than_twice(tmp_path_factory, text, delimiter, quotes, max_bytes):
    form = Delimited(delimiter, "", quotes)
    given, found = characters_read(tmp_path_factory.mktemp("rows"), text, form, max_bytes)
    assert given <= 2 * len(text) + 2
    places = [row.place for row in found]
    assert places == sorted(set(places))


def test_rows_after_an_unclosed_quote_are_read(tmp_path):
    text = 'x,y\na,"never\nb,one\nc,two\nd,"three\nand four"\n'
    _, found = characters_read(tmp_path, text, Delimited(",", "", ""))
    assert [(row.place, row.cells.get("y"), bool(row.error)) for row in found] == [
        (2, None, True),
        (3, "one", False),
        (4, "two", False),
        (5, "three\nand four", False),
    ]


def test_a_text_is_split_into_lines_no_further_than_its_head():
    content = b"# Title\nlicence: MIT\n\n" + b"a\n" * 500_000
    for form in (discofuse_sources.PROSE_FORMATS["plain_prose"], papers.FORMATS["plain_text"]):
        calls, fields = calls_of(form.fields, Raw("a.txt", "a", content))
        assert calls < 1_000
        assert (fields["title"], fields["licence"]) == ("Title", "MIT")
        calls, _ = calls_of(form.fields, Raw("a.txt", "a", b"\n" * 500_000 + content))
        assert calls < 1_000


@pytest.mark.long
def test_very_many_headings_are_read_in_linear_time():
    with computing_at_most(40):
        text = paragraphs_of("# a\n" * 1_500_000)
    assert text.count("a") == 1_500_000


@pytest.fixture
def guesses(monkeypatch):
    """The samples for guessing an encoding: each takes milliseconds, however short it is."""
    asked = []
    guess = encodings.guess_sample

    def counted(sample):
        asked.append(sample)
        return guess(sample)

    monkeypatch.setattr(encodings, "guess_sample", counted)
    return asked


def many_pairs(rows):
    return b"".join(b"caf\xe9 %d .\tcaf\xe9 . <::::> %d .\n" % (number, number) for number in range(rows))


def test_encoding_guesses_for_lines_are_one_a_file(tmp_path, guesses):
    packed = gzip.compress(many_pairs(2_000), 9)
    found = scanned(tmp_path, "train.tsv.gz", packed, "split_and_rephrase")
    assert len(found) == 2_000 and not any(entry.error for entry in found)
    assert len(guesses) == 1


def test_a_line_reads_the_same_whichever_others_are_requested(tmp_path, guesses):
    content = b"plain words .\tplain . <::::> words .\n" * 500 + many_pairs(500)
    scanned(tmp_path, "train.tsv", content, "split_and_rephrase")
    source = Source(kind="split_and_rephrase", path="source", licence="MIT")
    form, root = FORMATS["split_and_rephrase"], tmp_path / "source"
    lines = [raw.content for raw in form.split(root, source)]
    assert guessed_in(root / "train.tsv", lines[998], 2**24) == (lines[998].decode("cp1252"), "cp1252")
    corpus = Corpus("any", {"mine": source}, FORMATS, tmp_path, "", "", 50, OneProcess(), "none")
    texts = [record.raw.content.decode() for record in corpus.of_partition("all")]
    assert texts == [line.decode("cp1252") for line in lines]


def test_encoding_guesses_for_table_rows_are_one_a_file(tmp_path, guesses):
    file = tmp_path / "a.csv.gz"
    file.write_bytes(gzip.compress(b"id,text\n" + b"".join(b"%d,caf\xe9\n" % row for row in range(2_000)), 9))
    found = list(delimited_rows(file, Delimited(",", "", "csv"), 2**24))
    assert {row.cells["text"] for row in found} == {"caf\u00e9"} and len(found) == 2_000
    assert len(guesses) == 1


def test_many_zstandard_frames_are_one_file(tmp_path):
    file = tmp_path / "a.csv.zst"
    frames = [zstd.compress(b"a\n"), *[zstd.compress(b"")] * 9_000, zstd.compress(b"b\n")]
    file.write_bytes(b"".join(frames))
    with opened(file, 100) as stream:
        assert stream.read() == b"a\nb\n"


@pytest.mark.parametrize("behind", [b"junk", zstd.compress(b"b" * 100)[:-5]])
def test_data_after_zstandard_frames_is_reported(tmp_path, behind):
    (tmp_path / "a.zst").write_bytes(zstd.compress(b"a") + behind)
    with opened(tmp_path / "a.zst", 100) as stream, pytest.raises(DamageError):
        stream.read()
