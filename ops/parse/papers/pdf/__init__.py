"""Papers as PDF: their text layer, in reading order, with sections told by fonts and numbers.

Belongs here: this format. Not here: glyphs (segments.py), columns (layout.py), headings (outline.py).

Read are pages of one column or two. Running heads, page numbers and text that stands sideways are left out;
captions, notes and rows of tables stand behind the running text that they interrupt. A file without a text
layer is refused, and so is one that is cut short or encrypted: pdfium alone would give empty pages, or those
that it can find.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from pydantic import Field

from ops.params import Params
from ops.parse.files import whole_files, with_options
from ops.parse.papers.grobid import tei_of
from ops.parse.papers.paper import Paper, PaperBuilder
from ops.parse.papers.pdf.layout import lines_of
from ops.parse.papers.pdf.outline import PrintedBlock, PrintedHeading, outline
from ops.parse.papers.pdf.segments import check_whole, pages_of, title_of
from ops.parse.papers.tei import Tei
from ops.parse.source import Only, ParseError, Raw, Source


class PdfOptions(Params):
    """Who reads the files."""

    grobid: str | None = Field(
        default=None, pattern=r"^https?://\S+$", description="address of a GROBID that reads them instead"
    )


class Pdf:
    """Reads PDF; every *.pdf file below the folder is a paper."""

    options = PdfOptions

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield every *.pdf file; the document id is its stem."""
        return with_options(whole_files(folder, source, (".pdf",), only), source)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return document, and the title that the file's metadata give."""
        return {"document": raw.document, "title": title_of(raw.content)}

    def parse(self, raw: Raw) -> Paper:
        """Return the paper.

        Raises ParseError, see `pages_of`, and where there is no text; with GROBID see `tei_of`.
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
        return paper.finish()


def _add(paper: PaperBuilder, paragraphs: list[PrintedBlock]) -> None:
    """Add the text of a section: the running text first, so that a note does not part a sentence."""
    if paragraphs and not paper.sections:
        paper.section("")
    flow = [(block.text, f"page {block.page}") for block in paragraphs if not block.aside]
    if flow:
        paper.flow(flow)
    for block in paragraphs:
        if block.aside:
            paper.flow([(block.text, f"page {block.page}")])
