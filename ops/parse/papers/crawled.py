"""Papers that a crawl fetched: PDFs, XML, and shards or archives of many.

Belongs here: telling by its first bytes what was fetched. Not here: the formats, crawls (ops/parse/warc).

What a collection says of an item goes to its papers: arXiv's `categories` are their subjects.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa

from ops.outcome import Row
from ops.parse.files import once
from ops.parse.lines import lines_of
from ops.parse.papers.archive import is_tar, members_of
from ops.parse.papers.paper import Paper
from ops.parse.papers.pdf import PdfOptions
from ops.parse.papers.s2orc import document_of
from ops.parse.papers.subjects import archive_of, categories_in, subjects_of
from ops.parse.read_lines import named
from ops.parse.records import UnwantedError
from ops.parse.source import Format, Raw
from ops.parse.warc.crawled import GZIP, CrawledRows, body_of, name_of, opened, without_suffix

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
    """Reads PDF, JATS, TEI and S2ORC's JSON off the rows of a crawl: one, a line each, or a tar of them."""

    forms: Mapping[str, Format[Paper]]
    grobid: str | None = None
    options = PdfOptions

    def given(self, options: PdfOptions) -> CrawledPapers:
        """Return it with the options of a source."""
        return replace(self, grobid=options.grobid)

    def columns(self, kept: pa.Schema) -> list[str]:
        """Return the columns that tell where a record lies and what it is about."""
        return [*super().columns(kept), *(["about"] if "about" in kept.names else [])]

    def raw(self, row: Row, kept: pa.Schema, folder: Path) -> Raw:
        """Return the record of a row, with who reads PDF, and what it is about, among its companions."""
        found = super().raw(row, kept, folder)
        about = json.loads(row.get("about") or "{}")
        told = {"grobid": self.grobid, "categories": str(about.get("categories", ""))}
        return replace(found, companions={**found.companions, **told})

    def documents(self, raw: Raw) -> Iterator[Raw]:
        """Yield the papers, bytes of one or lines or files of many, called as their address or they say."""
        body = body_of(raw)
        if is_tar(body):
            return once(_of_archive(raw, body))
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
        paper = self.forms[_kind(raw)].parse(raw)
        told = categories_in(raw.companions.get("categories", ""))
        return replace(paper, subjects=subjects_of(told, paper.subjects))


def _of_archive(raw: Raw, body: bytes) -> Iterator[Raw]:
    """Yield the files of a tar: "1806/1806.00001.pdf" is the paper 1806.00001."""
    for member in members_of(body):
        name = without_suffix(member.name.rpartition("/")[2], _SUFFIXES) or raw.document
        told = raw.companions.get("categories") or " ".join(archive_of(name))
        companions = {**raw.companions, "url": f"{raw.companions.get('url', '')}#{member.name}"}
        yield replace(
            raw,
            document=name,
            content=member.content,
            error=member.error,
            companions={**companions, "categories": told},
        )


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
