"""S2ORC in all its forms: doc2json, the releases of 2019 and 2020, the annotated text of the bulk API."""

import gzip
import json

import pytest

from silverloom.ops.parse.papers import FORMATS
from silverloom.ops.parse.papers.s2orc import read_bulk
from silverloom.ops.parse.source import MonthRule, ParseError, Raw, Source
from tests.work import lines_run

TEXT = "Labels are dear (Doe, 2016). They are noisy (Roe, 2017)."
PARAGRAPH = {
    "text": TEXT,
    "section": "Introduction",
    "sec_num": "1",
    "cite_spans": [
        {"start": 16, "end": 27, "text": "(Doe, 2016)", "ref_id": "BIBREF0"},
        {"start": 44, "end": 55, "text": "(Roe, 2017)", "ref_id": None},
    ],
}
ENTRY = {
    "title": "Dear Labels",
    "year": 2016,
    "authors": [{"first": "Jo", "middle": [], "last": "Doe"}],
    "other_ids": {"DOI": ["10.1000/1"]},
    "raw_text": "Jo Doe. 2016. Dear Labels.",
    "link": "77",
}
PARSE = {
    "abstract": [{"text": "We label.", "section": "Abstract", "cite_spans": []}],
    "body_text": [PARAGRAPH, {"text": "It goes on.", "section": "Introduction", "sec_num": "1"}],
    "back_matter": [{"text": "We thank Ann.", "section": "Acknowledgements"}],
    "bib_entries": {"BIBREF0": ENTRY},
}
SHAPES = {
    "doc2json": {"paper_id": "p", "title": "Noise", "year": "2018", "pdf_parse": PARSE},
    "2019": {"paper_id": "p", "metadata": {"title": "Noise", "year": "2018"}, "grobid_parse": PARSE},
    "2021": {"paper_id": "p", "metadata": {"title": "Noise", "year": 2018}, **PARSE},
}


def read(record, kind="s2orc"):
    return FORMATS[kind].parse(Raw("p.json", "p", json.dumps(record).encode()))


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_is_the_same_paper(shape):
    paper = read(SHAPES[shape])
    assert paper.title == "Noise"
    assert [(section.title, section.role) for section in paper.sections] == [
        ("Abstract", "abstract"),
        ("1 Introduction", "introduction"),
        ("Acknowledgements", "acknowledgments"),
    ]
    assert [(sentence.section, sentence.text) for sentence in paper.sentences] == [
        (0, "We label."),
        (1, "Labels are dear (Doe, 2016)."),
        (1, "They are noisy (Roe, 2017)."),
        (1, "It goes on."),
        (2, "We thank Ann."),
    ]
    assert [(paper.text[mark.start : mark.end], mark.entry) for mark in paper.marks] == [
        ("(Doe, 2016)", "BIBREF0"),
        ("(Roe, 2017)", ""),
    ]
    (entry,) = paper.bibliography
    assert (entry.title, entry.year, entry.authors) == ("Dear Labels", "2016", ("Jo Doe",))
    assert entry.ids == ("s2orc:77", "doi:10.1000/1")


@pytest.mark.parametrize("shape", ["doc2json", "2019", "2021"])
def test_the_year_is_a_field_for_month_rules(shape):
    raw = Raw("p.json", "p", json.dumps(SHAPES[shape]).encode())
    assert FORMATS["s2orc"].fields(raw)["year"] == "2018"


def bulk():
    pieces = {
        "title": "Noise\n",
        "abstract": "We label.\n",
        "sectionheader": "Introduction\n",
        "paragraph": TEXT + "\n",
        "bibentry": "Jo Doe. 2016. Dear Labels.",
    }
    text, annotations = "", {}
    for name, piece in pieces.items():
        attributes = {"sectionheader": {"n": "1"}, "bibentry": {"id": "b0", "matched_paper_id": 77}}
        start, end = len(text), len(text) + len(piece.rstrip())
        annotations[name] = [{"start": start, "end": end, "attributes": attributes.get(name)}]
        text += piece
    first = text.index("(Doe")
    annotations["bibref"] = [{"start": str(first), "end": str(first + 11), "attributes": {"ref_id": "b0"}}]
    written = {name: json.dumps(found) for name, found in annotations.items()}
    return {
        "corpusid": 5,
        "content": {"source": {}, "text": text, "annotations": {**written, "figure": None}},
    }


def test_bulk_api_annotations_give_the_same_paper():
    paper = read(bulk())
    assert [(section.title, section.role) for section in paper.sections] == [
        ("Abstract", "abstract"),
        ("1 Introduction", "introduction"),
    ]
    assert [sentence.text for sentence in paper.sentences] == [
        "We label.",
        "Labels are dear (Doe, 2016).",
        "They are noisy (Roe, 2017).",
    ]
    assert [(paper.text[mark.start : mark.end], mark.entry) for mark in paper.marks] == [
        ("(Doe, 2016)", "b0")
    ]
    assert paper.bibliography[0].ids == ("s2orc:77",)


def test_text_between_headings_is_a_paragraph_if_none_are_annotated():
    record = bulk()
    record["content"]["annotations"]["paragraph"] = None
    assert [sentence.text for sentence in read(record).sentences][1:] == [
        "Labels are dear (Doe, 2016).",
        "They are noisy (Roe, 2017).",
    ]


def annotated(text, **annotations):
    """A record of the bulk API with annotations given as (start, end)."""
    written = {
        name: [{"start": start, "end": end} for start, end in found] for name, found in annotations.items()
    }
    return {"corpusid": 5, "content": {"text": text, "annotations": written}}


def test_each_mark_belongs_to_the_paragraph_that_contains_it():
    text = "Labels [1] are. They [2] are, [3]. We [4] too."
    marks = [(text.index("["), text.index("[") + 3), (21, 24), (30, 36), (38, 41), (38, 41)]
    paper = read(annotated(text, title=[], paragraph=[(0, 15), (16, 34), (35, 46)], bibref=marks))
    found = [paper.text[mark.start : mark.end] for mark in paper.marks]
    assert found == ["[1]", "[2]", "[4]", "[4]"], "a mark across two paragraphs is in neither"


def test_the_text_of_overlapping_paragraphs_is_read_once():
    text = "Labels are dear. They are noisy. We clean them."
    paper = read(annotated(text, paragraph=[(0, 32), (17, 47), (33, 40)]))
    assert [sentence.text for sentence in paper.sentences] == [
        "Labels are dear.",
        "They are noisy.",
        "We clean them.",
    ]


def test_the_work_for_marks_paragraphs_and_headings_is_linear():
    """Each of 3,000 paragraphs used to be compared with every mark: nine million times."""
    many = 3_000
    text = "Labels [1]. " * many
    starts = range(0, len(text), 12)
    record = annotated(
        text,
        paragraph=[(start, start + 11) for start in starts],
        bibref=[(start + 7, start + 10) for start in starts],
        sectionheader=[(start + 11, start + 11) for start in starts],
    )
    lines, paper = lines_run(read_bulk, record)
    assert len(paper.marks) == many and lines < 600 * many


def test_annotations_that_all_span_the_whole_text_give_no_more_than_the_text():
    text = "Labels are dear. " * 100
    whole = [(0, len(text))] * 1_000
    names = ("title", "abstract", "sectionheader", "paragraph", "bibref")
    paper = read(annotated(text, **dict.fromkeys(names, whole)))
    assert paper.text.count("Labels") <= len(("title", "abstract", "heading", "text")) * 100
    entries = read(annotated(text, paragraph=[(0, 16)], bibentry=whole)).bibliography
    assert sum(len(entry.text) for entry in entries) <= len(text)


def test_shards_have_one_paper_per_line(tmp_path):
    lines = [json.dumps({**SHAPES["2021"], "paper_id": "a"}), "", "{", json.dumps(bulk())]
    (tmp_path / "shard.jsonl.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    source = Source(kind="s2orc_shards", path=".", month=MonthRule(constant="2018-01"), licence="x")
    found = list(FORMATS["s2orc_shards"].split(tmp_path, source))
    assert [(raw.document, raw.row) for raw in found] == [("a", 1), ("shard.jsonl.gz#3", 3), ("5", 4)]
    assert FORMATS["s2orc_shards"].parse(found[0]).title == "Noise"
    with pytest.raises(ParseError, match="malformed JSON"):
        FORMATS["s2orc_shards"].parse(found[1])


@pytest.mark.parametrize(
    ("record", "cause"),
    [
        ({"title": "x"}, "no key body_text, nor content"),
        ({"body_text": [{"text": "ab", "cite_spans": [{"start": 1, "end": 3}]}]}, "is outside the 2 characters"),
        ({"body_text": [{"text": 3}]}, r"body_text\[0\].text must be text, found a number"),
        ({"body_text": "x" * 9}, "body_text must be a list, found text"),
        ({"body_text": []}, "no sentences"),
        ({"body_text": [{"text": "\ud800."}]}, "no text"),
        ({"content": {"text": "x", "annotations": {"paragraph": "["}}}, "paragraph is no JSON"),
        ({"content": {"text": "x", "annotations": {"paragraph": [{"start": 0, "end": 2}]}}}, "is outside the 1"),
        ({"content": {"text": "", "annotations": {}}}, "content.text is empty"),
    ],
)  # fmt: skip
def test_malformed_values_are_refused_with_their_place(record, cause):
    with pytest.raises(ParseError, match=cause):
        read(record)


def test_a_raised_number_that_the_format_marks_ends_no_sentence_and_opens_none():
    text = "We use BERT.1 We tune GPT-2.2,3 It needs 5 GB. 4 All is well.5"
    numbers = [(12, 13), (28, 29), (30, 31), (47, 48), (61, 62)]
    spans = [{"start": start, "end": end, "ref_id": "BIBREF0"} for start, end in numbers]
    body = [{"text": text, "section": "Data", "cite_spans": spans}]
    assert [text[start:end] for start, end in numbers] == ["1", "2", "3", "4", "5"]
    paper = read({"paper_id": "p", "title": "Noise", "pdf_parse": {**PARSE, "body_text": body}})
    assert [sentence.text for sentence in paper.sentences if sentence.section == 1] == [
        "We use BERT.1",
        "We tune GPT-2.2,3",
        "It needs 5 GB. 4",
        "All is well.5",
    ]


def test_words_that_stand_for_formulas_leave_holes():
    body = [
        {"text": "Let INLINEFORM0 be the rate, and INLINEFORM1. It is given by", "section": "Data"},
        {"text": "EQUATION", "section": "Data"},
        {"text": "where it is low. It holds. So EQUATION is known.", "section": "Data"},
        {"text": "EQUATION", "section": "Data"},
    ]
    paper = read({"paper_id": "p", "title": "Noise", "pdf_parse": {**PARSE, "body_text": body}})
    assert [(sentence.text, sentence.holes) for sentence in paper.sentences if sentence.section == 1] == [
        ("Let be the rate, and.", 2),
        ("It is given by where it is low.", 1),
        ("It holds.", 0),
        ("So is known.", 1),
    ]
