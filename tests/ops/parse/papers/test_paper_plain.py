"""Plain text: headings, page furniture, offsets into the file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.parse.head import line_spans
from silverloom.ops.parse.papers import FORMATS
from silverloom.ops.parse.papers.body import body_spans
from silverloom.ops.parse.papers.paper import Paper, PaperBuilder
from silverloom.ops.parse.source import ParseError, Raw
from silverloom.ops.text.holes import HOLE
from silverloom.ops.text.words import fold

PAPER = """# Talking to Machines
date: 2018-07-15
licence: Apache-2.0

A. Smith, University of X

Abstract

We describe a state-of-
the-art method for transla-
tion, shown by Smith et al.
(2003). The inter-

1We thank the reviewers. They
were kind.

Proceedings of ACL 2018, pages 1802–1811
Melbourne, Australia. c©2018 Association for Computational Linguistics

1802

national paper of this
2https://example.org/foo
talk is long.

1 Introduction

A simple thing

2.1 Data

It ends.

Acknowledgments

Thanks.

A Settings

Rate is 3.
"""


def parse(text: str | bytes) -> Paper:
    content = text if isinstance(text, bytes) else text.encode()
    return FORMATS["plain_text"].parse(Raw("a.txt", "a", content))


def texts(paper: Paper) -> list[str]:
    return [sentence.text for sentence in paper.sentences]


def test_title_and_metadata_come_from_the_head():
    fields = FORMATS["plain_text"].fields(Raw("a.txt", "a", PAPER.encode()))
    assert fields == {
        "title": "Talking to Machines",
        "date": "2018-07-15",
        "licence": "Apache-2.0",
        "document": "a",
    }


def test_isolated_numbered_and_known_headings_are_found():
    assert [(section.title, section.role) for section in parse(PAPER).sections] == [
        ("", "preamble"),
        ("Abstract", "abstract"),
        ("1 Introduction", "introduction"),
        ("2.1 Data", "data"),
        ("Acknowledgments", "acknowledgments"),
        ("A Settings", "appendix"),
    ]


def test_a_page_break_does_not_end_a_sentence_and_its_furniture_is_not_joined():
    paper = parse(PAPER)
    assert paper.text == PAPER
    assert texts(paper)[1:6] == [
        "We describe a state-of-the-art method for translation, shown by Smith et al. (2003).",
        "The international paper of this talk is long.",
        "1We thank the reviewers. They were kind.",
        "Proceedings of ACL 2018, pages 1802–1811 Melbourne, Australia. "
        "c©2018 Association for Computational Linguistics",
        "1802",
    ]
    assert "2https://example.org/foo" in texts(paper)
    interrupted = paper.sentences[2]
    found = PAPER[interrupted.start : interrupted.end]
    assert found.startswith("The inter-\n\n1We") and found.endswith("talk is long.")
    assert interrupted.locator == "line 12"


@pytest.mark.parametrize(
    ("elsewhere", "expected"),
    [
        ("Long-term plans are rare.", "We make long-term plans."),
        ("The term of it is long.", "We make long-term plans."),
        ("It is so.", "We make long-term plans."),
        ("The longterm of it is a long term.", "We make longterm plans."),
    ],
    ids=["hyphenated", "both halves", "neither", "joined"],
)
def test_a_hyphen_at_the_end_of_a_line_stays_by_the_other_words_of_the_document(elsewhere, expected):
    assert texts(parse(f"T\n\n{elsewhere} We make long-\nterm plans.\n"))[1] == expected


def test_a_reference_that_is_wrapped_before_its_proceedings_is_not_a_footer():
    assert texts(parse("T\n\nReferences\n\nSmith wrote it. In\nProceedings of X, pages 1.\n")) == [
        "Smith wrote it.",
        "In Proceedings of X, pages 1.",
    ]


def test_hash_headings_rule_out_others():
    paper = parse("T\n\n## Abstract\n\nWe do.\n\n1 Zebra\n\n### 2 Method #\n\nSo.")
    assert [(each.title, each.role) for each in paper.sections] == [
        ("Abstract", "abstract"),
        ("2 Method", "method"),
    ]
    assert texts(paper) == ["We do.", "1 Zebra", "So."]


def test_running_heads_are_found_by_their_repetition():
    pages = enumerate("abc")
    body = "\n\n".join(f"We go on {word}\n\nThe Title of It {page}\n\nthe text." for page, word in pages)
    assert texts(parse(f"T\n\n{body}\n"))[:2] == ["We go on a the text.", "The Title of It 0"]


def test_a_blank_line_ends_a_sentence_before_a_capital():
    assert texts(parse("T\n\nNo stop here\n\nBut here.\n\nAnd here\n\nwe go on.")) == [
        "No stop here",
        "But here.",
        "And here we go on.",
    ]


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
def test_every_kind_of_line_ending_is_read(end):
    paper = parse("T\ndate: 2018-01\n\nAbstract\n\nWe\ngo on.\n".replace("\n", end))
    assert texts(paper) == ["We go on."]
    assert paper.sections[0].role == "abstract"


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        (b"", "empty"),
        (b" \n ", "empty"),
        (b"Title\n", "no sentences"),
        (b"Title\n\nAbstract\n\n", "no sentences"),
        (b"T\n\nCaf\xe9.", "byte 0xe9 at byte offset 6"),
        (b"\xef\xbb\xbfT\n\nCaf\xe9.", "byte 0xe9 at byte offset 9"),
        ("T\n\nWe go.".encode("utf-16"), "UTF-16"),
        (b"T\n\nWe\x00go.", r"U\+0000.*line 3, column 3"),
    ],
)
def test_content_that_is_not_text_is_refused_with_the_place(content, cause):
    with pytest.raises(ParseError, match=cause):
        parse(content)


@given(st.text(st.sampled_from("aB .\n-1*\r\f"), max_size=200), st.booleans())
def test_every_character_is_in_exactly_one_sentence(text, wrapped):
    seen: set[int] = set()
    found = body_spans(text, 0, len(text), wrapped)
    assert found == sorted(found)
    for spans in found:
        for start, end in spans:
            assert start < end
            assert seen.isdisjoint(range(start, end))
            seen.update(range(start, end))
    assert all(index in seen or character.isspace() for index, character in enumerate(text))


@given(st.lists(st.sampled_from(["We go.", "It is", "so. Then", "end"]), min_size=1, max_size=20))
def test_a_sentence_with_one_span_is_its_text_with_folded_white_space(lines):
    text = "T\n\n" + "\n".join(lines)
    for sentence in parse(text).sentences:
        assert fold(text[sentence.start : sentence.end]) == sentence.text


@given(st.text(st.sampled_from("ab\r\n\f ")))
def test_lines_omit_only_white_space(text):
    lines = [text[start:end] for start, end in line_spans(text)]
    assert " ".join(lines).split() == text.split()
    assert all(line == line.strip() for line in lines)


@pytest.mark.parametrize(
    "seed",
    ["a\u2010", "1Aa available http:x ", *(pytest.param(seed, marks=pytest.mark.long) for seed in "a#*")],
)
def test_a_file_of_a_megabyte_is_read(seed):
    """Quadratic work on it takes hours: the limit of every test ends it."""
    assert parse("T\n\nA.\n\n" + seed * (1_000_000 // len(seed))).title == "T"


def test_a_sign_of_a_hole_in_a_paper_is_counted_and_no_part_of_its_sentence():
    built = PaperBuilder("A title")
    built.section("Results")
    built.body(f"We set {HOLE} to {HOLE}. It holds.", "p1")
    paper = built.finish()
    assert [(sentence.text, sentence.holes) for sentence in paper.sentences] == [
        ("We set to.", 2),
        ("It holds.", 0),
    ]
    assert [paper.text[s.start : s.end] for s in paper.sentences] == [
        f"We set {HOLE} to {HOLE}.",
        "It holds.",
    ]


def titles(text: str) -> list[str]:
    return [section.title for section in parse(text).sections]


LONG = "We count the bees of a city with a camera, and the\nbees of a town by hand.\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"Abstract\n{LONG}\n1 Introduction\n{LONG}\n1.1 Cameras\n{LONG}", ["Abstract", "1 Introduction", "1.1 Cameras"]),
        (f"Ann Doe\nann@doe.org\nAbstract\n{LONG}1 Introduction\n{LONG}", ["", "Abstract", "1 Introduction"]),
        (f"Ann Doe\n\nAbstract: {LONG}\nIntroduction\n\n{LONG}", ["", "Abstract", "Introduction"]),
        (f"A BSTRACT\n{LONG}\n1 I NTRODUCTION\n{LONG}\nR EFERENCES\n\nDoe.\n", ["A BSTRACT", "1 I NTRODUCTION", "R EFERENCES"]),
        (f"ABSTRACT—{LONG}\nI. INTRODUCTION\n\n{LONG}", ["ABSTRACT", "I. INTRODUCTION"]),
        (f"1 University of Bees\nDepartment of very many honey bees\n\nAbstract\n\n{LONG}", ["", "Abstract"]),
        (f"Abstract\n\n{LONG}\nMethods\nof counting are old.\n", ["Abstract"]),
        (f"Abstract\n\n{LONG}\n12 Bees were seen in the north of a\ncity, and {LONG}", ["Abstract"]),
    ],
    ids=["text below", "text above", "label", "small capitals", "dash", "affiliation", "name in a sentence", "number in a sentence"],
)  # fmt: skip
def test_headings_need_no_blank_lines_where_name_number_and_length_tell_them(text, expected):
    assert titles(f"Counting Bees\n\n{text}") == expected


@pytest.mark.parametrize(
    "name", ["REFERENCES AND NOTES", "Literature Cited", "Literature", "Works Cited", "Reference"]
)
def test_a_bibliography_may_have_any_of_its_usual_names(name):
    entry = "Reed, A. 2001. Labels of Rome. Journal of Labels 1:1-9."
    paper = parse(f"T\n\n1 Results\n\nWe see labels.\n\n{name}\n\n{entry}\n")
    assert [(section.title, section.role) for section in paper.sections][1:] == [(name, "references")]
    assert [one.section for one in paper.sentences][:2] == [0, 1]


def test_the_text_behind_a_label_of_the_abstract_is_its_first_sentence():
    paper = parse("Counting Bees\n\nAbstract. We count\nbees.\n")
    assert texts(paper) == ["We count bees."]
    assert paper.sentences[0].locator == "line 3"


def test_items_of_a_list_are_not_joined():
    assert texts(parse("Bees\n\nWe use\n- a camera that is\nold\n- a pen\n\nIt is so - and\n- so.\n")) == [
        "We use", "- a camera that is old", "- a pen", "It is so - and - so.",
    ]  # fmt: skip
