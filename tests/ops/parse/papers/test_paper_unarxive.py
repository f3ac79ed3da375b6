"""unarXive: placeholders of formulas and citations, sections, ids of cited papers."""

import json

import pytest

from silverloom.ops.parse.papers import FORMATS
from silverloom.ops.parse.source import MonthRule, ParseError, Raw, Source

RECORD = {
    "paper_id": "2212.1",
    "metadata": {
        "title": "Zeros of\n  polynomials",
        "license": "CC",
        "versions": [{"version": "v1", "created": "Thu, 2 Dec 2022 17:01:56 GMT"}],
        "update_date": "2023-01-01",
    },
    "abstract": {"section": "Abstract", "text": "  We prove\nit.\n"},
    "body_text": [
        {
            "section": "Introduction",
            "sec_number": "1",
            "sec_type": "section",
            "text": "Let {{formula:f}}  be as in {{cite:b}}, {{cite:a}}.\nSee Fig. {{figure:g}} and {{cite:gone}}.",
        },
        {"section": "Acknowledgments", "sec_number": "-1", "text": "We thank Ann."},
    ],
    "bib_entries": {
        "a": {"bib_entry_raw": "A. Author. 2001.", "ids": {"doi": "10.1/a", "arxiv_id": "", "open_alex_id": "https://openalex.org/W1"}},
        "b": {"bib_entry_raw": "B. Author. 2002.", "ids": None, "contained_arXiv_ids": [{"id": "1711.2"}]},
    },
    "ref_entries": {
        "f": {"latex": "\\mu ", "type": "formula"},
        "g": {"caption": "x", "type": "figure"},
    },
}  # fmt: skip


def read(**changed):
    return FORMATS["unarxive"].parse(Raw("a.jsonl", "2212.1", json.dumps({**RECORD, **changed}).encode()))


def test_placeholders_become_what_they_name():
    paper = read()
    assert paper.title == "Zeros of polynomials"
    assert [(section.title, section.role) for section in paper.sections] == [
        ("Abstract", "abstract"),
        ("1 Introduction", "introduction"),
        ("Acknowledgments", "acknowledgments"),
    ]
    assert [sentence.text for sentence in paper.sentences] == [
        "We prove it.",
        "Let \\mu be as in [2], [1].",
        "See Fig. 1 and.",
        "We thank Ann.",
    ]
    assert [sentence.holes for sentence in paper.sentences] == [0, 0, 1, 0]


def test_a_formula_that_is_missing_or_too_long_leaves_a_hole():
    text = (
        "The rate {{formula:f}} is low. The sum {{formula:long}} is high. The end {{formula:gone}} is near. "
        "The proof is in Sec. REF of the paper. It follows from Theorem (REF). A REFERENCE stays."
    )
    paper = read(
        body_text=[{"section": "Data", "text": text}],
        ref_entries={
            "f": {"latex": "\\mu", "type": "formula"},
            "long": {"latex": "x" * 999, "type": "formula"},
        },
    )
    assert [(sentence.text, sentence.holes) for sentence in paper.sentences[1:]] == [
        ("The rate \\mu is low.", 0),
        ("The sum is high.", 1),
        ("The end is near.", 1),
        ("The proof is in Sec. REF of the paper.", 1),
        ("It follows from Theorem (REF).", 1),
        ("A REFERENCE stays.", 0),
    ]


@pytest.mark.parametrize(
    ("text", "shown", "holes"),
    [
        ("It errs (fig:error).", "It errs.", 0),
        ("It errs\u00a0(sec:ours_2sec:results), as we show.", "It errs, as we show.", 0),
        ("It is defined in eq:gain.", "It is defined in eq:gain.", 1),
        ("It is known (see app:ex-metric for details).", "It is known (see app:ex-metric for details).", 1),
        ("In Section  we show it.", "In Section we show it.", 1),
        ("It is in Sec.\u00a0\u00a0and here.", "It is in Sec. and here.", 1),
        ("It is shown in Appendix\u00a0.", "It is shown in Appendix.", 1),
        ("As in section , it holds.", "As in section, it holds.", 1),
        ("It holds by Eq.\u00a0() and main() here.", "It holds by Eq. () and main() here.", 1),
        ("In Section  {{figure:g}} we show it.", "In Section 1 we show it.", 0),
        ("The section\nwe show is  here.", "The section we show is here.", 0),
        ("It has input:fusion and https://a.org/fig:b.", "It has input:fusion and https://a.org/fig:b.", 0),
        ("A 3 M{{formula:lost}}  planet has 2 R{{formula:below}} .", "A 3 M planet has 2 R.", 2),
    ],
)
def test_what_the_source_lost_of_a_reference_or_a_symbol_is_a_hole(text, shown, holes):
    formulas = {
        "g": {"type": "figure"},
        "lost": {"type": "formula", "latex": "_"},
        "below": {"type": "formula", "latex": "\\rm R_ "},
    }
    (sentence,) = read(abstract=None, body_text=[{"text": text}], ref_entries=formulas).sentences
    assert (sentence.text, sentence.holes) == (shown, holes)


def test_a_citation_after_a_full_stop_is_in_the_sentence_before_it():
    text = "It is known. {{cite:a}}, {{cite:b}} We use it. {{cite:a}} shows why. It ends.{{cite:b}} We stop."
    paper = read(body_text=[{"section": "Data", "text": text}])
    assert [sentence.text for sentence in paper.sentences[1:]] == [
        "It is known. [1], [2]",
        "We use it.",
        "[1] shows why.",
        "It ends.[2]",
        "We stop.",
    ]


def test_the_items_of_a_list_are_not_joined():
    body = [
        {"section": "Data", "text": "We use"},
        {"section": "Data", "text": "\na camera,\nold {{cite:a}}\n\na pen\n\n", "content_type": "list"},
        {"section": "Data", "text": "and end here."},
    ]
    assert [sentence.text for sentence in read(body_text=body).sentences[1:]] == [
        "We use",
        "a camera, old [1]",
        "a pen",
        "and end here.",
    ]


def test_marks_name_entries_with_the_known_ids():
    paper = read()
    assert [(paper.text[mark.start : mark.end], mark.entry) for mark in paper.marks] == [
        ("[2]", "b"),
        ("[1]", "a"),
    ]
    assert {entry.key: entry.ids for entry in paper.bibliography} == {
        "a": ("doi:10.1/a", "openalex:W1"),
        "b": ("arxiv:1711.2",),
    }


def test_a_number_relative_to_an_unknown_section_is_left_out():
    body = [
        {"section": "Results", "sec_number": "3", "sec_type": "section", "text": "It works."},
        {"section": "Zebras", "sec_number": "1", "sec_type": "subsection", "text": "They do."},
        {"section": "Lions", "sec_number": "3.2", "sec_type": "subsection", "text": "They do not."},
    ]
    sections = read(abstract=None, body_text=body).sections
    assert [(section.title, section.role) for section in sections] == [
        ("3 Results", "result"),
        ("Zebras", "result"),
        ("3.2 Lions", "result"),
    ]


@pytest.mark.parametrize("latex", ["x_i", "\\frac{a}{b}", "x" * 500])
@pytest.mark.parametrize("space", ["", " "])
def test_a_sentence_ends_at_the_full_stop_before_a_formula(latex, space):
    body = [{"text": f"It holds.{space}{{{{formula:f}}}} Next, we see it."}]
    formulas = {"f": {"latex": latex, "type": "formula"}}
    first, second = read(abstract=None, body_text=body, ref_entries=formulas).sentences
    assert first.text == "It holds."
    assert second.text == ("Next, we see it." if second.holes else f"{latex} Next, we see it.")


def test_the_date_is_that_of_the_first_version():
    raw = Raw("a.jsonl", "2212.1", json.dumps(RECORD).encode())
    assert FORMATS["unarxive"].fields(raw)["date"] == "2022-12-02"


def test_the_document_is_the_paper_id(tmp_path):
    (tmp_path / "a.jsonl").write_text(json.dumps(RECORD))
    source = Source(kind="unarxive", path=".", month=MonthRule(field="date"), licence="x")
    assert [raw.document for raw in FORMATS["unarxive"].split(tmp_path, source)] == ["2212.1"]


@pytest.mark.parametrize(
    ("changed", "cause"),
    [
        ({"body_text": {}}, "no sentences"),
        ({"body_text": [3]}, r"body_text\[0\] must be an object, found a number"),
        ({"bib_entries": []}, "bib_entries must be an object, found a list"),
        ({"metadata": {"title": ["x"]}}, "metadata.title must be text"),
    ],
)
def test_malformed_values_are_refused(changed, cause):
    with pytest.raises(ParseError, match=cause):
        read(**({"abstract": None} | changed))


def test_a_sentence_continues_after_the_formula_that_splits_its_paragraph():
    def paragraph(text, section="Introduction {{formula:f1}}"):
        return {"text": text, "section": section, "sec_number": "1", "sec_type": "section"}

    record = {
        "paper_id": "1",
        "metadata": {"title": "A Title"},
        "body_text": [
            paragraph("It is told by {{formula:f1}}"),
            paragraph("where n is a number. That is all."),
            paragraph("or so it seems."),
            paragraph("and in another section", "Work"),
        ],
        "bib_entries": {},
        "ref_entries": {"f1": {"type": "formula", "latex": "n=1"}},
    }
    paper = FORMATS["unarxive"].parse(Raw("a.jsonl", "1", json.dumps(record).encode(), 1))
    assert [sentence.text for sentence in paper.sentences] == [
        "It is told by n=1 where n is a number.",
        "That is all.",
        "or so it seems.",
        "and in another section",
    ]
    assert paper.sections[0].title == "1 Introduction n=1"
