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
from dataclasses import replace
from pathlib import Path

from pydantic import Field

from silverloom.ops.core.params import Params
from silverloom.ops.parse.files import whole_files, with_options
from silverloom.ops.parse.papers.extraction_tools import Tei, tei_of
from silverloom.ops.parse.papers.paper import Paper, PaperBuilder
from silverloom.ops.parse.papers.pdf_citations import with_citations
from silverloom.ops.parse.papers.pdf_layout import lines_of
from silverloom.ops.parse.papers.pdf_outline import PrintedBlock, PrintedHeading, outline
from silverloom.ops.parse.papers.pdf_page import check_whole, pages_of, title_of
from silverloom.ops.parse.source import Only, ParseError, Raw, Source


class PdfOptions(Params):
    """Options of PDF sources: which program reads the files."""

    grobid: str | None = Field(
        default=None, pattern=r"^https?://\S+$", description="address of a GROBID that reads them instead"
    )


class Pdf:
    """Reads PDF: every *.pdf file below the folder is a paper."""

    options = PdfOptions
    bytes_a_character = 8

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield every *.pdf file; the document id is its stem."""
        return with_options(whole_files(folder, source, (".pdf",), only), source)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return the document id, and the title in the file's metadata."""
        return {"document": raw.document, "title": title_of(raw.content)}

    def parse(self, raw: Raw) -> Paper:
        """Return the paper.

        Raises ParseError like `pages_of`, and if there is no text; with GROBID, like `tei_of`.
        """
        if service := raw.companions.get("grobid"):
            check_whole(raw.content)
            return Tei().parse(replace(raw, content=tei_of(service, raw.content)))
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
