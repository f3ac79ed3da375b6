"""The layout of PDF pages: columns, raised marks, accents, pictures, and where files end."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from silverloom.ops.parse.papers import FORMATS
from silverloom.ops.parse.papers.pdf_layout import lines_of
from silverloom.ops.parse.papers.pdf_page import PrintedPage, Segment, check_whole, pages_of
from silverloom.ops.parse.source import ParseError, Raw
from silverloom.ops.text.holes import HOLE
from tests.papers_as_pdf import LEADING, SIZE, Printer, assembled, document, printed, width, wrapped

NOUNS = ["labels", "corpora", "annotators", "archives", "baselines", "treebanks", "measurements"]


def prose(topic, count):
    """Sentences that differ."""
    return [
        f"We measured {topic} number {index} with {NOUNS[index % 7]} in detail." for index in range(count)
    ]


def put_column(printer, text, left, top, room, font="R", size=SIZE):
    """Print a paragraph at a place; return the height of its last line."""
    for line in wrapped(text.split(), room, font, size, 0, False):
        printer.put(line, left, top, font, size)
        top -= LEADING * size / SIZE
    return top


def texts(printer):
    return [sentence.text for sentence in read(printer.content()).sentences]


def read(content):
    return FORMATS["pdf"].form.parse(Raw("p.pdf", "p", content))


def lines(printer):
    return [line.text for line in lines_of(pages_of(printer.content()))]


# Columns


def test_an_abstract_over_both_columns_is_read_before_them():
    printer = Printer(1, "")
    top = put_column(printer, " ".join(prose("abstracts", 10)), 60, 700, 475)
    left, right = prose("the left", 12), prose("the right", 12)
    put_column(printer, " ".join(left), 60, top - 10, 220)
    put_column(printer, " ".join(right), 315, top - 10, 220)
    assert texts(printer) == [*prose("abstracts", 10), *left, *right]


def test_an_abstract_in_two_columns_of_its_own_is_read_before_the_columns_of_the_text():
    printer = Printer(1, "")
    printer.put("ABSTRACT", 60, 750, "B")
    first, second = prose("abstracts", 6), prose("more abstracts", 6)
    tops = [
        put_column(printer, " ".join(first), 60, 736, 220),
        put_column(printer, " ".join(second), 315, 736, 220),
    ]
    left, right = prose("the left", 12), prose("the right", 12)
    printer.put("Introduction", 60, min(tops) - 20, "B")
    put_column(printer, " ".join(left), 60, min(tops) - 34, 220)
    put_column(printer, " ".join(right), 315, min(tops) - 34, 220)
    assert texts(printer) == [*first, *second, *left, *right]


def test_columns_of_different_width_on_one_page_are_read_one_after_the_other():
    printer = Printer(1, "")
    first, second, third, fourth = (prose(f"part {name}", 8) for name in "abcd")
    put_column(printer, " ".join(first), 60, 740, 140)
    put_column(printer, " ".join(second), 220, 740, 315)
    top = put_column(printer, " ".join(prose("the middle", 10)), 60, 400, 475)
    put_column(printer, " ".join(third), 60, top - 8, 300)
    put_column(printer, " ".join(fourth), 385, top - 8, 150)
    assert texts(printer) == [*first, *second, *prose("the middle", 10), *third, *fourth]


def test_three_columns_are_read_one_after_the_other():
    printer = Printer(1, "")
    columns = [prose(f"column {number}", 8) for number in range(3)]
    for number, column in enumerate(columns):
        put_column(printer, " ".join(column), 60 + 165 * number, 740, 145)
    assert texts(printer) == [text for column in columns for text in column]


def test_the_short_last_line_of_a_caption_over_both_columns_belongs_to_it():
    printer = Printer(1, "")
    caption = (
        "Table 1: The counts of all archives that we measured for this paper, with those that were left out."
    )
    wide, last = caption.split(" with ")
    printer.put(f"{wide} and of many others that had no labels at all in the first year,", 60, 740)
    printer.put(f"with {last}", 60, 728)
    left, right = prose("the left", 12), prose("the right", 12)
    put_column(printer, " ".join(left), 60, 690, 220)
    put_column(printer, " ".join(right), 315, 690, 220)
    assert texts(printer) == [*left, *right]


def test_text_beside_a_figure_is_not_read_across_its_caption():
    printer = Printer(1, "")
    beside = prose("the text", 12)
    caption = "Figure 1: A schema of everything that we measured in the archives with all of its parts, in one picture."
    put_column(printer, " ".join(beside), 60, 740, 120)
    put_column(printer, caption, 220, 560, 315)
    assert texts(printer) == beside


@given(
    st.lists(st.lists(st.sampled_from(NOUNS), min_size=30, max_size=90), min_size=1, max_size=6),
    st.sampled_from([1, 2, 3]),
)
@settings(max_examples=25, deadline=None)
def test_no_word_of_running_text_is_lost_or_added_or_moved(paragraphs, columns):
    printer = Printer(columns, "")
    words = [" ".join([f"W{number}", *nouns]) + "." for number, nouns in enumerate(paragraphs)]
    for text in words:
        printer.paragraph(text, hyphens=False)
    if printer.y > printer.top - 3 * LEADING:  # a column of one short line looks like the cell of a table
        words.append(" ".join(["Last", *NOUNS * 4]) + ".")
        printer.paragraph(words[-1], hyphens=False)
    assert " ".join(texts(printer)).split() == " ".join(words).split()


# Marks and accents


@pytest.mark.parametrize(
    ("before", "raised", "after", "text"),
    [
        (
            "We study the corpus",
            "1",
            " and its parts in detail.",
            "We study the corpus and its parts in detail.",
        ),
        ("It took some time.", "12", " We turn to the rest.", "It took some time. We turn to the rest."),
        ("It took some time.", "2,3", "We turn to the rest.", "It took some time. We turn to the rest."),
        (
            "They are those of S2ORC,",
            "1",
            " a corpus of articles.",
            "They are those of S2ORC, a corpus of articles.",
        ),
        ("There were 10", "5", " cells in all of it.", "There were 10^5 cells in all of it."),
        ("Each is a row of R", "d", " in all of it.", "Each is a row of R^d in all of it."),
        ("The field of 5 km", "2", " is wet all year.", "The field of 5 km2 is wet all year."),
        ("We call it x", "2", " in all of the text.", "We call it x^2 in all of the text."),
    ],
)
def test_what_is_raised_is_a_mark_behind_a_word_and_an_exponent_behind_a_number_or_a_letter(
    before, raised, after, text
):
    printer = Printer(1, "")
    left = 60.0
    for piece, height, size in ((before, 700, SIZE), (raised, 704, 6.5), (after, 700, SIZE)):
        printer.put(piece, left, height, "R", size)
        left += width(piece, "R", size)
    assert lines(printer)[0] == text


def test_the_logo_of_latex_has_no_exponent():
    printer = Printer(1, "")
    printer.put("We wrote it in L", 60, 700)
    end = 60 + width("We wrote it in L", "R", SIZE)
    printer.put("A", end - 3, 702.5, "R", 7)
    printer.put("TEX for all of us.", end + 2, 700)
    assert lines(printer)[0] == "We wrote it in LATEX for all of us."


def test_a_raised_number_over_an_index_is_no_mark():
    printer = Printer(1, "")
    printer.put("We call the variance", 60, 700)
    printer.put("sigma", 160, 700)
    printer.put("m", 182, 698, "R", 6.5)
    printer.put("2", 188, 704, "R", 6.5)
    printer.put("in all of the text.", 200, 700)
    assert lines(printer)[0] == f"We call the variance sigma{HOLE} in all of the text."


@pytest.mark.parametrize("accent_first", [True, False])
def test_an_accent_that_is_printed_over_its_letter_is_part_of_it(accent_first):
    printer = Printer(1, "")
    place = 60 + width("Saier and F", "R", SIZE)
    accent = ("\u00a8", place + (width("a", "R", SIZE) - 3.33) / 2, 700)
    words = [("Saier and F", 60, 700), ("arber wrote it.", place, 700)]
    for text, left, height in [words[0], accent, words[1]] if accent_first else [*words, accent]:
        printer.put(text, left, height)
    assert lines(printer)[0] == "Saier and F\u00e4rber wrote it."


# Pictures and columns of tables


def test_the_words_of_an_included_drawing_are_left_out():
    drawing = b"BT /R 9 Tf 100 600 Td (ABSTRACT) Tj ET BT /R 9 Tf 100 580 Td (Input words of a drawing) Tj ET"
    page = b"BT /R 10 Tf 60 700 Td (The text is above the drawing of all of the parts.) Tj ET /Drawing Do"
    found = read(document([page], drawing=drawing))
    assert [sentence.text for sentence in found.sentences] == [
        "The text is above the drawing of all of the parts."
    ]


def test_a_page_that_is_one_drawing_keeps_its_text():
    drawing = b"BT /R 10 Tf 60 700 Td (The whole page is included by the publisher.) Tj ET"
    found = read(document([b"/Drawing Do"], drawing=drawing))
    assert [sentence.text for sentence in found.sentences] == ["The whole page is included by the publisher."]


# Where a file ends

PAPER = printed("Learning from Noise", [("1 Introduction", prose("things", 5))])


@pytest.mark.parametrize("tail", [bytes(5000), b"\r\n" * 3000, b"<html>Served by a proxy.</html>" * 300])
def test_bytes_behind_the_end_of_a_pdf_do_not_matter(tail):
    assert read(PAPER + tail) == read(PAPER)


def test_a_pdf_without_its_last_marker_is_whole_if_its_table_is_there():
    assert read(PAPER.replace(b"%%EOF\n", b"")) == read(PAPER)


def test_a_pdf_that_is_cut_in_an_update_is_refused():
    with pytest.raises(ParseError, match="the PDF is cut short"):
        check_whole(PAPER + b"99 0 obj\n<< /Type /Page")


def test_a_linearized_pdf_that_is_shorter_than_it_says_is_refused():
    head = b"%PDF-1.4\n1 0 obj\n<< /Linearized 1 /L 90000 /H [1 2] >>\nendobj\nstartxref\n0\n%%EOF\n"
    with pytest.raises(ParseError, match=f"the PDF is cut short: it has {len(head)} of 90000 bytes"):
        check_whole(head)


def segment(text, left, base=700.0, weight=400, font="Times-Roman", size=SIZE):
    return Segment(text, left, left + width(text, "R", size), base, size, weight, font, False)


def test_the_signs_of_a_formula_have_no_weight():
    page = [
        segment("The use of ", 60, weight=700),
        segment("G", 110, font="CMMI10"),
        segment("-pooling", 118, weight=700),
        segment("We use all of the labels of the archives.", 60, 680),
    ]
    heading, text = lines_of([PrintedPage(595, 842, page)])
    assert (heading.text, heading.bold, text.bold) == ("The use of G-pooling", True, False)


def test_an_exponent_of_several_variables_is_one():
    segments, left = [], 60.0
    for text, font in (("We call it e", "Times-Roman"), ("|t", "CMMI7"), ("-", "CMSY7"), ("s|", "CMMI7")):
        raised = font != "Times-Roman"
        segments.append(segment(text, left, 704 if raised else 700, 400, font, 6.5 if raised else SIZE))
        left = segments[-1].right
    (line,) = lines_of([PrintedPage(595, 842, segments)])
    assert line.text == "We call it e^|t-s|"


@pytest.mark.parametrize(
    ("font", "sign"), [("CMSY10", "\u2032"), ("ABCDEF+CMSY7", "\u2032"), ("CMMI10", HOLE)]
)
def test_the_prime_of_tex_needs_no_unicode(font, sign):
    text = (
        b"BT /R 10 Tf 60 700 Td (We call it t) Tj /S 7 Tf 4 Ts <0030> Tj ET "
        b"BT /R 10 Tf 120 700 Td (in all of it.) Tj ET"
    )
    content = assembled(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
            b"/Resources << /Font << /R 5 0 R /S 6 0 R >> >> >>",
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(text), text),
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman >>",
            b"<< /Type /Font /Subtype /Type0 /BaseFont /%s /Encoding /Identity-H /DescendantFonts [7 0 R] >>"
            % font.encode(),
            b"<< /Type /Font /Subtype /CIDFontType0 /BaseFont /%s /DW 275 "
            b"/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>" % font.encode(),
        ]
    )
    (line,) = lines_of(pages_of(content))
    assert line.text == f"We call it t{sign} in all of it."
