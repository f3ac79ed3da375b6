"""ScienceParse's JSON."""

from __future__ import annotations

import json

import pytest

from silverloom.ops.parse.papers import FORMATS
from silverloom.ops.parse.papers.paper import Paper
from silverloom.ops.parse.source import ParseError, Raw

RECORD = {
    "title": "A Title",
    "year": 2018,
    "abstractText": "We do it.",
    "sections": [
        {"heading": None, "text": "Proceedings of NAACL 2018, pages 1–9"},
        {"heading": "1 Introduction", "text": "The inter-\n7https://ibm.co/2hn\naction is new. It works."},
        {"heading": "2 Empty", "text": ""},
    ],
}


def parse(record: object) -> Paper:
    content = record if isinstance(record, bytes) else json.dumps(record).encode()
    return FORMATS["science_parse"].parse(Raw("a.json", "a", content))


@pytest.mark.parametrize("record", [RECORD, {"name": "a.pdf", "metadata": RECORD}])
def test_abstract_sections_and_footnotes_are_distinguished(record):
    paper = parse(record)
    assert [(each.title, each.role) for each in paper.sections] == [
        ("Abstract", "abstract"),
        ("", "preamble"),
        ("1 Introduction", "introduction"),
        ("2 Empty", "other"),
    ]
    assert [(each.locator, each.text) for each in paper.sentences] == [
        ("abstractText", "We do it."),
        ("sections[0]", "Proceedings of NAACL 2018, pages 1–9"),
        ("sections[1]", "The interaction is new."),
        ("sections[1]", "7https://ibm.co/2hn"),
        ("sections[1]", "It works."),
    ]


def test_a_page_number_after_a_footnote_does_not_cut_the_continued_sentence():
    text = "It goes on, usually\n3Defined as outstandingly bad.\n1802\nleading to breakdown. It ends."
    paper = parse({"sections": [{"heading": "Method", "text": text}]})
    assert [sentence.text for sentence in paper.sentences] == [
        "It goes on, usually leading to breakdown.",
        "3Defined as outstandingly bad.",
        "1802",
        "It ends.",
    ]


def test_a_displayed_equation_is_a_separate_sentence():
    text = "We take it as\nd(x) = \u03a3 a p(a|x)\nOn held-out pages it works."
    paper = parse({"sections": [{"heading": "Method", "text": text}]})
    assert "d(x) = \u03a3 a p(a|x)" in [sentence.text for sentence in paper.sentences]


def test_the_metadata_can_be_read_alone():
    fields = FORMATS["science_parse"].fields(Raw("a.json", "a", json.dumps(RECORD).encode()))
    assert (fields["title"], fields["year"], fields["document"]) == ("A Title", "2018", "a")


@pytest.mark.parametrize(
    ("record", "cause"),
    [
        (b"", "empty"),
        (b"{", "malformed JSON: .*line 1, column 2"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[]", "expected a JSON object, found a list"),
        (b'{"sections": ' + b"1" * 5000 + b"}", "malformed JSON"),
        (b"\xff{}", "byte 0xff at byte offset 0"),
        ({}, "neither the key sections nor the key abstractText"),
        ({"metadata": None}, "metadata must be an object, found null"),
        ({"title": 3, "sections": []}, "title must be text, found a number"),
        ({"sections": {}}, "no sentences"),
        ({"sections": {"a": 1}}, "sections must be a list, found an object"),
        ({"sections": ["x"]}, r"sections\[0\] must be an object, found text"),
        ({"sections": [{"heading": "a", "text": ["x"]}]}, r"sections\[0\].text must be text, found a list"),
        ({"sections": []}, "no sentences"),
        ({"abstractText": "A \u0000 b."}, r"U\+0000"),
        ({"abstractText": "A \ud800 b."}, r"U\+D800"),
        ({"title": "\ud800", "abstractText": "A b."}, r"U\+D800"),
    ],
)
def test_json_other_than_a_paper_is_refused_with_the_key(record, cause):
    with pytest.raises(ParseError, match=cause):
        parse(record)
