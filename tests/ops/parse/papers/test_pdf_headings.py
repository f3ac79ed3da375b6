"""What the lines of a PDF are: headings, abstract, front matter, bibliography, and what is no running text."""

from __future__ import annotations

import pytest

from ops.parse.papers import FORMATS
from ops.parse.source import Raw
from tests.papers_as_pdf import LEADING, SIZE, WIDTH, Printer, width

NOUNS = ["labels", "corpora", "annotators", "archives", "baselines", "treebanks", "measurements"]


def prose(topic, count):
    """Sentences that differ."""
    return [
        f"We measured {topic} number {index} with {NOUNS[index % 7]} in detail." for index in range(count)
    ]


def read(printer):
    return FORMATS["pdf"].form.parse(Raw("p.pdf", "p", printer.content()))


def titles(paper):
    return [section.title for section in paper.sections if section.title]


def texts(paper, role):
    return [sentence.text for sentence in paper.sentences if paper.sections[sentence.section].role == role]


def begun(title="Learning from Noise in Archives"):
    printer = Printer(1, "")
    printer.title(title)
    return printer


def heading(printer, text, font="B", size=12.0, above=10.0, left=0.0):
    printer.y -= above
    printer.line(text, left, font, size)
    printer.y -= 4


def section(printer, text, topic, **how):
    heading(printer, text, **how)
    printer.paragraph(" ".join(prose(topic, 8)))


# Headings


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


# Front matter


def front(printer, *lines, size=SIZE, font="R"):
    for line in lines:
        printer.line(line, (WIDTH - 120 - width(line, font, size)) / 2, font, size)


def abstract_of(printer):
    paper = read(printer)
    return texts(paper, "abstract"), texts(paper, "preamble"), titles(paper)


AUTHORS = ("Ann Example and Bob Sample", "Department of Archives, University of Somewhere", "ann@example.org, bob@example.org")  # fmt: skip


def test_authors_and_keywords_belong_neither_to_the_abstract_nor_to_a_sentence():
    printer = begun()
    front(printer, *AUTHORS, size=12)
    section(printer, "Abstract", "abstracts", size=11)
    heading(printer, "KEYWORDS", size=11)
    printer.line("archives, labels, noise")
    section(printer, "1 Introduction", "the beginning", size=11)
    abstract, preamble, found = abstract_of(printer)
    assert abstract == prose("abstracts", 8)
    assert " ".join(preamble) == " ".join([*AUTHORS, "KEYWORDS archives, labels, noise"])
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
    assert preamble[-1] == "Index Terms\u2014archives, labels"
    assert found == ["Abstract", "I. INTRODUCTION"]


def test_an_abstract_without_a_label_is_the_first_paragraph_below_the_authors():
    printer = begun()
    front(printer, *AUTHORS)
    printer.new_page()
    printer.paragraph(" ".join(prose("abstracts", 8)))
    section(printer, "1 Introduction", "the beginning")
    abstract, preamble, _ = abstract_of(printer)
    assert abstract == prose("abstracts", 8)
    assert " ".join(preamble) == " ".join(AUTHORS)


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


def test_an_appendix_behind_the_bibliography_is_no_part_of_it():
    printer = begun()
    section(printer, "1 Introduction", "the beginning")
    heading(printer, "References")
    for entry in ENTRIES:
        printer.line(entry)
    section(printer, "A Archives of Labels", "the appendix")
    assert texts(read(printer), "appendix") == prose("the appendix", 8)


# Sentences over columns


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


# Headings that run in


def run_in(printer, lead, text, font, more=""):
    printer.line(lead, 10, font)
    printer.y += LEADING
    printer.line(text, 10 + width(lead, font, SIZE))
    if more:
        printer.line(more)


@pytest.mark.parametrize(
    ("lead", "font"),
    [
        ("Data. ", "B"),
        ("Data: ", "B"),
        ("The data ", "B"),
        ("1.1 The data. ", "B"),
        ("Data. ", "I"),
        ("Data of the archives: ", "I"),
    ],
)
def test_a_heading_that_runs_in_is_a_sentence_of_its_own(lead, font):
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
    assert [one.text for one in paper.sentences if one.section == 0] == [
        *prose("the beginning", 8),
        lead.strip(),
        "We use the labels of all archives that we have read in the last year.",
        "They are good.",
    ]


@pytest.mark.parametrize(
    ("lead", "text"),
    [
        ("The archive ", "is read by all of us in detail."),
        ("In vitro ", "The archives are read."),
        ("archives ", "B and C are read by all of us."),
        ("• The archive ", "Readers (all): They are good."),
    ],
)
def test_emphasis_at_the_beginning_of_a_sentence_is_no_heading(lead, text):
    printer = begun()
    section(printer, "1 Introduction", "the beginning")
    run_in(printer, lead, text, "I")
    assert read(printer).sentences[-1].text == lead + text


def test_the_mark_of_a_citation_at_the_beginning_of_a_line_is_no_item():
    printer = begun()
    section(printer, "1 Introduction", "the beginning")
    printer.line("There is also work on the labels of archives, for example by Doe", 0)
    printer.line("[27] and by Roe [35].", 0)
    assert read(printer).sentences[-1].text == (
        "There is also work on the labels of archives, for example by Doe [27] and by Roe [35]."
    )


def test_a_number_at_the_beginning_of_a_line_of_an_item_is_no_item():
    printer = begun()
    section(printer, "1 Introduction", "the beginning")
    first = "• One single change of a single record of this short list is enough for all of the values of the whole archive to become the"
    printer.line(first, 10)
    printer.line("1. It may then be learned by all.", 20)
    assert [one.text for one in read(printer).sentences[-2:]] == [
        f"{first} 1.",
        "It may then be learned by all.",
    ]


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


def test_the_text_below_a_quotation_does_not_go_on_in_it():
    printer = begun()
    section(printer, "1 Introduction", "the beginning")
    printer.line("\u201cThe archives are read by all of us, and I like", 24)
    printer.line("them very much.\u201d \u2013 P4", 24)
    printer.line("In addition to the archives, we have read the labels.", 0)
    assert read(printer).sentences[-1].text == "In addition to the archives, we have read the labels."


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
