"""AASC, the ACL Anthology Sentence Corpus (Aizawa et al. 2018), of which ParaSCI-ACL was made.

Belongs here: this format. Not here: the PDFs that it was made of (pdf/).

A file `<paper_ID>.ss` is a paper. Each line is a sentence: its id, the type of its section, and its text,
parted by tabs; there is no header. An id `s-<section>-<box>-<paragraph>-<sentence>` numbers the places where
PDFNLT found them. Types are abstract, introduction, background, method, method-other, result, discussion
(with the conclusion), appendix (with acknowledgments) and others; a section of two has both, parted by a tab.
The headings themselves are lost, and so are title and bibliography. `CITE-p-21-3-1` stands for a citation of
the entry that PDFNLT calls p-21-3-1, `MATH-...` for a formula.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ops.parse.decoding import decoded
from ops.parse.files import whole_files
from ops.parse.papers.paper import Mark, Paper, PaperBuilder
from ops.parse.papers.subjects import ACL_ANTHOLOGY
from ops.parse.source import Only, ParseError, Raw, Source

#: As its classifier and its overview name them (KMCS-NII/AASC): of these a section may have several.
_TYPES = frozenset(
    ("abstract", "introduction", "background", "method", "method-other", "method-general", "result",
     "discussion", "appendix", "references", "others")
)  # fmt: skip
_ID = re.compile(r"s-(?P<section>\d{1,9})(?:-\d{1,9}){3}")
_ENTRY = r"p(?:-\d{1,9}){3}"
#: "(CITE-p-21-3-1, CITE-p-21-3-8)": a mark of several entries.
_MARK = re.compile(rf"CITE-{_ENTRY}(?:,\s?CITE-{_ENTRY})*")
_NAMED = re.compile(rf"CITE-({_ENTRY})")


class Aasc:
    """Reads AASC; every *.ss file below the folder is a paper, other files are none."""

    any_encoding = True

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield every *.ss file; the document id is its stem, the paper's id in the ACL Anthology."""
        return whole_files(folder, source, (".ss",), only, passing=True)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return document."""
        return {"document": raw.document}

    def parse(self, raw: Raw) -> Paper:
        """Return the paper, without a title. Raises ParseError that names the line."""
        paper = PaperBuilder("")
        paper.subjects = (ACL_ANTHOLOGY,)
        section: tuple[str, str] | None = None
        for number, line in enumerate(decoded(raw.content).split("\n"), 1):
            if not line.strip():
                continue
            place, *cells = line.rstrip("\r").split("\t")
            if len(cells) < 2:
                raise ParseError(f"line {number}: its cells are {len(cells) + 1}, due are id, type, sentence")
            found = _ID.fullmatch(place)
            if found is None:
                raise ParseError(f"line {number}: {place!r:.40} is no id of a sentence, such as s-1-1-0-0")
            kind, text = _type_and_text(cells)
            if (found["section"], kind) != section:
                section = found["section"], kind
                paper.section(kind, 1)
            paper.sentence(text, place, list(_marks(text)))
        return paper.finish()


def _type_and_text(cells: Sequence[str]) -> tuple[str, str]:
    types = 1
    while types < len(cells) - 1 and cells[types] in _TYPES:
        types += 1
    return " and ".join(cells[:types]), " ".join(cells[types:])


def _marks(text: str) -> Iterator[Mark]:
    """Yield the citation marks, one for each entry that a mark names."""
    for mark in _MARK.finditer(text):
        for entry in _NAMED.findall(mark[0]):
            yield Mark(mark.start(), mark.end(), entry)
