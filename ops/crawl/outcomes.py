"""The rows and WARC files of a crawl, part by part.

Belongs here: the order of records, duplicate pages, the files of a part, the columns of the rows, and SPDX
names of licences that a listing gives as addresses. Not here: fetching (spider.py), the format of a record in
a WARC file (warc.py).
"""

from __future__ import annotations

import importlib.metadata
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import urlsplit

import pyarrow as pa

from silverloom.ops.core.identity import made_of, row_id
from silverloom.ops.core.outcome import (
    NAME,
    TIME,
    Outcome,
    Outcomes,
    Row,
    Shape,
    columns,
    drop,
    optional,
    reject,
)
from silverloom.ops.crawl.frontier import Frontier, PageRequest, same
from silverloom.ops.crawl.journal import (
    LINKS_NOT_READ,
    SAME_BYTES,
    UNCHANGED,
    Journal,
    UrlOutcome,
    listed_digest,
    published_head,
    published_line,
)
from silverloom.ops.crawl.options import CrawlOptions
from silverloom.ops.crawl.warc import head

#: Bytes of records, and of journal lines about them, after which a part ends.
PART_BYTES = 64 * 2**20


class Listed(NamedTuple):
    """A line of a list: its id among the raw records, its URL, and why it is invalid, if so."""

    id: str
    url: str
    error: str | None


@dataclass
class CrawlParts:
    """The parts of one crawl: the outcomes of its URLs, ordered by level."""

    name: str
    month: str
    licence: str
    listed: Sequence[Listed]
    options: CrawlOptions
    journal: Journal
    per_part: int
    """Maximum URLs per part."""
    ranks: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """For pages that a search found: ranks by query, keyed by canonical URL (`same`)."""
    _unread: int = 0
    """The number of pages whose links could not be read."""
    _digests: dict[str, str] = field(default_factory=dict)
    _ids: dict[str, str] = field(default_factory=dict)
    _origins: dict[str, str] = field(default_factory=dict)
    """The listed line that led to a page, by URL."""
    _forms: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """The listed URLs, by canonical URL."""
    _copies: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """URLs with the same bytes, by digest; if an earlier crawl left a page out, by the URL that it kept."""

    def outcomes(self) -> Outcomes:
        """Yield the parts. Raises LookupError for a URL without an outcome in the journal."""
        urls = [line.url for line in self.listed if not line.error]
        frontier = Frontier(urls, self.options, self.journal.entries)
        for url in urls:
            self._forms[same(url)].add(url)
        for entry in self.journal.entries.values():
            if group := entry.copy_of or (entry.digest if entry.fate == "fetched" else ""):
                self._copies[group].add(entry.url)
        part = self._part(0)
        number = 0
        for unit, entry in self._units(frontier):
            if part.full(self.per_part):
                number += 1
                yield part.outcome()
                part = self._part(number)
            self._add(part, unit, entry)
        noted = {
            "URLs over the limit of pages": frontier.left_out,
            "pages whose links cannot be read": self._unread,
        }
        yield part.outcome({what: count for what, count in noted.items() if count})

    def _units(self, frontier: Frontier) -> Iterator[tuple[Row, UrlOutcome]]:
        """Yield every unit with its outcome: listed URLs in list order, then links."""
        levels = frontier.levels()
        first = {page.url for page in next(levels, [])}
        for line in self.listed:
            unit = self._unit(line.id, PageRequest(line.url))
            if line.error:
                yield unit, UrlOutcome(url=line.url, fate="rejected", cause=line.error)
            elif (twin := self._ids.get(same(line.url))) is not None:
                detail = f"listed as {twin}"
                yield unit, UrlOutcome(url=line.url, fate="dropped", cause="duplicate", detail=detail)
            elif line.url not in first:
                limit = f"more than {self.options.pages} URLs"
                yield unit, UrlOutcome(url=line.url, fate="dropped", cause="pages", detail=limit)
            else:
                self._ids[same(line.url)] = line.id
                yield unit, self.journal.entries[line.url]
        for level in levels:
            for page in level:
                yield self._unit(self.link_id(page.url), page), self.journal.entries[page.url]

    def link_id(self, url: str) -> str:
        """Return the id of a URL that is not listed."""
        return row_id("url", self.name, self.month, url)

    def _unit(self, unit: str, page: PageRequest) -> Row:
        return {**made_of(unit, [unit], self.licence), "crawl": self.name, **page._asdict()}

    def _part(self, number: int) -> _OpenPart:
        listed = listed_digest(line.url for line in self.listed if not line.error)
        return _OpenPart(f"{self.name}-{number:05d}", self.options, listed)

    def _add(self, part: _OpenPart, unit: Row, entry: UrlOutcome) -> None:
        file, first = "", entry.url
        if entry.fate == "fetched" and entry.unchanged and self.options.unchanged == "drop":
            entry = entry.without_record(UNCHANGED, f"since {entry.date}")
        elif entry.fate == "fetched":
            first = self._digests.setdefault(entry.digest, entry.url)
            if first != entry.url:
                entry = entry.without_record("duplicate", f"{SAME_BYTES}{first}")
        origin = self._origin(unit, entry, first)
        if entry.fate == "listing" and not entry.cause:
            detail = "its items are rows of their own"
            part.dropped.append(drop(unit, "listing", float(len(entry.links)), detail))
        elif entry.fate == "dropped":
            part.dropped.append(drop(unit, entry.cause, detail=entry.detail))
        elif entry.fate == "fetched":
            file, offset = part.write(self.journal.record(entry), entry.date)
            entry = entry.model_copy(update={"offset": offset})
            part.kept.append(self._row(unit, entry, file, origin))
            self._unread += LINKS_NOT_READ in entry.about
        else:
            part.rejected.append(reject(unit, f"{entry.url}: {entry.cause}"))
        part.note(unit["id"], file, entry)

    def _origin(self, unit: Row, entry: UrlOutcome, first: str) -> str | None:
        """Return the listed line that led to a page; None if it is lost, since no kept row may name it then.

        For a listed duplicate it is the line of the page with the same bytes.
        """
        if unit["depth"]:
            origin = self._origins.get(unit["found_on"])
        else:
            origin = unit["id"] if entry.fate == "fetched" else self._origins.get(first)
        if origin is not None:
            self._origins[entry.url] = origin
        return origin

    def _also(self, entry: UrlOutcome) -> list[str]:
        """Return the other URLs that share the record of a page."""
        copies = (self._copies.get(group, set()) for group in (entry.digest, entry.url))
        gave = {entry.url}.union(*copies)
        forms = (self._forms.get(same(url), set()) for url in gave)
        return sorted(gave.union(*forms) - {entry.url})

    def _ranks(self, urls: Sequence[str]) -> dict[str, int]:
        """Return the best rank of some URLs for each query."""
        best_ranks: dict[str, int] = {}
        for url in urls:
            for query, rank in self.ranks.get(same(url), {}).items():
                best_ranks[query] = min(rank, best_ranks.get(query, rank))
        return best_ranks

    def _row(self, unit: Row, entry: UrlOutcome, file: str, origin: str | None) -> Row:
        also = self._also(entry)
        ranks = self._ranks([entry.url, *also])
        about = {**entry.about, **({"ranks": ranks} if ranks else {})}
        return {
            **{name: unit[name] for name in ("crawl", "url", "depth", "found_on")},
            **{name: getattr(entry, name) for name in _SHARED},
            **made_of(
                row_id("page", self.name, self.month, entry.url),
                dict.fromkeys(filter(None, [unit["id"], origin])),
                spdx(entry.about["license"]) if "license" in entry.about else unit["licence"],
            ),
            "also": also,
            "month": self.month,
            "file": file,
            "about": json.dumps(about, sort_keys=True, ensure_ascii=False) if about else None,
        }


#: Columns of a row that equal fields of its entry.
_SHARED = (
    *("final_url", "status", "content_type", "bytes", "digest", "date"),
    *("etag", "last_modified", "unchanged", "offset", "length"),
)


@dataclass
class _OpenPart:
    """The rows and files of a part so far."""

    name: str
    options: CrawlOptions
    listed: str
    units: list[str] = field(default_factory=list)
    kept: list[Row] = field(default_factory=list)
    dropped: list[Row] = field(default_factory=list)
    rejected: list[Row] = field(default_factory=list)
    _lines: list[bytes] = field(default_factory=list)
    _records: list[bytes] = field(default_factory=list)
    _size: int = 0
    """Bytes of the records."""
    _noted: int = 0
    """Bytes of the journal lines, which include links."""

    @property
    def _file(self) -> str:
        return f"{self.name}.warc" if self.options.clock else f"{self.name}.warc.gz"

    def full(self, per_part: int) -> bool:
        return len(self.units) >= per_part or self._size + self._noted >= PART_BYTES

    def write(self, record: bytes, date: str) -> tuple[str, int]:
        """Append a record; return the name of the file, and the record's offset in it."""
        if not self._records:
            software = f"Scrapy {importlib.metadata.version('scrapy')}"
            self._append(head(self._file, software, date, packed=self.options.clock is None))
        offset = self._size
        self._append(record)
        return self._file, offset

    def note(self, unit: str, file: str, entry: UrlOutcome) -> None:
        """Record the outcome of a unit for the next crawl (journal.py)."""
        self.units.append(unit)
        self._lines.append(published_line(unit, file, entry))
        self._noted += len(self._lines[-1])

    def outcome(self, combinations: Mapping[str, int] | None = None) -> Outcome:
        files = {f"{self.name}.jsonl": b"".join([published_head(self.options, self.listed), *self._lines])}
        if self._records:
            files[self._file] = b"".join(self._records)
        return Outcome.of(PAGES, self.units, self.kept, self.dropped, self.rejected, combinations, files)

    def _append(self, content: bytes) -> None:
        self._records.append(content)
        self._size += len(content)


_COMMONS = re.compile(r"creativecommons\.org/(?:licenses|publicdomain)/([a-z-]+)/([\d.]+)")


def spdx(address: str) -> str:
    """Return the SPDX name of a licence, or `LicenseRef-` and its address if SPDX lacks it."""
    if match := _COMMONS.search(address.lower()):
        name, version = match.groups()
        name = {"zero": "CC0", "mark": "CC-PDM"}.get(name) or f"CC-{name.upper()}"
        return f"{name}-{version}"
    parts = urlsplit(address.strip())
    return "LicenseRef-" + re.sub(r"[^A-Za-z0-9.]+", "-", f"{parts.netloc}{parts.path}").strip("-")


REQUEST = columns(
    ("crawl", pa.string(), "the source in params.yaml", NAME),
    ("url", pa.string(), "the requested URL", NAME),
    optional("depth", pa.int32(), "links from a listed URL; 0: it is listed"),
    optional("found_on", pa.string(), "the page that links to it; null where it is listed", NAME),
)

PAGES = Shape(
    unit=REQUEST,
    kept=columns(
        ("crawl", pa.string(), "the source in params.yaml", NAME),
        ("url", pa.string(), "the requested URL", NAME),
        ("final_url", pa.string(), "what answered, after redirects", NAME),
        (
            "also",
            pa.list_(pa.string()),
            "the other requested URLs that have this record: in another form, or with the same bytes",
            NAME,
        ),
        ("month", pa.string(), "of the partition", TIME),
        optional("depth", pa.int32(), "links from a listed URL; 0: it is listed"),
        optional("found_on", pa.string(), "the page that links to it; null where it is listed", NAME),
        ("status", pa.int32(), "of the answer"),
        optional("content_type", pa.string(), "as the server says"),
        optional("bytes", pa.int64(), "of the page, unpacked"),
        ("digest", pa.string(), "SHA-1 of the page, as WARC writes it"),
        ("date", pa.string(), "when it was fetched"),
        optional("etag", pa.string(), "sent with the request of the next crawl"),
        optional("last_modified", pa.string(), "sent with the request of the next crawl"),
        optional("unchanged", pa.bool_(), "whether it was the same when it was requested again"),
        ("file", pa.string(), "the WARC file with the answer, next to the rows", NAME),
        ("offset", pa.int64(), "of its record in the file, in bytes"),
        ("length", pa.int64(), "of its record in the file, in bytes"),
        optional(
            "about", pa.string(), "what a collection says of an item (title, video, md5), as JSON; else null"
        ),
    ),
)
