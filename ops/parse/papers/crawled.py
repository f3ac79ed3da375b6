"""Papers fetched by a crawl: PDF, XML, or a file or archive of many papers.

Belongs here: recognising the format from the first bytes, and the members of a tar (arXiv's bulk data are
tars). Not here: the formats, crawls (ops/parse/warc.py), tars in a folder, which must be unpacked first.

Metadata of a collection's item goes to its papers: arXiv's `categories` are their subjects, its `doi` their
DOI, unless they have one of their own.
"""

from __future__ import annotations

import json
import re
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from silverloom.ops.core.outcome import Row
from silverloom.ops.parse.files import once
from silverloom.ops.parse.lines import line_records, named
from silverloom.ops.parse.papers.metadata import archive_of, categories_in, doi_of, subjects_of
from silverloom.ops.parse.papers.paper import Paper
from silverloom.ops.parse.papers.s2orc import document_of
from silverloom.ops.parse.records import UnwantedError
from silverloom.ops.parse.source import Format, Raw
from silverloom.ops.parse.unpacked import packing_of
from silverloom.ops.parse.warc import CrawledRows, body_of, name_of, opened_body, without_suffix

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
    """Reads papers from rows of a crawl: PDF, JATS, TEI or S2ORC's JSON, alone, one per line, or in a tar."""

    forms: Mapping[str, Format[Paper]]

    def columns(self, kept: pa.Schema) -> list[str]:
        """Return the columns with the location and metadata of a record."""
        return [*super().columns(kept), *(["about"] if "about" in kept.names else [])]

    def raw(self, row: Row, kept: pa.Schema, folder: Path) -> Raw:
        """Return a row's record; its companions include the item's metadata."""
        record = super().raw(row, kept, folder)
        about = json.loads(row.get("about") or "{}")
        told = {name: str(about.get(name, "")) for name in ("categories", "doi")}
        return replace(record, companions={**record.companions, **told})

    def documents(self, raw: Raw) -> Iterator[Raw]:
        """Yield the papers of a record: one, or one per line or file. Address, line or file gives the id."""
        body = body_of(raw)
        if is_tar(body):
            return once(_of_archive(raw, body))
        stream, head = opened_body(body)
        line, end, _ = head.partition(b"\n")
        if line.startswith(b"{") and (line.rstrip().endswith(b"}") or not end):
            return once(named(line_records(stream, raw.path, _LONGEST_LINE), document_of, {raw.path}))
        if packing_of(body) == "gzip":
            raise _unwanted(raw, body)
        return iter([replace(raw, document=name_of(raw, _SUFFIXES), content=body)])

    def parse(self, raw: Raw) -> Paper:
        """Return the paper. Raises ParseError, and UnwantedError for what is not a paper."""
        paper = self.forms[_kind(raw)].parse(raw)
        told = categories_in(raw.companions.get("categories", ""))
        doi = paper.doi or doi_of(*raw.companions.get("doi", "").split())
        return replace(paper, subjects=subjects_of(told, paper.subjects), doi=doi)


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
    """Return the format of a paper by its first bytes. Raises UnwantedError for what is not a paper."""
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


#: Longer names are in a header of their own, and cut in the member's.
_LONGEST_NAME = 100


class Member(NamedTuple):
    """A file in a tar, or the reason why it cannot be read."""

    name: str
    content: bytes
    error: str | None = None


def is_tar(content: bytes) -> bool:
    """Say whether bytes start like an uncompressed POSIX or GNU tar."""
    return content[257:262] == b"ustar"


def members_of(content: bytes) -> Iterator[Member]:
    """Yield the files of a tar in order.

    Damage is a member with an error; reading goes on at the next sound header. Behind the damaged header of
    an archive within the archive, that is one of the inner archive.
    """
    end, cause = 0, ""
    try:
        with tarfile.open(fileobj=BytesIO(content), mode="r:", ignore_zeros=True) as archive:
            for member in archive:
                behind_damage = bool(content[end : member.offset].strip(b"\0"))
                if behind_damage:
                    yield _damage(end, f"; the file up to byte {member.offset}")
                first = member.offset_data
                end = first + (member.size if member.isreg() else 0)
                if not first <= end <= len(content):
                    yield Member(member.name, b"", "the archive ends within this file")
                    return
                if member.isreg():
                    error = "a sparse file, which is not read" if member.issparse() else None
                    if behind_damage and len(member.name) >= _LONGEST_NAME:
                        error = "its name was in a header that is damaged"
                    yield Member(member.name, b"" if error else content[first:end], error)
                end += -end % tarfile.BLOCKSIZE
    except (tarfile.TarError, ValueError, OverflowError) as error:
        cause = f": {error}"
    if cause or content[end:].strip(b"\0"):
        yield _damage(end, f"{cause}; what is behind")


def _damage(place: int, what: str) -> Member:
    return Member("", b"", f"the archive is damaged at byte {place}{what} was not read")
