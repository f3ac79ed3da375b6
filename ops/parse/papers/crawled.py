"""Papers that a crawl fetched: PDFs, XML, and shards or archives of many.

Belongs here: telling by its first bytes what was fetched, and walking the members of a tar, as arXiv's bulk
data are. Not here: the formats, crawls (ops/parse/warc.py), tars in a folder, which are to be unpacked.

What a collection says of an item goes to its papers: arXiv's `categories` are their subjects.

The header of a tar's member is read by Python's tarfile, the way from one to the next is our own: it leads
forward only, and no member is longer than what is there. Links, directories, sparse files and longer names
(which are headers of their own) are passed over.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tarfile import (
    AREGTYPE,
    BLKTYPE,
    BLOCKSIZE,
    CHRTYPE,
    DIRTYPE,
    FIFOTYPE,
    LNKTYPE,
    REGTYPE,
    SYMTYPE,
    HeaderError,
    TarInfo,
)
from typing import NamedTuple

import pyarrow as pa

from ops.core.outcome import Row
from ops.parse.files import once
from ops.parse.lines import lines_of, named
from ops.parse.papers.paper import Paper, archive_of, categories_in, subjects_of
from ops.parse.papers.pdf import PdfOptions
from ops.parse.papers.s2orc import document_of
from ops.parse.records import UnwantedError
from ops.parse.source import Format, Raw
from ops.parse.warc import GZIP, CrawledRows, body_of, name_of, opened, without_suffix

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


_MAGIC = slice(257, 262)
#: Behind their headers stands nothing, whatever size these tell.
_NO_CONTENT = frozenset((LNKTYPE, SYMTYPE, DIRTYPE, FIFOTYPE, CHRTYPE, BLKTYPE))


class Member(NamedTuple):
    """A file in a tar, or why no more are read."""

    name: str
    content: bytes
    error: str | None = None


def is_tar(content: bytes) -> bool:
    """Say whether bytes begin as a POSIX or GNU tar does, not packed."""
    return content[_MAGIC] == b"ustar"


def members_of(content: bytes) -> Iterator[Member]:
    """Yield the files of a tar in their order; what stops the reading is the error of one last member."""
    place = 0
    while place < len(content):
        block = content[place : place + BLOCKSIZE]
        if not block.strip(b"\0"):  # the end of the archive
            return
        try:
            header = TarInfo.frombuf(block, "utf-8", "surrogateescape")
        except HeaderError as error:
            yield Member("", b"", f"the archive is damaged from byte {place} on: {error}")
            return
        start = place + BLOCKSIZE
        end = start + (0 if header.type in _NO_CONTENT else header.size)
        if not start <= end <= len(content):
            yield Member(header.name, b"", "the archive ends within this file")
            return
        if header.type in (REGTYPE, AREGTYPE):
            yield Member(header.name, content[start:end])
        place = end + -end % BLOCKSIZE
