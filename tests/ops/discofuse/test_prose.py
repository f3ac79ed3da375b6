"""Prose from files and lines, and what is rejected."""

import json

import pytest
from pydantic import ValidationError

from silverloom.ops.discofuse.schemas import PROSE
from silverloom.ops.discofuse.sources import PROSE_FORMATS, parse_prose
from silverloom.ops.parse.records import Record, record_id
from silverloom.ops.parse.source import ParseError, Raw, Source, month_of


def source(kind, **more):
    return Source(kind=kind, path="there", month={"field": "date"}, licence="MIT", **more)


def raws(kind, folder, **more):
    return list(PROSE_FORMATS[kind].split(folder, source(kind, **more)))


def parsed(kind, content, document="one"):
    return PROSE_FORMATS[kind].parse(Raw("a.txt", document, content))


def outcome(kind, folder, **more):
    given = source(kind, domain="sports", **more)
    records = [
        Record(record_id("mine", raw), "mine", kind, "MIT", "2018-06", raw, given.domain)
        for raw in PROSE_FORMATS[kind].split(folder, given)
    ]
    return parse_prose(records)


def test_title_and_metadata_precede_the_paragraphs():
    head = b"# A River\ndate: 2018-06-03\nurl: https://a.org/1\nlicence: CC0-1.0\n\n"
    content = head + b"It flows\nfast. It is cold.\n\n\nIt ends.\n"
    prose = parsed("plain_prose", content)
    assert prose == ("A River", "CC0-1.0", "It flows fast. It is cold.\n\nIt ends.", "https://a.org/1")
    fields = PROSE_FORMATS["plain_prose"].fields(Raw("a.txt", "a", content))
    assert month_of(source("plain_prose").month, Raw("a.txt", "a", content), fields) == "2018-06"


def test_a_first_line_without_hash_is_a_title_if_only_metadata_follow():
    assert parsed("plain_prose", b"A River\ndate: 2018-06-03\n\nIt flows.").title == "A River"


@pytest.mark.parametrize(
    "text", ["It flows.\nIt ends.\n\nIt is cold.", "He said\nthis: that it flows.\nIt ends.\n\nIt is cold."]
)
def test_without_a_title_everything_is_text(text):
    prose = parsed("plain_prose", text.encode())
    first, second = text.split("\n\n")
    assert prose == (None, "", f"{' '.join(first.split())}\n\n{second}", "")


def test_a_heading_is_a_paragraph_and_a_word_hyphenated_at_a_line_end_is_one_word():
    prose = parsed("plain_prose", b"# T\n\n## Early life\nShe trans-\nlated it. She translated.\r\n\r\nEnd.")
    assert prose.text == "Early life\n\nShe translated it. She translated.\n\nEnd."


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        (b"", "the file is empty"),
        (b" \n ", "the file is empty"),
        (b"# Title\ndate: 2018\n", "no text"),
        (b"# T\n\nna\xefve", "not UTF-8: byte 0xef"),
        (b"# T\n\na\x00b", r"the text holds the character U\+0000"),
    ],
)
def test_a_file_without_text_is_refused_with_its_cause(content, cause):
    with pytest.raises(ParseError, match=cause):
        parsed("plain_prose", content)


def test_lines_are_documents_and_one_bad_line_is_one_reject(tmp_path):
    lines = [
        json.dumps({"id": "a", "title": " A  day ", "date": "2018-06-01", "text": "It rains.\n\nIt  stops."}),
        "",
        '{"id": "b", "text": "cut',
        json.dumps({"id": 7, "text": "Seven.", "url": " https://a.org/7 "}),
        json.dumps({"id": "c", "title": "no text"}),
        json.dumps({"id": "a", "text": "Again."}),
        json.dumps({"id": "d", "text": ["Not", "text"]}),
        json.dumps({"id": "e", "text": " "}),
        '{"text": "half a \\ud83d pair"}',
        json.dumps({"id": "long", "text": "x" * 500}),
        json.dumps({"id": "e1", "text": "Kept.", "url": 3}),
        '{"id": "e2", "text": "Kept.", "url": "https://a.org/\\ud83d"}',
    ]
    (tmp_path / "x.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    prose_outcome = outcome("jsonl_prose", tmp_path, max_bytes=300)
    assert prose_outcome.kept.schema == PROSE.kept
    assert prose_outcome.kept.select(["document", "title", "month", "domain", "text"]).to_pylist() == [
        {
            "document": "a",
            "title": "A day",
            "month": "2018-06",
            "domain": "sports",
            "text": "It rains.\n\nIt stops.",
        },
        {"document": "7", "title": None, "month": "2018-06", "domain": "sports", "text": "Seven."},
        {"document": "e1", "title": None, "month": "2018-06", "domain": "sports", "text": "Kept."},
        {"document": "e2", "title": None, "month": "2018-06", "domain": "sports", "text": "Kept."},
    ]
    errors = prose_outcome.rejected["error"].to_pylist()
    assert [error.split(":")[0] for error in errors] == [
        f"mine/x.jsonl, line {row}" for row in (3, 5, 6, 7, 8, 9, 10)
    ]
    causes = [
        "malformed JSON",
        "no field text; there are",
        "already that of",
        "text must be text",
        "no text",
        "U+D83D",
        "larger than",
    ]
    assert all(cause in error for cause, error in zip(causes, errors, strict=True)), errors
    assert len(prose_outcome.units) == 11
    assert prose_outcome.kept["url"].to_pylist() == [None, "https://a.org/7", None, None]


def test_a_domain_is_a_word_that_can_name_a_folder():
    assert source("plain_prose").domain == ""
    with pytest.raises(ValidationError, match="domain"):
        source("plain_prose", domain="../sports")
