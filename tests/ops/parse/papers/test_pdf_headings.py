"""Which lines of a PDF are headings, and which only look like them."""

from __future__ import annotations

import pytest

from tests.ops.parse.papers.printed_papers import begun, heading, prose, read, section, titles
from tests.papers_as_pdf import LEADING, SIZE, width


@pytest.mark.parametrize(
    ("first", "second", "how"),
    [
        ("1 Introduction", "2 Archives of Labels", {}),
        ("1. Introduction", "2. Archives of Labels", {"size": SIZE}),
        ("I. INTRODUCTION", "II. ARCHIVES OF LABELS", {"font": "R", "size": SIZE}),
        ("I. Introduction", "II. Archives of Labels", {"font": "I", "size": SIZE}),
        ("1 Introduction", "1.1 Archives of labels", {"font": "I", "size": SIZE}),
        ("1 Introduction", "1.1 k-means of labels", {"size": SIZE}),
        ("1 Introduction", "1.1. Archives of labels.", {"font": "I", "size": SIZE}),
        ("Introduction", "Archives of Labels", {}),
        ("INTRODUCTION", "ARCHIVES OF LABELS", {"font": "R", "size": SIZE}),
        ("Background", "Archives of labels", {"font": "B", "size": SIZE, "above": 0}),
        ("Background", "Archives of labels", {"font": "I", "size": SIZE}),
    ],
)
def test_a_heading_is_told_by_its_number_name_or_font(first, second, how):
    printer = begun()
    section(printer, first, "the beginning", **how)
    section(printer, second, "the archives", **how)
    section(printer, "References", "entries", font="R", size=SIZE)
    paper = read(printer)
    assert titles(paper) == [first, second, "References"]
    assert [sentence.text for sentence in paper.sentences if sentence.section == 1] == prose(
        "the archives", 8
    )


def test_numbers_in_order_and_gaps_tell_headings_in_the_font_of_the_text():
    expected = ["1 Introduction", "2 Archives of Labels", "2.1 Noise in archives", "3 Labels of Archives", "4 Conclusion"]  # fmt: skip
    printer = begun()
    for title in expected:
        section(printer, title, "what comes next", font="R", size=SIZE, above=12)
        printer.y -= 8
        printer.line("7 Labels of all archives", 0)
        printer.y -= 8
        printer.paragraph(" ".join(prose("more", 4)))
    assert titles(read(printer)) == expected


def test_a_line_that_begins_with_the_word_abstract_is_no_label():
    printer = begun()
    printer.y -= 20
    printer.line("We measured the labels of many archives with annotators, and of", 0, "I")
    printer.line("abstract words, in detail.", 0, "I")
    printer.paragraph(" ".join(prose("the abstract", 6)))
    section(printer, "1 Introduction", "the beginning")
    assert "We measured the labels of many archives with annotators, and of abstract words, in detail." in (
        sentence.text for sentence in read(printer).sentences
    )


def test_letters_in_order_below_roman_numbers_tell_headings_in_the_font_of_the_text():
    sections = [
        "I. INTRODUCTION",
        "II. RELATED WORK",
        "A. Older work",
        "B. Newer work",
        "III. METHOD",
        "A. Labels",
    ]
    printer = begun()
    for title in sections:
        section(printer, title, "what comes next", font="R", size=SIZE, above=12)
        printer.y -= 8
        printer.line("D. Labels of all archives", 0)
        printer.y -= 8
        printer.paragraph(" ".join(prose("more", 4)))
    assert titles(read(printer)) == sections


def test_numbered_items_of_a_list_are_no_headings():
    printer = begun()
    section(printer, "1 Introduction", "the beginning")
    for number in (1, 2, 3):
        printer.y -= 8
        printer.line(
            f"{number}. We propose a method to learn from the noisy labels of all archives, and to", 10
        )
        printer.line("measure what it costs.", 20)
    section(printer, "2 Method", "the method")
    assert titles(read(printer)) == ["1 Introduction", "2 Method"]


def test_a_bold_beginning_of_a_paragraph_is_no_heading():
    printer = begun()
    section(printer, "Introduction", "the beginning")
    printer.y -= 10
    printer.line("Design of Experiments. ", 0, "B", SIZE)
    printer.y += LEADING
    printer.line(
        "The archives were read twice, and each label was", width("Design of Experiments. ", "B", SIZE)
    )
    printer.line("compared with the one before, which took us a year.")
    paper = read(printer)
    assert titles(paper) == ["Introduction"]
    assert "The archives were read twice, and each label was compared" in paper.sentences[-1].text


def test_a_slanted_line_of_running_text_is_no_heading():
    printer = begun()
    section(printer, "Introduction", "the beginning")
    printer.line("Two words stand here and the quotation reads:", 10)
    printer.line("Rossfire is a debate that goes on from here until the end of the line of this", 0, "I")
    printer.line("paragraph. It is not a heading at all, as everybody sees at once.")
    assert titles(read(printer)) == ["Introduction"]


def test_formulas_and_heads_of_tables_are_no_headings():
    printer = begun()
    section(printer, "Introduction", "the beginning")
    printer.y -= 12
    printer.line("X = AB + C", 150, "B", 12)
    printer.y -= 12
    printer.line("Amount", 200, "B", SIZE)
    for name in ("Paragraphs", "Sentences", "Tokens"):
        printer.line(name, 20)
        printer.y += LEADING
        printer.line("535", 200)
    printer.y -= 12
    printer.line("Table 1: Counts of everything that we have measured.")
    section(printer, "Results", "the results")
    paper = read(printer)
    assert titles(paper) == ["Introduction", "Results"]
    assert not any("535" in sentence.text or "AB + C" in sentence.text for sentence in paper.sentences)


def test_a_line_that_begins_with_the_number_of_a_figure_is_running_text():
    printer = begun()
    section(printer, "1 Introduction", "the beginning")
    heading(printer, "2 Results")
    printer.line("Figure 9 plots all of the ratings that the readers gave to us in the first year of")
    printer.line("this study, and they are high.")
    expected = (
        "Figure 9 plots all of the ratings that the readers gave to us in the first year of this study, and they "
        "are high."
    )
    assert read(printer).sentences[-1].text == expected


# Headings that run in


def run_in(printer, lead, text, font, more=""):
    printer.line(lead, 10, font)
    printer.y += LEADING
    printer.line(text, 10 + width(lead, font, SIZE))
    if more:
        printer.line(more)


BEHIND_LEAD = [
    "We use the labels of all archives that we have read in the last year.",
    "They are good.",
]


def below_lead(lead, font):
    """The sentences of a section that ends with a paragraph behind a lead."""
    printer = begun()
    section(printer, "1 Introduction", "the beginning")
    printer.y -= 6
    run_in(
        printer,
        lead,
        "We use the labels of all archives that we have read in the",
        font,
        "last year. They are good.",
    )
    section(printer, "2 Results", "the results")
    paper = read(printer)
    assert titles(paper) == ["1 Introduction", "2 Results"]
    section_texts = [sentence.text for sentence in paper.sentences if sentence.section == 0]
    assert section_texts[:8] == prose("the beginning", 8)
    return section_texts[8:]


@pytest.mark.parametrize(
    ("lead", "font"),
    [
        ("Data. ", "B"),
        ("Data: ", "B"),
        ("The data ", "B"),
        ("1. The data. ", "B"),
        ("1.1 The data. ", "B"),
        ("1.1 We read the data of all archives. ", "I"),
        ("Data. ", "I"),
        ("Data of the archives: ", "I"),
        ("Reading all of the archives ", "I"),
        ("Reading and Collecting of Archives. ", "I"),
        ("1) Data of the archives: ", "I"),
        ("b) Data: ", "I"),
    ],
)
def test_a_heading_that_runs_in_is_no_sentence(lead, font):
    assert below_lead(lead, font) == BEHIND_LEAD


@pytest.mark.parametrize("font", ["B", "I"])
@pytest.mark.parametrize("lead", ["We read the data of all archives. ", "What is read? "])
def test_a_sentence_in_the_font_of_a_heading_is_a_sentence(lead, font):
    assert below_lead(lead, font) == [lead.strip(), *BEHIND_LEAD]


def test_the_name_of_a_theorem_belongs_to_its_heading():
    printer = begun()
    section(printer, "1 Introduction", "the beginning")
    run_in(printer, "Theorem 1 ", "(Reading of one of the archives). We use the labels.", "B")
    assert read(printer).sentences[-1].text == "We use the labels."


@pytest.mark.parametrize("label", ["\u2022 Data of archives: ", "(1) Data of archives: ", "1) Data: "])
def test_the_label_of_an_item_belongs_to_the_item(label):
    assert below_lead(label, "B") == [label + BEHIND_LEAD[0], BEHIND_LEAD[1]]


@pytest.mark.parametrize(
    ("lead", "text"),
    [
        ("The archive ", "is read by all of us in detail."),
        ("In vitro ", "The archives are read."),
        ("archives ", "B and C are read by all of us."),
        ("• The archive ", "Readers (all): They are good."),
        ("• Data: ", "They are good."),
        ("(1) Data: ", "They are good."),
    ],
)
def test_emphasis_at_the_beginning_of_a_sentence_is_no_heading(lead, text):
    printer = begun()
    section(printer, "1 Introduction", "the beginning")
    run_in(printer, lead, text, "I")
    assert read(printer).sentences[-1].text == lead + text
