"""Numbered citations of PDFs: entries of the bibliography, their titles, and the marks in the text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.parse.papers.paper import BibliographyEntry, Paper, Section, Sentence
from silverloom.ops.parse.papers.pdf_citations import numbered_entries, printed_title, with_citations
from tests.ops.parse.papers.printed_papers import begun, read, section

ENTRIES = [
    "[1] A. Reed and B. Moss. Labels that nobody asked for. In Proceedings of Archives, 2011.",
    "[2] Fern, C., Moss, B. & Oak, D. Cheap labels: a survey of prices. Arch. Sci. 5, 1 (2012).",
    "[3] C. Fern, “A corpus of corpora,” Journal of Archives, vol. 3, 2013.",
    "[4] Dora Oak. 2014. What annotators do all day. Archives 7 (2014), 3-9.",
    "[5] Elm, V.B., K.P. Gaur and S.K. Moss, 2015. Effects of noise on archives. J. Noise, 3(1): 1-8.",
]  # fmt: skip
TITLES = [
    "Labels that nobody asked for", "Cheap labels: a survey of prices", "A corpus of corpora",
    "What annotators do all day", "Effects of noise on archives",
]  # fmt: skip


def paper(*sentences, entries=ENTRIES):
    """A paper with a section of sentences, and one of entries, one a line."""
    text, found = "", []
    for number, several in enumerate((sentences, entries)):
        for one in several:
            found.append(Sentence(number, len(text), len(text) + len(one), "", one))
            text += f"{one}\n"
    return Paper("", text, (Section("Data", "data"), Section("References", "references")), tuple(found))


def named(found):
    return [(found.text[mark.start : mark.end], mark.entry) for mark in found.marks]


def test_entries_have_number_text_title_and_year():
    found = with_citations(paper("We see."))
    assert [entry.key for entry in found.bibliography] == ["1", "2", "3", "4", "5"]
    assert [entry.title for entry in found.bibliography] == TITLES
    assert [entry.year for entry in found.bibliography] == ["2011", "2012", "2013", "2014", "2015"]
    assert found.bibliography[0].text == ENTRIES[0].removeprefix("[1] ")


def test_a_mark_names_every_entry_in_it_and_ranges_are_whole():
    found = with_citations(paper("Labels [2, 4] are dear [1–3].", "It holds [ 5 ] or not [6], [sic]."))
    assert named(found) == [
        ("[2, 4]", "2"), ("[2, 4]", "4"), ("[1–3]", "1"), ("[1–3]", "2"), ("[1–3]", "3"), ("[ 5 ]", "5"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "entries",
    [
        ENTRIES[:4],
        ["A. Reed. Labels that nobody asked for. 2011."] * 9,
        [f"[{number}] A. Reed. Labels. 2011." for number in (3, 4, 5, 6, 7, 8)],
        [],
    ],
)
def test_without_five_numbered_entries_there_are_no_citations(entries):
    found = with_citations(paper("Labels [1] are dear [2].", entries=entries))
    assert (found.marks, found.bibliography) == ((), ())


def test_a_number_within_an_entry_begins_none():
    entries = [*ENTRIES[:4], "3. edition of Archives, 2013.", ENTRIES[4]]
    found = numbered_entries(paper("We see.", entries=entries))
    assert [*found] == ["1", "2", "3", "4", "5"] and found["4"].text.endswith("3. edition of Archives, 2013.")


def test_text_behind_the_last_entry_hardly_adds_to_it():
    found = numbered_entries(
        paper("We see.", entries=[*ENTRIES[:4], f"{ENTRIES[4]} {'more words ' * 9_000}"])
    )
    assert len(found["5"].text) <= 2_000 and found["5"].title == TITLES[4]


@pytest.mark.parametrize(
    ("entry", "title"),
    [
        ("Fermat's Library. https://fermatslibrary.com/", ""),
        ("Alan Baddeley. 1992. Working memory. Science 255 (1992).", ""),
        ("C. Lee, P. Moss, and Z. Tu. In Proceedings of Archives, 2016.", ""),
        ("Bone RC, Fisher CJ, Moss B. Definitions for sepsis and failure. Chest, 1992.",
         "Definitions for sepsis and failure"),
        ("Craig S. Tashman and W. Keith Moss. 2011. LiquidText: a flexible environment. Proceedings of X.",
         "LiquidText: a flexible environment"),
        ("Alberi, K. et al. The roadmap of materials by design. J. Phys. D 52 (2018).",
         "The roadmap of materials by design"),
        ("Reed, A., Moss, B.: Trees of many words. In: Archives (2018)", "Trees of many words"),
        ("", ""),
    ],
)  # fmt: skip
def test_the_title_follows_the_authors_and_the_year(entry, title):
    assert printed_title(entry) == title


@given(st.text("aB .,:&12(”“\n", max_size=80))
def test_any_entry_is_read(entry):
    title = printed_title(entry)
    assert not title or title in entry


def test_marks_of_a_printed_pdf_are_resolved_to_its_bibliography():
    printer = begun()
    section(printer, "1 Introduction", "words")
    printer.paragraph("Others measured labels before us [2, 5], and found them dear.")
    section(printer, "2 Results", "labels")
    printer.y -= 10
    printer.line("References", 0.0, "B", 12.0)
    for entry in ENTRIES:
        printer.y -= 4
        printer.paragraph(entry.replace("“", '"').replace("”", '"'))
    found = read(printer)
    assert named(found) == [("[2, 5]", "2"), ("[2, 5]", "5")]
    assert [entry.title for entry in found.bibliography] == TITLES
    assert isinstance(found.bibliography[0], BibliographyEntry)
