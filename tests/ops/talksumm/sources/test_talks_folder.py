"""A folder of transcripts and its metadata become records, and nothing is lost."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ops.core.identity import row_id
from ops.parse.records import Record, record_id
from ops.parse.source import MonthRule, Source
from ops.talksumm.schemas import TALKS
from ops.talksumm.sources.talks import FORMATS, parse_talks, read_metadata

TRANSCRIPTS = FORMATS["transcripts"]
SOURCE = Source(
    kind="transcripts", path="talks", month=MonthRule(field="date"), licence="CC-BY-4.0", max_bytes=1000
)
HEADER = "file,title,date,url,licence\n"


@pytest.fixture
def folder(tmp_path):
    """A function that writes files (name to text or bytes) and splits their folder."""
    place = tmp_path / "talks"
    place.mkdir()

    def write(files):
        for name, content in files.items():
            path = place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return list(TRANSCRIPTS.split(place, SOURCE))

    write.place = place
    return write


def errors(raws):
    return {(raw.path, raw.row): raw.error for raw in raws if raw.error is not None}


def records(raws):
    return [Record(record_id("acl", raw), "acl", "transcripts", "CC-BY-4.0", "2018-07", raw) for raw in raws]


def test_a_transcript_and_its_row_are_one_record(folder):
    raws = folder(
        {
            "metadata.csv": "\ufefftrack, date ,file,title,url,licence\r\n"
            'NLP,2018-07-16,b.txt,"A ""new""\nmodel",https://a.b/c,\r\n\r\nNLP,2018,./year/a.txt,Old,,CC0-1.0\r\n',
            "b.txt": "hello there",
            "year/a.txt": "hi",
            ".hidden.txt": "no",
            ".cache/c.txt": "no",
        }
    )
    assert [(raw.path, raw.document, raw.row, raw.error) for raw in raws] == [
        ("b.txt", "b", None, None),
        ("year/a.txt", "year/a", None, None),
    ]
    assert raws[0].content == b"hello there"
    assert TRANSCRIPTS.fields(raws[0]) == {
        "track": "NLP",
        "date": "2018-07-16",
        "file": "b.txt",
        "title": 'A "new"\nmodel',
        "url": "https://a.b/c",
        "licence": "",
    }


def test_a_file_or_row_without_a_partner_is_a_record_with_its_cause(folder):
    raws = folder(
        {
            "metadata.csv": HEADER
            + "gone.txt,Gone,2018,,\n"
            + "twice.txt,One,2018,,\n"
            + "twice.txt,Two,2018,,\n"
            + "narrow.txt,Narrow,2018\n"
            + "../../etc/passwd,Out,2018,,\n"
            + "/etc/passwd,Out,2018,,\n"
            + "untitled.txt,,2018,,\n"
            + "slides.pdf,Slides,2018,,\n"
            + "same.txt,Same,2018,,\n"
            + "same.srt,Same,2018,,\n"
            + "large.txt,Large,2018,,\n"
            + "good.txt,Good,2018,,\n",
            "twice.txt": "a",
            "narrow.txt": "a",
            "untitled.txt": "a",
            "slides.pdf": "a",
            "same.txt": "a",
            "same.srt": "a",
            "large.txt": "a " * 501,
            "good.txt": "a",
            "good.mp4": "a video next to its transcript",
            "orphan.txt": "a",
        }
    )
    twice = "metadata.csv, lines 3, 4 all name"
    stem = "another transcript differs from it in the extension only"
    stranger = "not a file of this source: its name does not end in .ass or .json or .json3 or .sbv or .srt or .ssa or .txt or .vtt"
    assert errors(raws) == {
        ("good.mp4", None): stranger,
        (
            "large.txt",
            None,
        ): "larger than max_bytes = 1000; it was not read: raise max_bytes of its source in params.yaml",
        ("metadata.csv", 2): "there is no file 'gone.txt' in the folder",
        ("metadata.csv", 3): f"{twice} 'twice.txt'",
        ("metadata.csv", 4): f"{twice} 'twice.txt'",
        ("metadata.csv", 5): "3 columns where the header has 5",
        ("metadata.csv", 6): "the file name leaves the folder: '../../etc/passwd'",
        ("metadata.csv", 7): "the file name leaves the folder: '/etc/passwd'",
        ("metadata.csv", 8): "no title",
        ("narrow.txt", None): "metadata.csv, line 5: 3 columns where the header has 5",
        ("orphan.txt", None): "no row of metadata.csv names it",
        ("same.srt", None): stem,
        ("same.txt", None): stem,
        ("slides.pdf", None): stranger,
        ("twice.txt", None): f"{twice} it",
        ("untitled.txt", None): "metadata.csv, line 8: no title",
    }
    assert [raw.document for raw in raws if raw.error is None] == ["good"]
    assert next(raw for raw in raws if raw.path == "large.txt").content == b""
    assert len({record_id("acl", raw) for raw in raws}) == len(raws)


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        (None, "missing; it gives the file, title, date, url, licence of every transcript"),
        (b"", "the file is empty"),
        (b"file,title,date,url,licence,caf\xe9\nb.txt,T,2018,,\n", "line 1: not UTF-8: the byte 0xe9"),
        ((HEADER + "b.txt,T,2018,,\n").encode("utf-16"), "line 1: not UTF-8: the byte 0xff"),
        (b"file,title,date\nb.txt,T,2018\n", "line 1: no column url, licence"),
        (b"file,title,date,url,licence,title\nb.txt,T,2018,,,T\n", "line 1: two columns have the same name"),
        (b'"file\nb.txt,T,2018,,,T\n', "line 1: not CSV: unexpected end of data"),
        (b"\n\n", "line 1: no column file, title, date, url, licence"),
    ],
)
def test_unreadable_metadata_is_a_rejected_record_and_the_cause_for_every_transcript(folder, content, cause):
    raws = folder({"b.txt": "hi", "c.txt": "hi"} | ({} if content is None else {"metadata.csv": content}))
    against = f"no metadata: metadata.csv: {cause}"
    assert errors(raws) == {("b.txt", None): against, ("c.txt", None): against, ("metadata.csv", None): cause}


def test_a_broken_quote_rejects_only_its_own_row(folder):
    row = '"a"b.txt,T,2018,,\n'
    raws = folder({"metadata.csv": HEADER + row + "c.txt,T,2018,,\n", "c.txt": "hi"})
    assert errors(raws) == {("metadata.csv", 2): "not CSV: ',' expected after '\"'"}
    assert [raw.content for raw in raws] == [b"hi", row.encode()]


@pytest.mark.parametrize(
    ("title", "cause"),
    [
        (b"caf\xe9", "not UTF-8: the byte 0xe9"),
        (b"a\0b", "the row holds the character U+0000, which is no text (line 1, column 8)"),
        (b"a\x1bb", "the row holds the character U+001B, which is no text (line 1, column 8)"),
    ],
)
def test_a_title_with_control_characters_rejects_only_its_talk(folder, title, cause):
    rows = b"b.txt," + title + b",2018,,\nc.txt,T,2018,,\n"
    raws = folder({"metadata.csv": HEADER.encode() + rows, "b.txt": "hi", "c.txt": "hi"})
    assert errors(raws) == {("b.txt", None): f"metadata.csv, line 2: {cause}", ("metadata.csv", 2): cause}
    assert raws[-1].content == rows.splitlines(keepends=True)[0]
    outcome = parse_talks(records(raws))
    assert (outcome.kept["document"].to_pylist(), outcome.rejected.num_rows) == (["c"], 2)


def test_many_rows_for_one_file_are_not_all_listed_in_each_of_them(folder):
    raws = folder({"metadata.csv": HEADER + "b.txt,T,2018,,\n" * 2000, "b.txt": "hi"})
    assert len(raws) == 2001 and max(len(raw.error) for raw in raws) < 100
    assert raws[0].error == "metadata.csv, lines 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, ... all name it"


def test_the_order_of_files_and_rows_is_fixed(folder):
    files = {"z.txt": "z", "a.txt": "a", "m/b.txt": "b", "metadata.csv": HEADER + "y.txt,T,2018,,\n"}
    assert [raw.path for raw in folder(files)] == ["a.txt", "m/b.txt", "metadata.csv", "z.txt"]


@settings(deadline=None)
@given(st.text(alphabet='file,title,date,url,licence\n\r" ab.txt2018\x00\x85\u2028é'))
def test_any_metadata_is_read_or_refused(text):
    rows = read_metadata((HEADER + text).encode())
    assert all(row.written in text for row in rows)
    assert "".join(text.split()) == "".join("".join(row.written for row in rows).split())


def test_every_record_is_kept_or_rejected_with_its_place_and_cause(folder):
    raws = folder(
        {
            "metadata.csv": HEADER
            + "a.txt,First,2018-07-16,https://t.co/1,CC0-1.0\n"
            + "b.vtt,Second,2018,,\n"
            + "c.vtt,Third,2018,,\n"
            + "d.txt,Fourth,2018,,\n"
            + "e.txt,Fifth,2018,,\n",
            "a.txt": "Hello there.",
            "b.vtt": "WEBVTT\n\n00:01.000 --> 00:02.000\nhi\n",
            "c.vtt": "WEBVTT\n\nhi\n",
            "d.txt": " \n",
        }
    )
    outcome = parse_talks(records(raws))
    assert outcome.kept.schema == TALKS.kept
    assert outcome.kept.to_pylist() == [
        {
            "id": row_id("talk", "acl", "a"),
            "source_ids": ["acl/a.txt"],
            "licence": "CC0-1.0",
            "document": "a",
            "title": "First",
            "date": "2018-07-16",
            "month": "2018-07",
            "url": "https://t.co/1",
            "paper_names": [],
            "words": [
                {"text": "Hello", "offset": 0, "start": None, "end": None},
                {"text": "there.", "offset": 6, "start": None, "end": None},
            ],
            "encoding": None,
        },
        {
            "id": row_id("talk", "acl", "b"),
            "source_ids": ["acl/b.vtt"],
            "licence": "CC-BY-4.0",
            "document": "b",
            "title": "Second",
            "date": "2018",
            "month": "2018-07",
            "url": None,
            "paper_names": [],
            "words": [{"text": "hi", "offset": 32, "start": 1.0, "end": 2.0}],
            "encoding": None,
        },
    ]
    assert outcome.rejected["error"].to_pylist() == [
        "acl/c.vtt: no cue times: the file has no captions",
        "acl/d.txt: the file is empty",
        "acl/metadata.csv, line 6: there is no file 'e.txt' in the folder",
    ]
    assert sorted(outcome.units.to_pylist()) == sorted(record_id("acl", raw) for raw in raws)
    assert outcome.dropped.num_rows == 0


def test_metadata_may_have_semicolons_or_tabs_between_columns():
    for sign, told in product(";\t|", (b"", b"sep=%c\r\n")):
        lines = ["file,title,date,url,licence", "a.txt,Mills,2018,,", "b.txt,Rivers,2018,,"]
        table = "\n".join(line.replace(",", sign) for line in lines).encode()
        rows = read_metadata((told % ord(sign) if told else b"") + table)
        assert [(row.file, row.values["title"], row.error) for row in rows] == [
            ("a.txt", "Mills", None),
            ("b.txt", "Rivers", None),
        ]


def test_a_text_with_captions_is_read_as_captions(folder):
    table = HEADER + "a.txt,A,2018,,\nb.txt,B,2018,,\nc.json3,C,2018,,\n"
    raws = folder(
        {
            "metadata.csv": table,
            "a.txt": "1\n00:00:01,000 --> 00:00:02,000\nhello there\n",
            "b.txt": "WEBVTT\n\n00:01.000 --> 00:02.000\nhello there\n",
            "c.json3": '{"events": [{"tStartMs": 0, "segs": [{"utf8": "hello there"}]}]}',
        }
    )
    rows = parse_talks(records(raws)).kept.to_pylist()
    assert [[word["text"] for word in row["words"]] for row in rows] == [["hello", "there"]] * 3
