"""Citation marks as rows: their sentences, the cited works, and ids that are unique within a paper."""

import json

from silverloom.ops.parse.papers import parse_citations, parse_papers
from silverloom.ops.parse.records import Record
from silverloom.ops.parse.source import Raw

TEXT = "Labels are dear [1]. Others say so [1, 2], [1]."
PAPER = {
    "title": "Noise",
    "body_text": [
        {
            "text": TEXT,
            "section": "Introduction",
            "cite_spans": [
                {"start": 16, "end": 19, "ref_id": "B0"},
                {"start": 35, "end": 37, "ref_id": "B0"},
                {"start": 39, "end": 41, "ref_id": "gone"},
                {"start": 43, "end": 46, "ref_id": "B0"},
            ],
        }
    ],
    "bib_entries": {"B0": {"title": "Dear Labels", "link": "77", "year": 2016}},
}


def record(kind, content, document="p"):
    path = f"{document}.x"
    return Record(f"src/{path}", "src", kind, "MIT", "2018-06", Raw(path, document, content))


def read(*records):
    return parse_citations(records)


def test_a_mark_names_its_sentence_and_what_it_cites():
    given = record("s2orc", json.dumps(PAPER).encode())
    (row,) = read(given).kept.to_pylist()
    (paper,) = parse_papers([given]).kept.to_pylist()
    assert row["paper_id"] == paper["id"]
    sentences = {sentence["id"]: sentence["text"] for sentence in paper["sentences"]}
    assert [
        (mark["text"], sentences[mark["sentence_id"]], mark["entry"], mark["cited_id"], mark["cited_title"])
        for mark in row["marks"]
    ] == [
        ("[1]", "Labels are dear [1].", "B0", "s2orc:77", "Dear Labels"),
        ("[1", "Others say so [1, 2], [1].", "B0", "s2orc:77", "Dear Labels"),
        ("2]", "Others say so [1, 2], [1].", "gone", None, None),
        ("[1]", "Others say so [1, 2], [1].", "B0", "s2orc:77", "Dear Labels"),
    ]
    assert [paper["text"][mark["start"] : mark["end"]] for mark in row["marks"]] == ["[1]", "[1", "2]", "[1]"]
    assert row["bibliography"] == [
        {"key": "B0", "text": "", "title": "Dear Labels", "year": "2016", "authors": [], "ids": ["s2orc:77"]}
    ]


def test_ids_of_marks_are_distinct_also_if_a_sentence_cites_twice():
    body = {**PAPER["body_text"][0], "cite_spans": [{"start": 0, "end": 1, "ref_id": "B0"}] * 3}
    content = json.dumps({**PAPER, "body_text": [body]}).encode()
    (row,) = read(record("s2orc", content)).kept.to_pylist()
    assert len({mark["id"] for mark in row["marks"]}) == 3


def test_every_record_is_a_row_or_a_reject():
    found = read(
        record("plain_text", b"# Title\n\nIt works.", "a"),
        record("s2orc", b"{", "b"),
        record("s2orc", json.dumps(PAPER).encode(), "c"),
    )
    assert [(row["document"], len(row["marks"])) for row in found.kept.to_pylist()] == [("a", 0), ("c", 4)]
    assert [row["error"].partition(":")[0] for row in found.rejected.to_pylist()] == ["src/b.x"]
