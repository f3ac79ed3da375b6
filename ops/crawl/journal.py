"""What a crawl has fetched so far, and reusing an earlier version's results.

Belongs here: the folder of a crawl in progress, which survives Ctrl-C, kill -9, a power cut and damage;
conditional requests for pages that may have changed; the outcomes of URLs in files published with the rows
of a crawl (`<crawl>-00000.jsonl`). Not here: requests (spider.py, collect.py), the rows (outcomes.py).

A crawl in progress has two files: `journal.jsonl`, with a line for each URL that has an outcome, and
`records.warc`, to which a record is appended before its line. A line starts with the checksums of itself and
of its record. A line with a wrong checksum is ignored, and its URL is requested again. Memory holds only the
offsets of lines: their content, mainly links, may not fit.

A crawl that is made again, for whatever reason, reuses the published files as far as possible: the web is
requested again only on demand.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

from ops.crawl.options import CrawlOptions

LINES, _RECORDS, OPTIONS = "journal.jsonl", "records.warc", "options"
#: The files of a journal; OPTIONS has the digest of its options.
FILES = (LINES, _RECORDS, OPTIONS)

#: Seconds of a crawl that a power cut may lose. Syncing the disk after every page would slow the crawl down.
_SYNC_EVERY = 2.0

#: The reason of pages that are dropped because they have not changed.
UNCHANGED = "unchanged"
#: The key in a page's `about` with the reason why its links could not be read.
LINKS_NOT_READ = "links_not_read"
#: The detail of a duplicate starts like this, followed by the URL of the page with the same bytes.
SAME_BYTES = "the same bytes as "


Fate: TypeAlias = Literal["fetched", "listing", "dropped", "rejected"]


class UrlOutcome(BaseModel):
    """The outcome of one requested URL, before duplicates are removed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    url: str
    fate: Fate
    cause: str = ""
    """The reason if dropped, the error if rejected."""
    detail: str = ""
    final_url: str = ""
    status: int = 0
    content_type: str = ""
    bytes: int = 0
    digest: str = ""
    date: str = ""
    etag: str = ""
    last_modified: str = ""
    unchanged: bool = False
    links: tuple[str, ...] = ()
    """For a page: its links that may be followed, in page order, each once.

    For a listing: the addresses of its items."""
    about: Mapping[str, str] = {}
    """Metadata of a collection's item; for a page, why its links could not be read."""
    offset: int = 0
    length: int = 0

    @property
    def copy_of(self) -> str:
        """The URL of the page with the same bytes whose record is used instead; "" if it has its own."""
        return self.detail.removeprefix(SAME_BYTES) if self.detail.startswith(SAME_BYTES) else ""

    def without_record(self, reason: str, detail: str) -> UrlOutcome:
        """Return this outcome as dropped, without its record."""
        lost = {"fate": "dropped", "cause": reason, "detail": detail, "offset": 0, "length": 0}
        return self.model_copy(update=lost)


#: Bytes of a line before its outcome: two checksums.
_CHECKSUMS = 18


class JournalEntries(Mapping[str, UrlOutcome]):
    """The outcomes of a journal by URL, read from its file on access."""

    def __init__(self, lines: BinaryIO) -> None:
        self._lines = lines
        self._places: dict[str, tuple[int, int]] = {}

    def put(self, url: str, start: int, length: int) -> None:
        """Set the outcome of a URL to the line that starts there, with this length including its end."""
        self._places[url] = (start + _CHECKSUMS, length - _CHECKSUMS)

    def __getitem__(self, url: str) -> UrlOutcome:
        start, length = self._places[url]
        self._lines.seek(start)  # the file is in append mode: writes still go to its end
        return UrlOutcome.model_validate_json(self._lines.read(length))

    def __contains__(self, url: object) -> bool:
        return url in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class Journal:
    """The journal of one crawl, with its earlier entries; it starts empty if the options have changed."""

    def __init__(self, folder: Path, options: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._lines, self._records = folder / LINES, folder / _RECORDS
        mark = folder / OPTIONS
        if not mark.exists() or mark.read_text() != options:
            for path in (self._lines, self._records):
                path.unlink(missing_ok=True)
            mark.write_text(options)
        self._line_file = self._lines.open("a+b")
        self.entries = JournalEntries(self._line_file)
        self._record_file = self._records.open("a+b")
        self._read()
        self._synced = time.monotonic()

    def close(self) -> None:
        """Sync and close the files."""
        self._sync()
        self._line_file.close()
        self._record_file.close()

    def add(self, entry: UrlOutcome, record: bytes = b"") -> None:
        """Append the outcome of a URL, after the record that it points to."""
        if record:
            end = self._record_file.seek(0, os.SEEK_END)
            entry = entry.model_copy(update={"offset": end, "length": len(record)})
            self._record_file.write(record)
            self._record_file.flush()
        line = b"%08x %s" % (zlib.crc32(record), entry.model_dump_json(exclude_defaults=True).encode())
        start = self._line_file.seek(0, os.SEEK_END)
        length = self._line_file.write(b"%08x %s\n" % (zlib.crc32(line), line))
        self._line_file.flush()
        self.entries.put(entry.url, start, length)
        if time.monotonic() - self._synced > _SYNC_EVERY:
            self._sync()

    def record(self, entry: UrlOutcome) -> bytes:
        """Return the record of a fetched page."""
        self._record_file.seek(entry.offset)  # the file is in append mode: writes still go to its end
        return self._record_file.read(entry.length)

    def _sync(self) -> None:
        for file in (self._record_file, self._line_file):  # records first: a line needs its record on disk
            os.fsync(file.fileno())
        self._synced = time.monotonic()

    def _read(self) -> None:
        """Read the lines whose checksums, and those of their records, are right."""
        self._line_file.seek(0)
        line, start = b"\n", 0
        for line in self._line_file:
            if (entry := _entry(line, self._record_file)) is not None:
                self.entries.put(entry.url, start, len(line))
            start += len(line)
        if not line.endswith(b"\n"):
            self._line_file.write(b"\n")  # so that the torn line does not merge with the next


def _entry(line: bytes, records: BinaryIO) -> UrlOutcome | None:
    """Return the outcome in a line, or None if the line or its record is damaged."""
    checksum, _, line = line.removesuffix(b"\n").partition(b" ")
    if checksum != b"%08x" % zlib.crc32(line):
        return None
    checksum, _, content = line.partition(b" ")
    try:
        entry = UrlOutcome.model_validate_json(content)
    except ValueError:  # written by another version of this code
        return None
    records.seek(entry.offset)
    return entry if checksum == b"%08x" % zlib.crc32(records.read(entry.length)) else None


@dataclass(frozen=True)
class FormerVersion:
    """The pages of an earlier journal, or none if nothing was crawled before."""

    journal: Journal | None

    def entry(self, url: str) -> UrlOutcome | None:
        """Return the outcome of a URL, if any."""
        return self.journal.entries.get(url) if self.journal else None

    def conditions(self, url: str) -> dict[str, str]:
        """Return headers for requesting a page only if it has changed; none if it has no record."""
        entry = self._recorded(url)
        found = {"If-None-Match": entry.etag, "If-Modified-Since": entry.last_modified} if entry else {}
        return {name: value for name, value in found.items() if value}

    def unchanged(self, url: str) -> tuple[UrlOutcome, bytes]:
        """Return the earlier outcome and record of a page that has not changed.

        Raises LookupError if it has no record.
        """
        if (entry := self._recorded(url)) is None:
            raise LookupError(f"{url}: unchanged")
        return entry.model_copy(update={"unchanged": True}), self._record(entry)

    def as_it_was(self, url: str) -> tuple[UrlOutcome, bytes]:
        """Return the earlier outcome and record of a page that cannot be requested again."""
        entry = self.entry(url)
        if entry is None:
            return UrlOutcome(url=url, fate="rejected", cause="what lists it cannot be read again"), b""
        copied = self.entry(entry.copy_of)
        if copied is None or copied.fate != "fetched":
            return entry, self._record(entry)
        # Its record is that of the other page, which may be missing now.
        return entry.model_copy(update={"fate": "fetched", "cause": "", "detail": ""}), self._record(copied)

    def compared(self, entry: UrlOutcome, record: bytes) -> tuple[UrlOutcome, bytes]:
        """Return the outcome and record of a fetched page, or the earlier ones if it has not changed."""
        former = self.entry(entry.url)
        if former is None or (former.digest, former.final_url) != (entry.digest, entry.final_url):
            return entry, record
        if self._recorded(entry.url) is None:  # it was a duplicate of another page
            return entry.model_copy(update={"unchanged": True}), record
        told = {name: getattr(entry, name) for name in ("etag", "last_modified", "about")}
        former, record = self.unchanged(entry.url)
        return former.model_copy(update=told), record

    def _record(self, entry: UrlOutcome) -> bytes:
        return self.journal.record(entry) if self.journal else b""

    def _recorded(self, url: str) -> UrlOutcome | None:
        """Return the outcome of a page that has a record, or was left out because it had not changed."""
        entry = self.entry(url)
        recorded = entry is not None and (entry.fate == "fetched" or entry.cause == UNCHANGED)
        return entry if recorded else None


_PUBLISHED = "*-[0-9]*.jsonl"


def listed_digest(urls: Iterable[str]) -> str:
    """Return the hash of the listed URLs."""
    return hashlib.sha256("\n".join(urls).encode()).hexdigest()[:32]


def published_head(options: CrawlOptions, listed: str) -> bytes:
    """Return the first line of a published file: digests of the options and of the list."""
    return _journal_line({"options": options.digest, "listed": listed})


def published_line(unit: str, file: str, entry: UrlOutcome) -> bytes:
    """Return the published line of a unit. `file` has its record, or is ""."""
    return _journal_line({"unit": unit, "file": file, **entry.model_dump(exclude_defaults=True)})


def asked_units(folder: Path, besides: Collection[str]) -> Iterator[str]:
    """Yield the units of a published crawl that it found itself, without the listed ones in `besides`.

    `folder` has its files.
    """
    listed = frozenset(besides)
    for path in sorted(folder.glob(_PUBLISHED)):
        units = (line["unit"] for line in islice(_published_lines(path), 1, None))
        yield from (unit for unit in units if unit not in listed)


def searched(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the ids of the rows for which a published crawl searched, each with its queries.

    `folder` has its files. Such a row is listed by its id (cited.py).
    """
    for path in sorted(folder.glob(_PUBLISHED)):
        for line in islice(_published_lines(path), 1, None):
            if line["unit"] == line["url"]:
                yield line["url"], line.get("links", [])


def take_over(
    published: Path, name: str, options: CrawlOptions, urls: Collection[str], journal: Journal
) -> None:
    """Add to a journal what an earlier crawl, with files in `published`, has fetched beyond it.

    Nothing is added if the earlier crawl had other options.

    `urls` are the current list. Of pages with the same bytes, only one has a record: a duplicate is skipped
    if the list has changed and no longer has that page. A page that was dropped as unchanged is
    skipped if it is to be kept now.
    """
    listed = listed_digest(urls)
    for path in sorted(published.glob(f"{name}-[0-9]*.jsonl")):
        lines = _published_lines(path)
        first = next(lines)
        if first["options"] != options.digest:
            return
        for line in lines:
            file = line.pop("file")
            del line["unit"]
            entry = UrlOutcome.model_validate(line)
            gone = bool(entry.copy_of) and first.get("listed") != listed and entry.copy_of not in urls
            gone = gone or (entry.cause == UNCHANGED and options.unchanged == "keep")
            if entry.url not in journal.entries and not gone:
                journal.add(entry, _published_record(published / file, entry) if file else b"")


def _published_record(path: Path, entry: UrlOutcome) -> bytes:
    with path.open("rb") as file:
        file.seek(entry.offset)
        return file.read(entry.length)


def _published_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the lines of a file, with one in memory at a time."""
    with path.open("rb") as file:
        yield from map(json.loads, file)


def _journal_line(content: dict[str, Any]) -> bytes:
    return json.dumps(content, sort_keys=True).encode() + b"\n"
