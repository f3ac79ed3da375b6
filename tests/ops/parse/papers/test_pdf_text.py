"""No letter of a PDF's text is lost, none is added, and no two blocks are joined, whatever stands around it."""

from __future__ import annotations

import random

from hypothesis import assume, given
from hypothesis import strategies as st

from tests.ops.parse.papers.printed_papers import NOUNS, read, titles
from tests.papers_as_pdf import Printer

#: Words that wrap in many ways; some are long enough to be hyphenated at a line end.
WORDS = [
    *NOUNS,
    "we",
    "of",
    "the",
    "an",
    "carefully",
    "measurement",
    "state-of-the-art",
    "comparing",
    "noisily",
]
#: Sections are lists of paragraphs, which are lists of the lengths of sentences in words.
SECTIONS = st.lists(
    st.lists(st.lists(st.integers(8, 30), min_size=2, max_size=6), min_size=1, max_size=3),
    min_size=2,
    max_size=4,
)
#: What stands below each paragraph: a displayed formula, the rows of a table with its caption, a note.
FURNITURE = st.lists(st.sampled_from(["", "formula", "table", "note"]), min_size=12, max_size=12)
#: A column with fewer lines than this cannot be told from the cells of a row.
LEAST_LINES = 8


def written(sections, seed):
    """Sentences of these lengths."""
    draw = random.Random(seed)
    return [
        [
            [" ".join(["Then", *draw.choices(WORDS, k=length)]) + "." for length in paragraph]
            for paragraph in section
        ]
        for section in sections
    ]


def print_furniture(printer, kind, number):
    if printer.y - 8 * printer.leading < printer.bottom:
        return
    if kind == "formula":
        printer.y -= 10
        printer.line(f"x + {number} = y + z", 60, "I")
        printer.y -= 8
    if kind == "table":
        printer.y -= 14
        for row in ("alpha", "beta", "gamma"):
            printer.line(row, 10)
            printer.y += printer.leading
            printer.line(f"{number}.5", 90)
        printer.y -= 6
        printer.line(f"Table {number}: All counts.", 0, "R", 8)
        printer.y -= 14
    if kind == "note" and printer.bottom < 61 and printer.y > 300:
        printer.footnote(f"{number}A note that nobody needs in order to know the rest.")


@given(lengths=SECTIONS, seed=st.integers(0, 999), furniture=FURNITURE, columns=st.sampled_from([1, 2]))
def test_every_letter_of_the_text_is_read_once_and_every_block_apart(lengths, seed, furniture, columns):
    sections = written(lengths, seed)
    printer = Printer(columns, "Proceedings of the Workshop on Archives")
    printer.title("Learning from Noise")
    number = 0
    for index, paragraphs in enumerate(sections, 1):
        printer.heading(f"{index} Section of the Paper")
        for paragraph in paragraphs:
            printer.paragraph(" ".join(paragraph))
            print_furniture(printer, furniture[number], number + 1)
            number += 1
    assume(printer.column == 0 or printer.y < printer.top - LEAST_LINES * printer.leading)
    paper = read(printer)
    assert titles(paper) == [f"{index} Section of the Paper" for index in range(1, len(sections) + 1)]
    front = len(paper.sections) - len(sections)  # the head of a single page
    for index, paragraphs in enumerate(sections, front):
        found = [sentence.text for sentence in paper.sentences if sentence.section == index]
        expected = [sentence for paragraph in paragraphs for sentence in paragraph]
        assert [text.replace("-", "") for text in found] == [text.replace("-", "") for text in expected]
    assert not any(sentence.holes for sentence in paper.sentences)
