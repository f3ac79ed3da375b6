"""AASC: one sentence per line, with section types, and placeholders for citations."""

import pytest

from silverloom.ops.parse.papers import FORMATS, parse_citations, parse_papers
from silverloom.ops.parse.records import Record
from silverloom.ops.parse.source import MonthRule, ParseError, Raw, Source

PAPER = """\
s-1-1-0-0\tabstract\tThe paper describes a natural language based expert system route advisor.
s-1-1-0-1\tabstract\tIt runs in Trondheim.
s-2-1-0-0\tintroduction\tRoute advisors are old (CITE-p-21-3-1, CITE-p-21-3-8).
s-2-3-1-0\tintroduction\tCITE-p-21-3-8 has one with MATH-w-2-3-1-0-7 stops.
s-3-0-0-0\tmethod-other\tIt parses questions.
s-4-0-0-0\tdiscussion\tresult\tMost of them are answered.
s-5-0-0-0\tdiscussion\tIt works.
s-6-0-0-0\tappendix\tWe thank Ann.
"""


def read(text, form="aasc"):
    return FORMATS[form].parse(Raw("A00-1001.ss", "A00-1001", text.encode()))


def test_sections_follow_from_their_types_and_sentences_are_those_of_the_file():
    paper = read(PAPER)
    assert [(section.title, section.role) for section in paper.sections] == [
        ("abstract", "abstract"),
        ("introduction", "introduction"),
        ("method-other", "method"),
        ("discussion and result", "discussion"),
        ("discussion", "discussion"),
        ("appendix", "appendix"),
    ]
    assert [(one.section, one.locator, one.text) for one in paper.sentences][:3] == [
        (0, "s-1-1-0-0", "The paper describes a natural language based expert system route advisor."),
        (0, "s-1-1-0-1", "It runs in Trondheim."),
        (1, "s-2-1-0-0", "Route advisors are old (CITE-p-21-3-1, CITE-p-21-3-8)."),
    ]
    assert (paper.title, paper.subjects, len(paper.sentences)) == ("", ("ACL Anthology",), 8)


def test_citation_placeholders_are_marks_one_for_each_entry():
    paper = read(PAPER)
    assert [(paper.text[mark.start : mark.end], mark.entry) for mark in paper.marks] == [
        ("CITE-p-21-3-1, CITE-p-21-3-8", "p-21-3-1"),
        ("CITE-p-21-3-1, CITE-p-21-3-8", "p-21-3-8"),
        ("CITE-p-21-3-8", "p-21-3-8"),
    ]
    record = Record("m/a.ss", "m", "aasc", "MIT", "2000-01", Raw("a.ss", "A00-1001", PAPER.encode()))
    (cited,) = parse_citations([record]).kept.to_pylist()
    (row,) = parse_papers([record]).kept.to_pylist()
    assert {mark["sentence_id"] for mark in cited["marks"]} == {
        sentence["id"] for sentence in row["sentences"] if "CITE" in sentence["text"]
    }
    assert [mark["entry"] for mark in cited["marks"]] == ["p-21-3-1", "p-21-3-8", "p-21-3-8"]


def test_a_folder_has_one_paper_per_file_with_the_year_in_its_id(tmp_path):
    (tmp_path / "A00-1001.ss").write_text(PAPER)
    (tmp_path / "README.md").write_text("AASC")
    source = Source(
        kind="aasc", path=".", month=MonthRule(id_year=r"^[A-Z](\d\d)-"), licence="CC-BY-NC-SA-3.0"
    )
    (raw,) = FORMATS["aasc"].split(tmp_path, source)
    assert (raw.document, raw.error) == ("A00-1001", None)
    assert FORMATS["aasc"].fields(raw) == {"document": "A00-1001"}


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("", "the file is empty"),
        (PAPER + "s-7-0-0-0\tappendix\n", "line 9: its cells are 2, due are id, type, sentence"),
        ("id\tsect_name\ttext\n", "line 1: 'id' is no id of a sentence, such as s-1-1-0-0"),
        ("s-1-1-0-0\tabstract\t \n", "no sentences"),
        ("s-1-1-0-0\tabstract\ta\x07b\n", "the text holds the character U\\+0007"),
    ],
)
def test_a_malformed_line_of_aasc_is_refused_with_its_number(text, cause):
    with pytest.raises(ParseError, match=cause):
        read(text)
