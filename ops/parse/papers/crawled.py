"""Papers that a crawl fetched: PDFs, XML, and shards of many.

Belongs here: telling by its first bytes what was fetched. Not here: the formats, crawls (ops/parse/warc).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa

from ops.outcome import Row
from ops.parse.files import once
from ops.parse.lines import lines_of
from ops.parse.papers.paper import Paper
from ops.parse.papers.pdf import PdfOptions
from ops.parse.papers.s2orc import document_of
from ops.parse.read_lines import named
from ops.parse.records import UnwantedError
from ops.parse.source import Format, Raw
from ops.parse.warc.crawled import GZIP, CrawledRows, body_of, name_of, opened

NOT_A_PAPER = "not_a_paper"

_SUFFIXES = (".pdf", ".tei.xml", ".xml", ".nxml", ".tei", ".json")
_LONGEST_LINE = 16 * 2**20
_HEAD = 4096
_ROOT = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:\s+|(?><\?.*?\?>)|(?><!--.*?-->)|<!DOCTYPE[^>\[]*>)*+<(?:\w+:)?(\w+)", re.DOTALL
)
_ROOTS = {b"article": "jats", b"TEI": "grobid_tei"}


@dataclass(frozen=True)
class CrawledPapers(CrawledRows):
    """Reads PDF, JATS, TEI and S2ORC's JSON, one paper or a line each, off the rows of a crawl."""

    forms: Mapping[str, Format[Paper]]
    grobid: str | None = None
    options = PdfOptions

    def given(self, options: PdfOptions) -> CrawledPapers:
        """Return it with the options of a source."""
        return replace(self, grobid=options.grobid)

    def raw(self, row: Row, kept: pa.Schema, folder: Path) -> Raw:
        """Return the record of a row, with who reads PDF among its companions."""
        found = super().raw(row, kept, folder)
        return replace(found, companions={**found.companions, "grobid": self.grobid})

    def documents(self, raw: Raw) -> Iterator[Raw]:
        """Yield the papers, bytes of one or lines of many, each called as its address or itself says."""
        body = body_of(raw)
        stream, head = opened(body)
        packed = len(body) if body.startswith(GZIP) else None
        line, end, _ = head.partition(b"\n")
        if line.startswith(b"{") and (line.rstrip().endswith(b"}") or not end):
            return once(named(lines_of(stream, raw.path, packed, _LONGEST_LINE), document_of, {raw.path}))
        if packed is not None:
            raise _unwanted(raw, body)
        return iter([replace(raw, document=name_of(raw, _SUFFIXES), content=body)])

    def parse(self, raw: Raw) -> Paper:
        """Return the paper. Raises ParseError, and UnwantedError for what is none."""
        return self.forms[_kind(raw)].parse(raw)


def _kind(raw: Raw) -> str:
    """Return the format of a paper by its first bytes. Raises UnwantedError for what is none."""
    head = raw.content[:_HEAD]
    if b"%PDF-" in head[:1024]:
        return "pdf"
    if head.lstrip().startswith(b"{"):
        return "s2orc"
    root = _ROOT.match(head)
    if root is None or root[1] not in _ROOTS:
        raise _unwanted(raw, head)
    return _ROOTS[root[1]]


def _unwanted(raw: Raw, content: bytes) -> UnwantedError:
    return UnwantedError(NOT_A_PAPER, f"{raw.companions.get('url', '')} begins with {content[:16]!r}")
