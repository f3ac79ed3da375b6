"""PDF: reading order, page furniture, hyphens, headings; and files that must not pass as empty pages."""

import pytest

from silverloom.ops.parse.papers import FORMATS
from silverloom.ops.parse.source import ParseError, Raw
from tests.papers_as_pdf import Printer, assembled, document, printed

NOUNS = [
    "labels", "corpora", "annotators", "archives", "baselines", "treebanks", "classifiers", "measurements", "dictionaries",
]  # fmt: skip


def sentences(topic, count):
    """Sentences that no two pages share, with words that are hyphenated at line ends."""
    return [
        f"We measured {topic} number {index} with {NOUNS[index % 9]} and "
        f"{NOUNS[index % 7]} before comparing everything carefully."
        for index in range(count)
    ]


SECTIONS = [
    ("Abstract", sentences("abstracts", 6)),
    ("1 Introduction", sentences("introductions", 60)),
    ("2 Materials and Methods", sentences("methods", 60)),
    ("2.1 The Annotators", sentences("annotators", 60)),
    ("Acknowledgments", ["We thank Ann."]),
    ("References", ["Jo Doe. 2016. Dear labels."]),
]


def pages(columns, **options):
    chunks = [
        (title, [" ".join(found[i : i + 5]) for i in range(0, len(found), 5)]) for title, found in SECTIONS
    ]
    return printed("Learning from Noise in Archives", chunks, columns, **options)


def read(content):
    return FORMATS["pdf"].parse(Raw("p.pdf", "p", content))


@pytest.mark.parametrize("columns", [1, 2])
def test_text_is_read_in_order_without_running_heads_page_numbers_and_line_end_hyphens(columns):
    paper = read(pages(columns))
    assert paper.title == "Learning from Noise in Archives"
    assert [section.title for section in paper.sections] == [title for title, _ in SECTIONS]
    assert [section.role for section in paper.sections] == [
        "abstract", "introduction", "method", "method", "acknowledgments", "references",
    ]  # fmt: skip
    for index, (_, expected) in enumerate(SECTIONS):
        found = " ".join(sentence.text for sentence in paper.sentences if sentence.section == index)
        assert found == " ".join(expected)


def test_a_locator_is_the_page_on_which_a_sentence_starts():
    paper = read(pages(2))
    found = [sentence.locator for sentence in paper.sentences]
    assert found[0] == "page 1"
    assert sorted(set(found)) == ["page 1", "page 2", "page 3", "page 4"]
    assert found == sorted(found)


def test_a_footnote_does_not_split_a_sentence_and_is_left_out():
    printer = Printer(2, "")
    printer.title("A Title")
    printer.heading("1 Introduction")
    printer.footnote("1A note about archives that stands at the foot of the first column.")
    for index in range(3):
        printer.paragraph(" ".join(sentences(f"part {index}", 12)))
    paper = read(printer.content())
    found = [sentence.text for sentence in paper.sentences]
    expected = [text for index in range(3) for text in sentences(f"part {index}", 12)]
    assert found == expected


def test_a_caption_and_a_table_do_not_split_the_text_around_them():
    printer = Printer(1, "")
    printer.title("A Title")
    printer.heading("1 Introduction")
    printer.paragraph("The sentence goes on below the table that stands between its two halves and")
    printer.y -= 20
    printer.line("Table 1: Counts of everything.")
    for row in ("alpha", "beta", "gamma"):
        printer.line(row)
        printer.y += printer.leading
        printer.line("12.5", 150)
        printer.y += printer.leading
        printer.line("77.1", 300)
    printer.y -= 20
    printer.line("ends here. Another sentence follows.")
    paper = read(printer.content())
    assert [sentence.text for sentence in paper.sentences][:2] == [
        "The sentence goes on below the table that stands between its two halves and ends here.",
        "Another sentence follows.",
    ]


def test_a_truncated_pdf_is_refused():
    content = pages(2)
    for share in (0.1, 0.5, 0.9, 0.99):
        with pytest.raises(
            ParseError, match=r"the PDF is cut short: no %%EOF at its end \(byte offset \d+\)"
        ):
            read(content[: int(share * len(content))])


def test_a_pdf_with_a_password_is_refused():
    with pytest.raises(ParseError, match="the PDF is encrypted, and wants a password"):
        read(pages(1, password="secret"))


def test_pages_without_text_are_refused():
    with pytest.raises(ParseError, match="no text in the PDF"):
        read(document([b"0 0 m 10 10 l S", b""]))


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        (b"", "the file is empty"),
        (b"PK\x03\x04" + bytes(100), "not a PDF"),
        (b"%PDF-1.4\n" + bytes(100) + b"\n%%EOF", "a PDF that cannot be opened"),
        (assembled([b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [] /Count 0 >>"]), "without pages|cannot be opened"),
        (assembled([b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [2 0 R] /Count 1 >>"]), "cannot be"),
    ],
)  # fmt: skip
def test_an_invalid_pdf_is_refused(content, cause):
    with pytest.raises(ParseError, match=cause):
        read(content)


def test_a_damaged_stream_does_not_pass_as_an_empty_page():
    good = pages(1)
    start = good.index(b"stream\n") + 7
    broken = good[:start] + bytes(200) + good[start + 200 :]
    with pytest.raises(ParseError, match="page 1 holds nothing: is the PDF damaged"):
        read(broken)
