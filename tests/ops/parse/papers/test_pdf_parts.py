"""The parts of a PDF around its text: front matter, bibliography, furniture."""

from __future__ import annotations

import pytest

from tests.ops.parse.papers.printed_papers import NOUNS, begun, heading, prose, read, section, texts, titles
from tests.papers_as_pdf import LEADING, SIZE, WIDTH, Printer, width

# Front matter


def front(printer, *lines, size=SIZE, font="R"):
    for line in lines:
        printer.line(line, (WIDTH - 120 - width(line, font, size)) / 2, font, size)


def abstract_of(printer):
    paper = read(printer)
    return texts(paper, "abstract"), texts(paper, "preamble"), titles(paper)


AUTHORS = ("Ann Example and Bob Sample", "Department of Archives, University of Somewhere", "ann@example.org, bob@example.org")  # fmt: skip


def test_authors_keywords_and_the_head_of_the_first_page_are_no_sentences():
    printer = Printer(1, "")
    printer.line("Proceedings of the Archives 2017, Volume 68", 0, "R", 8)
    printer.title("Learning from Noise in Archives")
    front(printer, *AUTHORS, size=12)
    section(printer, "Abstract", "abstracts", size=11)
    heading(printer, "KEYWORDS", size=11)
    printer.line("archives, labels, noise")
    section(printer, "1 Introduction", "the beginning", size=11)
    abstract, preamble, found = abstract_of(printer)
    assert abstract == prose("abstracts", 8)
    assert preamble == []
    assert found == ["Abstract", "1 Introduction"]


@pytest.mark.parametrize("label", ["Abstract\u2014", "Abstract. ", "Abstract: ", "ABSTRACT \u2013 "])
def test_an_abstract_may_begin_on_the_line_of_its_label(label):
    printer = begun()
    front(printer, *AUTHORS)
    printer.y -= 12
    sentences = prose("abstracts", 8)
    for text in [label + sentences[0], *sentences[1:]]:
        printer.line(text, 0, "B", 9)
    printer.y -= 12
    printer.line("Index Terms\u2014archives, labels", 0, "B", 9)
    section(printer, "I. INTRODUCTION", "the beginning", font="R", size=SIZE)
    abstract, preamble, found = abstract_of(printer)
    assert abstract == sentences
    assert preamble == []
    assert found == ["Abstract", "I. INTRODUCTION"]


def test_an_abstract_without_a_label_is_the_first_paragraph_below_the_authors():
    printer = begun()
    front(printer, *AUTHORS)
    printer.new_page()
    printer.paragraph(" ".join(prose("abstracts", 8)))
    section(printer, "1 Introduction", "the beginning")
    abstract, preamble, _ = abstract_of(printer)
    assert abstract == prose("abstracts", 8)
    assert preamble == []


def test_an_abstract_may_have_the_headings_of_a_paper():
    printer = begun()
    section(printer, "Abstract", "nothing")
    printer = begun()
    heading(printer, "Abstract")
    for name in ("Background", "Results"):
        section(printer, name, f"the {name} of the abstract", size=SIZE)
    section(printer, "Background", "the background", size=12)
    section(printer, "Results", "the results", size=12)
    paper = read(printer)
    assert texts(paper, "background") == prose("the background", 8)
    assert len(texts(paper, "abstract")) >= 16


COVER = (
    "This is the author's version of a work that was accepted for publication in the Journal of Archives. "
    "Changes resulting from the publishing process may not be reflected in this document, and a definitive "
    "version was later published by the archive of the university in its own series of papers."
)


def test_the_cover_sheet_of_a_repository_is_no_abstract():
    printer = begun()
    printer.paragraph(COVER)
    printer.new_page()
    front(printer, "Learning from Noise in Archives", size=16, font="B")
    front(printer, *AUTHORS[:2])
    printer.y -= 12
    printer.paragraph(" ".join(prose("abstracts", 8)))
    section(printer, "1 Introduction", "the beginning")
    abstract, preamble, _ = abstract_of(printer)
    assert abstract == prose("abstracts", 8)
    assert COVER[:60] in " ".join(preamble)


def test_authors_above_a_text_without_headings_are_no_sentences():
    printer = begun()
    front(printer, *AUTHORS[:2])
    printer.y -= 12
    for topic in ("the first", "the second"):
        printer.paragraph(" ".join(prose(topic, 8)))
    found = [sentence.text for sentence in read(printer).sentences]
    assert found == [*prose("the first", 8), *prose("the second", 8)]


def test_a_table_of_contents_and_a_title_page_are_no_sentences():
    printer = begun()
    front(printer, *AUTHORS[:2])
    printer.new_page()
    heading(printer, "Contents")
    for number, name in enumerate(("Introduction", "Method", "Results"), 1):
        printer.line(f"{number} {name} " + ". " * 40 + str(number))
    for _ in range(3):
        printer.new_page()
    section(printer, "1 Introduction", "the beginning")
    section(printer, "2 Method", "the method")
    paper = read(printer)
    assert texts(paper, "introduction") == prose("the beginning", 8)
    assert [one.text for one in paper.sentences] == [
        *prose("the beginning", 8),
        *prose("the method", 8),
    ]


# Bibliography

ENTRIES = [f"[{number}] A. Author and B. Writer. A paper on {NOUNS[number % 7]}. Journal of Archives, {2000 + number}." for number in range(1, 9)]  # fmt: skip


@pytest.mark.parametrize("title", ["References", "REFFERENCES", ""])
def test_a_bibliography_is_a_section_even_without_its_usual_heading(title):
    printer = begun()
    section(printer, "1 Introduction", "the beginning")
    section(printer, "2 Conclusion", "the end")
    if title:
        heading(printer, title, font="R", size=SIZE)
    for entry in ENTRIES:
        printer.line(entry, 0, "R", 9)
    paper = read(printer)
    assert " ".join(texts(paper, "references")) == " ".join(ENTRIES)
    assert texts(paper, "conclusion") == prose("the end", 8)


@pytest.mark.parametrize(
    "title", ["Literature Cited", "References and Notes", "WORKS CITED", "Literature", "Reference"]
)
@pytest.mark.parametrize("numbered", [False, True])
def test_a_few_entries_below_a_usual_name_are_a_bibliography_with_and_without_numbers(title, numbered):
    printer = begun()
    section(printer, "1 Introduction", "the beginning")
    section(printer, "2 Conclusion", "the end")
    heading(printer, title)
    dated = [f"Reed, A. 200{number}. Labels of Rome. Journal of Labels 1:1-9." for number in range(3)]
    entries = ENTRIES[:3] if numbered else dated
    for entry in entries:
        printer.line(entry)
    paper = read(printer)
    assert titles(paper)[-1] == title
    assert " ".join(texts(paper, "references")) == " ".join(entries)
    assert texts(paper, "conclusion") == prose("the end", 8)


def test_an_appendix_behind_the_bibliography_is_no_part_of_it():
    printer = begun()
    section(printer, "1 Introduction", "the beginning")
    heading(printer, "References")
    for entry in ENTRIES:
        printer.line(entry)
    section(printer, "A Archives of Labels", "the appendix")
    assert texts(read(printer), "appendix") == prose("the appendix", 8)


# Furniture and quotations


def test_the_title_of_the_paper_is_no_sentence_on_another_page():
    printer = begun()
    section(printer, "1 Introduction", "the beginning")
    printer.new_page()
    printer.line("Learning from Noise in Archives", 100, "R", 8)
    printer.y -= 8
    printer.paragraph(" ".join(prose("what comes next", 8)))
    assert [one.text for one in read(printer).sentences] == [
        *prose("the beginning", 8),
        *prose("what comes next", 8),
    ]


def test_the_head_of_a_table_is_no_sentence():
    printer = begun()
    section(printer, "1 Introduction", "the beginning")
    printer.y -= 12
    for name, value in (("Filter used", "Number of papers"), ("No title", "20"), ("No authors", "30")):
        printer.line(name, 60)
        printer.y += LEADING
        printer.line(value, 200)
        printer.y -= 5
    printer.y -= 5
    printer.line("Table 1: The papers that are left.")
    assert [one.text for one in read(printer).sentences] == prose("the beginning", 8)


@pytest.mark.parametrize("label", ["Table 2. ", "Table 2: "])
def test_a_caption_below_a_paragraph_without_a_gap_is_no_sentence(label):
    printer = begun()
    section(printer, "1 Introduction", "the beginning")
    printer.line(f"{label}The labels of the archives.")
    printer.y -= 12
    for row in ("Filter   20   30", "Title   40   50"):
        for place, cell in enumerate(row.split("   ")):
            printer.line(cell, 100 * place)
            printer.y += LEADING * (place < 2)
    printer.y -= 12
    printer.paragraph(" ".join(prose("what comes next", 8)))
    found = [one.text for one in read(printer).sentences]
    assert found == [*prose("the beginning", 8), *prose("what comes next", 8)]


def test_program_code_is_no_sentence():
    printer = begun()
    section(printer, "1 Introduction", "the beginning")
    printer.y -= 8
    for text in ("for archive in archives:", "    labels += read(archive)", "    print(labels, archive)"):
        printer.line(text, 0, "C", 9)
    printer.y -= 8
    printer.paragraph(" ".join(prose("what comes next", 8)))
    found = [one.text for one in read(printer).sentences]
    assert found == [*prose("the beginning", 8), *prose("what comes next", 8)]
