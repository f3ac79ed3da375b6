"""CL-SciSumm XML."""

from __future__ import annotations

import pytest

from silverloom.ops.parse.papers import FORMATS
from silverloom.ops.parse.papers.paper import Paper
from silverloom.ops.parse.source import ParseError, Raw

PAPER = """<PAPER>
  <S sid="0">A Title</S>
  <ABSTRACT><S sid="1" ssid="1">We do &amp;quot;it&amp;quot; well in ap- plications.</S></ABSTRACT>
  <SECTION title="" number="1"><S sid="2">We do it well in applications.</S></SECTION>
  <SECTION title="1 Introduction" number="2"><S sid="3">Hello (cf.</S><S sid="4"/><S sid="5">Bies).</S>
  <SUBSECTION>1.1 Zebra.</SUBSECTION><S sid="6">We do it.</S></SECTION>
</PAPER>"""


def parse(text: str | bytes) -> Paper:
    content = text if isinstance(text, bytes) else text.encode()
    return FORMATS["cl_scisumm"].parse(Raw("a.xml", "a", content))


def test_sentences_are_unchanged_with_their_sid_except_cuts_after_abbreviations():
    paper = parse(PAPER)
    assert paper.title == "A Title"
    assert [(each.section, each.locator, each.text) for each in paper.sentences] == [
        (0, "S sid=1", 'We do "it" well in applications.'),
        (0, "S sid=2", "We do it well in applications."),
        (1, "S sid=3-5", "Hello (cf. Bies)."),
        (2, "S sid=6", "We do it."),
    ]
    assert paper.text[paper.sentences[0].start : paper.sentences[0].end].endswith("in ap- plications.")


def test_a_split_after_an_abbreviation_is_rejoined_only_within_a_section():
    paper = parse(
        '<PAPER><S sid="0">T</S><SECTION title="Data"><S sid="1">As in Fig.</S><S sid="2">1 and Eq.</S>'
        '<S sid="3">2.</S><S sid="4">See Tab.</S></SECTION><SECTION title="End"><S sid="5">3 it is.</S></SECTION></PAPER>'
    )
    assert [(each.section, each.locator, each.text) for each in paper.sentences] == [
        (0, "S sid=1-3", "As in Fig. 1 and Eq. 2."),
        (0, "S sid=4", "See Tab."),
        (1, "S sid=5", "3 it is."),
    ]
    first = paper.sentences[0]
    assert paper.text[first.start : first.end].split() == first.text.split()


@pytest.mark.parametrize(
    "opening", ["Acknowledgments We thank you.", "7 Acknowledgement.", "ACKNOWLEDGEMENTS: We do."]
)
def test_acknowledgments_that_follow_the_last_section_directly_are_a_separate_section(opening):
    paper = parse(
        '<PAPER><S sid="0">T</S><SECTION title="Method"><S sid="1">Acknowledgments We count.</S><S sid="2">We do.</S>'
        f'</SECTION><SECTION title="Conclusion"><S sid="3">It works.</S><S sid="4">{opening}</S><S sid="5">And Jo.</S>'
        '</SECTION><SECTION title="Appendix"><S sid="6">More of it.</S></SECTION></PAPER>'
    )
    assert [section.role for section in paper.sections] == [
        "method",
        "conclusion",
        "acknowledgments",
        "appendix",
    ]
    assert [each.section for each in paper.sentences] == [0, 0, 1, 2, 2, 3]
    assert opening.startswith(paper.sections[2].title)


@pytest.mark.parametrize(
    "content",
    [
        '<SECTION title="Acts"><S sid="1">A.</S><S sid="2">Acknowledgments are frequent.</S></SECTION>',
        '<SECTION title="Acts"><S sid="1">A.</S><S sid="2">Acknowledgments We do.</S></SECTION>'
        '<SECTION title="Acknowledgments"><S sid="3">Thanks.</S></SECTION>',
    ],
)
def test_a_sentence_about_acknowledgments_starts_no_section(content):
    paper = parse(f'<PAPER><S sid="0">T</S>{content}</PAPER>')
    assert {each.section for each in paper.sentences if each.locator < "S sid=3"} == {0}


def test_an_untitled_section_that_repeats_the_abstract_is_part_of_it():
    sections = [(each.title, each.role) for each in parse(PAPER).sections]
    assert sections == [
        ("Abstract", "abstract"),
        ("1 Introduction", "introduction"),
        ("1.1 Zebra.", "introduction"),
    ]


def test_sentences_outside_sections_are_a_separate_section():
    paper = parse('<PAPER><S sid="0">T</S><S sid="1">One.</S><S sid="2">Two.</S></PAPER>')
    assert [(each.title, each.role) for each in paper.sections] == [("", "other")]
    assert len(paper.sentences) == 2


def test_the_title_can_be_read_alone():
    fields = FORMATS["cl_scisumm"].fields(Raw("a.xml", "a", PAPER.encode()))
    assert fields == {"document": "a", "title": "A Title"}


BOMB = '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]><PAPER><S sid="1">&c;</S></PAPER>'


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        ("", "empty"),
        ("<PAPER>\n<S>", r"malformed XML: .* \(line 2, column 4\)"),
        ("<PAPER><S></PAPER>", "mismatch"),
        (BOMB, "refused"),
        ('<!DOCTYPE PAPER SYSTEM "file:///etc/passwd"><PAPER/>', "no sentences"),
        ("<html/>", "expected the element <PAPER>, found <html>"),
        ("<PAPER><SECTION><B>x</B></SECTION></PAPER>", "unexpected element <B>"),
        ("<PAPER><TITLE/></PAPER>", "unexpected element <TITLE>"),
        ('<PAPER><S sid="0">T</S></PAPER>', "no sentences"),
        (b"<PAPER><S sid='1'>Caf\xe9</S></PAPER>", "malformed XML"),
        ('<?xml version="1.0" encoding="klingon"?><PAPER/>', "malformed XML: .*klingon"),
        ("<PAPER><S sid='1'>\x00</S></PAPER>", "malformed XML"),
        (
            "<PAPER>" + "<SECTION>" * 50_000 + "</SECTION>" * 50_000 + "</PAPER>",
            "malformed XML: Excessive depth",
        ),
        ("<PAPER>\n<S>a<S>b</S></S></PAPER>", r"an element <S> inside of <S> \(line 2\)"),
        ("<PAPER><SECTION><S>a<B>b</B></S></SECTION></PAPER>", "an element <B> inside of <S>"),
        ("<PAPER>" + "<S/>" * 200_000 + "</PAPER>", "no sentences"),
        ("<PAPER><S sid='1'>&#27;</S></PAPER>", "malformed XML: .*invalid"),
    ],
)
def test_content_other_than_a_paper_is_refused_with_the_cause(content, cause):
    with pytest.raises(ParseError, match=cause):
        parse(content)


def test_a_character_reference_of_any_length_is_read():
    many = "9" * 10_000
    paper = parse(f'<PAPER><S sid="1">It is &amp;#{many}; or &amp;#0000000065; here.</S></PAPER>')
    assert [sentence.text for sentence in paper.sentences] == ["It is \ufffd or A here."]
