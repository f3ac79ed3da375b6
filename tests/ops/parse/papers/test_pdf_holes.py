"""Formulas and signs that a PDF has and a text cannot have: their sentences say so."""

from __future__ import annotations

import pytest

from tests.ops.parse.papers import printed_papers
from tests.ops.parse.papers.printed_papers import read
from tests.papers_as_pdf import NO_UNICODE, SIZE, width


def holes(printer):
    """Sentences, each with the number of its holes."""
    return [(sentence.text, sentence.holes) for sentence in read(printer).sentences]


def begun():
    printer = printed_papers.begun()
    printer.heading("1 Introduction")
    printer.paragraph("We measured the labels of all archives in detail. They were read twice by everybody.")
    return printer


BEFORE = [("We measured the labels of all archives in detail.", 0), ("They were read twice by everybody.", 0)]


def put_in_line(printer, *pieces):
    printer.y -= printer.leading
    left = 60.0
    for text, font in pieces:
        printer.put(text, left, printer.y, font)
        left += width(text, font, SIZE)


def formula(printer, text, gap=10):
    printer.y -= gap
    printer.line(text, 150, "I")
    printer.y -= gap


def test_a_sign_without_unicode_is_a_hole_in_its_sentence():
    printer = begun()
    put_in_line(
        printer, ("They show that ", "R"), (NO_UNICODE, "M"), (" is the loss of all of the archives. It", "R")
    )
    printer.line("is the rate of what we have measured.")
    assert holes(printer) == [
        *BEFORE,
        ("They show that is the loss of all of the archives.", 1),
        ("It is the rate of what we have measured.", 0),
    ]


@pytest.mark.parametrize("end", ["", ",", ".", " (1)", ",   (1)"])
def test_a_displayed_formula_is_a_hole_in_the_sentence_that_goes_on_below_it(end):
    printer = begun()
    printer.line("The loss of the archives that we have read is then computed as")
    formula(printer, "L = a + b + c" + end)
    printer.line("where a is the rate of the first archive. The others are measured in the same way.")
    assert holes(printer) == [
        *BEFORE,
        ("The loss of the archives that we have read is then computed as where a is the rate of the first archive.", 1),
        ("The others are measured in the same way.", 0),
    ]  # fmt: skip


@pytest.mark.parametrize(("sign", "end"), [(",", ""), (";", " (1)"), (",", ".")])
def test_a_displayed_formula_is_a_hole_in_the_sentence_that_goes_on_with_a_sign(sign, end):
    printer = begun()
    printer.line("The loss of the archives that we have read is then computed as")
    formula(printer, "L = a + b + c" + end)
    printer.line(f"{sign} where a is the rate of the first archive. The others are measured in the same way.")
    assert holes(printer) == [
        *BEFORE,
        (f"The loss of the archives that we have read is then computed as{sign} where a is the rate of the first archive.", 1),
        ("The others are measured in the same way.", 0),
    ]  # fmt: skip


def test_a_sign_behind_a_displayed_formula_below_a_whole_sentence_is_a_hole():
    printer = begun()
    formula(printer, "L = a + b + c")
    printer.line(", where a is the rate of the first archive. The others are measured in the same way.")
    assert holes(printer) == [
        *BEFORE,
        (", where a is the rate of the first archive.", 1),
        ("The others are measured in the same way.", 0),
    ]


@pytest.mark.parametrize(("last", "text"), [("by", "by."), ("as follows:", "as follows:")])
def test_a_displayed_formula_may_end_its_sentence(last, text):
    printer = begun()
    printer.line(f"The loss of the archives that we have read is given {last}")
    formula(printer, "L = a + b + c.")
    printer.line("The others are measured in the same way, as we have shown above.")
    assert holes(printer) == [
        *BEFORE,
        (f"The loss of the archives that we have read is given {text}", 1),
        ("The others are measured in the same way, as we have shown above.", 0),
    ]


def test_a_displayed_formula_below_a_whole_sentence_leaves_no_hole():
    printer = begun()
    formula(printer, "L = a + b + c.")
    printer.line("The others are measured in the same way, as we have shown above.")
    assert holes(printer) == [
        *BEFORE,
        ("The others are measured in the same way, as we have shown above.", 0),
    ]


@pytest.mark.parametrize(("above", "below", "apart"), [(4, -3.5, 0), (7, -7, 6)])
def test_a_fraction_in_a_line_is_a_hole_where_it_stands(above, below, apart):
    printer = begun()
    printer.y -= apart
    before = "The first of the rates is high. The second one is "
    printer.line(before)
    left = 60 + width(before, "R", SIZE)
    printer.put("a", left, printer.y + above, "R", 6)
    printer.put("b", left, printer.y + below, "R", 6)
    printer.put("of it, as all of us have seen.", left + 7, printer.y)
    printer.y -= apart
    printer.line("The others are measured in the same way, as we have shown above.")
    found = holes(printer)
    assert [text for text, _ in found] == [
        *(text for text, _ in BEFORE),
        "The first of the rates is high.",
        "The second one is of it, as all of us have seen.",
        "The others are measured in the same way, as we have shown above.",
    ]
    assert [bool(count) for _, count in found] == [False, False, False, True, False]


def test_the_numbers_of_a_drawing_leave_no_hole():
    printer = begun()
    printer.line("The sentence goes on below the drawing that stands between its two halves and")
    printer.y -= 20
    for left in range(60, 400, 60):
        printer.put("0.5", left, printer.y, "R", 7)
    printer.y -= 20
    printer.line("Figure 1: The rates of everything.")
    printer.y -= 20
    printer.line("ends here. The others are measured in the same way.")
    assert holes(printer) == [
        *BEFORE,
        ("The sentence goes on below the drawing that stands between its two halves and ends here.", 0),
        ("The others are measured in the same way.", 0),
    ]


def test_a_small_picture_in_a_line_is_a_hole():
    printer = begun()
    before = "They show that "
    printer.line(before)
    left = 60 + width(before, "R", SIZE)
    picture = b"q 20 0 0 8 %.2f %.2f cm BI /W 1 /H 1 /CS /G /BPC 8 ID x EI Q"
    printer.pages[-1].append(picture % (left, printer.y - 1))
    printer.pages[-1].append(picture % (40, printer.y - 1))
    printer.put(" is the loss of all of the archives. It is high.", left + 20, printer.y)
    assert holes(printer) == [
        *BEFORE,
        ("They show that is the loss of all of the archives.", 1),
        ("It is high.", 0),
    ]


@pytest.mark.parametrize(
    ("before", "index", "height"),
    [
        ("B", "max", -2),
        ("B", "i+1", -2),
        ("B", "1:t", -2),
        ("(B)", "d\u00d7r", 4),
        ("(B)", "xy", 4),
    ],
)
def test_a_raised_or_lowered_run_of_letters_is_a_hole(before, index, height):
    assert with_index(f"They hold for every {before}", index, height, "and for all of the archives.") == [
        *BEFORE,
        (f"They hold for every {before} and for all of the archives.", 1),
    ]


@pytest.mark.parametrize(("above", "below"), [("M", "q"), ("2", "4"), ("*", "i")])
def test_a_raised_sign_over_a_lowered_one_is_a_hole(above, below):
    printer = begun()
    before = "They hold for every K"
    printer.line(before)
    left = 60 + width(before, "R", SIZE)
    printer.put(above, left, printer.y + 4, "R", 6)
    printer.put(below, left, printer.y - 2.5, "R", 6)
    printer.put("and for all of the archives.", left + 8, printer.y)
    printer.line("They are the same for us in every one of them.")
    assert holes(printer) == [
        *BEFORE,
        (f"{before} and for all of the archives.", 1),
        ("They are the same for us in every one of them.", 0),
    ]


@pytest.mark.parametrize(
    ("before", "index", "height", "text"),
    [
        ("They are read on the 5", "th", 4, "They are read on the 5th"),
        ("They are the work of Archives", "TM", 4, "They are the work of ArchivesTM"),
        ("They hold for every x", "i", -2, "They hold for every xi"),
        ("They are by Ann Roe", "1,*,a", 4, "They are by Ann Roe1,*,a"),
        ("They hold for H", "2", -2, "They hold for H2"),
        ("They hold for every B", "d\u00d7r", 4, "They hold for every B^d\u00d7r"),
        ("They hold for S", "CI", 0, "They hold for SCI"),
    ],
)
def test_what_can_be_written_plainly_leaves_no_hole(before, index, height, text):
    assert with_index(before, index, height, "and for all of the archives.") == [
        *BEFORE,
        (f"{text} and for all of the archives.", 0),
    ]


def with_index(before, index, height, after):
    printer = begun()
    printer.line(before)
    left = 60 + width(before, "R", SIZE)
    printer.put(index, left, printer.y + height, "R", 6)
    printer.put(after, left + width(index, "R", 6) + 3, printer.y)
    printer.line("They are the same for us in every one of them.")
    *found, last = holes(printer)
    assert last == ("They are the same for us in every one of them.", 0)
    return found
