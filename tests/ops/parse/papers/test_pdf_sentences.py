"""Sentences of a PDF over lines, columns and items."""

from __future__ import annotations

import pytest

from tests.ops.parse.papers.printed_papers import begun, heading, prose, read, section, texts
from tests.papers_as_pdf import LEADING, Printer


def test_a_sentence_that_goes_on_with_a_capital_in_the_next_column_is_whole():
    printer = Printer(2, "")
    printer.footnote("1A note that stands at the foot of the first column of this page.")
    sentence = "The archive of the University of"
    while printer.y - 3 * LEADING > printer.bottom:
        printer.line("Every line of this column is a sentence.")
    printer.line(sentence)
    while printer.column == 0 and printer.y - LEADING >= printer.bottom:
        printer.line(sentence)
    printer.line("Somewhere was read in full.")
    printer.line("Every line of this column is a sentence.")
    found = [one.text for one in read(printer).sentences]
    assert f"{sentence} Somewhere was read in full." in " ".join(found)
    assert not any("note" in text for text in found)


def test_small_print_at_the_foot_of_a_page_is_left_out():
    printer = begun()
    section(printer, "1 Introduction", "the beginning")
    printer.put("Corresponding author: Ann Example, Department of Archives, Somewhere.", 60, 80, "R", 8)
    assert [sentence.text for sentence in read(printer).sentences] == prose("the beginning", 8)


def test_a_section_in_small_print_is_running_text():
    printer = begun()
    section(printer, "1 Introduction", "the beginning")
    heading(printer, "2 Methods")
    for text in prose("the methods", 6):
        printer.line(text, 0, "R", 9)
    section(printer, "3 Results", "the results")
    assert texts(read(printer), "method") == prose("the methods", 6)


ITEM = "• One single change of a single record of this short list is enough for all of the values of the whole archive to become the"


@pytest.mark.parametrize(
    ("lines", "last"),
    [
        (
            [("There is also work on the labels, for example by Doe", 0), ("[27] and by Roe [35].", 0)],
            ["There is also work on the labels, for example by Doe [27] and by Roe [35]."],
        ),
        (
            [(ITEM, 10), ("1. It may then be learned by all.", 20)],
            [f"{ITEM} 1.", "It may then be learned by all."],
        ),
        (
            [
                ("All of the labels that we have found are in", 0),
                ("Table 2. They differ from those above.", 0),
            ],
            ["All of the labels that we have found are in Table 2.", "They differ from those above."],
        ),
        (
            [
                ("“The archives are read by all of us, and I like", 24),
                ("them very much.” – P4", 24),
                ("In addition, we have read the labels.", 0),
            ],
            ["In addition, we have read the labels."],
        ),
    ],
    ids=["the mark of a citation", "a number in an item", "the number of a table", "behind a quotation"],
)
def test_the_beginning_of_a_line_may_go_on_or_begin_a_sentence(lines, last):
    printer = begun()
    section(printer, "1 Introduction", "the beginning")
    for text, indent in lines:
        printer.line(text, indent)
    assert [one.text for one in read(printer).sentences[-len(last) :]] == last
