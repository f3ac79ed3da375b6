"""Papers as PDF: their text layer in reading order, with sections recognised by fonts and numbers.

Belongs here: this format. Not here: glyphs (pdf_page.py), lines in reading order (pdf_layout.py), what a line
is (pdf_outline.py), sentences (body.py), citations (pdf_citations.py).

Running heads, page numbers, authors, keywords, captions, notes, tables, displayed formulas, program code,
headings that run in, the words in pictures and sideways text are no running text, and are left out. A
sentence that lost a formula, an index of several letters or below an exponent, a picture in its line, or a
sign without Unicode, has a hole. A file without a text layer is refused, and so is a truncated or encrypted
one: pdfium would silently return empty pages, or only those that it can find.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from silverloom.ops.parse.files import whole_files
from silverloom.ops.parse.papers.paper import Paper, PaperBuilder
from silverloom.ops.parse.papers.pdf_citations import with_citations
from silverloom.ops.parse.papers.pdf_layout import lines_of
from silverloom.ops.parse.papers.pdf_outline import PrintedBlock, PrintedHeading, outline
from silverloom.ops.parse.papers.pdf_page import pages_of, title_of
from silverloom.ops.parse.source import Only, ParseError, Raw, Source


class Pdf:
    """Reads PDF: every *.pdf file below the folder is a paper."""

    bytes_a_character = 8

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield every *.pdf file; the document id is its stem."""
        return whole_files(folder, source, (".pdf",), only)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return the document id, and the title in the file's metadata."""
        return {"document": raw.document, "title": title_of(raw.content)}

    def parse(self, raw: Raw) -> Paper:
        """Return the paper. Raises ParseError like `pages_of`, and if there is no text."""
        title, blocks = outline(lines_of(pages_of(raw.content)))
        if not any(isinstance(block, PrintedBlock) for block in blocks):
            raise ParseError("no text in the PDF: are its pages pictures?")
        paper = PaperBuilder(title or title_of(raw.content))
        paragraphs: list[PrintedBlock] = []
        for block in [*blocks, None]:
            if isinstance(block, PrintedBlock):
                paragraphs.append(block)
                continue
            _add(paper, paragraphs)
            paragraphs.clear()
            if isinstance(block, PrintedHeading):
                paper.section(block.text, block.level)
        return with_citations(paper.finish())


def _add(paper: PaperBuilder, paragraphs: list[PrintedBlock]) -> None:
    """Add the text of a section."""
    if paragraphs and not paper.sections:
        paper.section("")
    same = {index for index, block in enumerate(paragraphs) if block.goes_on}
    paper.flow([(block.text, f"page {block.page}") for block in paragraphs], same=same)
