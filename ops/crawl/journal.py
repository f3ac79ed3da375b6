"""What a crawl has fetched so far: lines in a journal, and the records that they point to.

Belongs here: the folder of a crawl that is under way, which survives Ctrl-C, kill -9, a power cut and damage.
Not here: what becomes of it in the end (outcomes.py).

Two files: `journal.jsonl`, a line for each URL that has an outcome, and `records.warc`, to which records are
appended before their line is. A line begins with the checksums of itself and its record. Where these are not
theirs, the line counts as not written, and its URL is asked for again. In memory are the places of lines:
what they hold, above all links, may be more than fits there.
"""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

LINES, _RECORDS, OPTIONS = "journal.jsonl", "records.warc", "options"
#: The files of a journal; OPTIONS holds the digest of the options that it is kept under.
FILES = (LINES, _RECORDS, OPTIONS)

#: Seconds of a crawl that a power cut may cost. To wait for the disk at every page would slow the crawl down.
_SYNC_EVERY = 2.0

#: Why a page is dropped that is the same as when it was last asked for.
UNCHANGED = "unchanged"
#: What `about` of a page says where its links could not be read: why.
LINKS_NOT_READ = "links_not_read"
#: How the detail of a copy begins, in front of the URL that it copies.
SAME_BYTES = "the same bytes as "


Fate: TypeAlias = Literal["fetched", "listing", "dropped", "rejected"]


class UrlOutcome(BaseModel):
    """The outcome of one URL that was asked for, as the network gave it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    url: str
    fate: Fate
    cause: str = ""
    """The reason of a dropped one, the error of a rejected one."""
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
    """Of a page: its links that may be followed, in the order of the page, each once.

    Of a listing: the addresses of its items."""
    about: Mapping[str, str] = {}
    """What a collection's listing says of an item; of a page, that its links could not be read."""
    offset: int = 0
    length: int = 0

    @property
    def copy_of(self) -> str:
        """The URL of the page with the same bytes whose record stands for it; empty where it has its own."""
        return self.detail.removeprefix(SAME_BYTES) if self.detail.startswith(SAME_BYTES) else ""

    def without_record(self, reason: str, detail: str) -> UrlOutcome:
        """Return the outcome of a page that was fetched and is dropped."""
        lost = {"fate": "dropped", "cause": reason, "detail": detail, "offset": 0, "length": 0}
        return self.model_copy(update=lost)


#: Bytes of a line before its outcome: two checksums.
_CHECKSUMS = 18


class JournalEntries(Mapping[str, UrlOutcome]):
    """The outcomes of a journal by URL, each read from its file when it is asked for."""

    def __init__(self, lines: BinaryIO) -> None:
        self._lines = lines
        self._places: dict[str, tuple[int, int]] = {}

    def put(self, url: str, start: int, length: int) -> None:
        """Let a URL have the outcome of the line that begins there, so long with its end."""
        self._places[url] = (start + _CHECKSUMS, length - _CHECKSUMS)

    def __getitem__(self, url: str) -> UrlOutcome:
        start, length = self._places[url]
        self._lines.seek(start)  # what is appended goes to the end all the same
        return UrlOutcome.model_validate_json(self._lines.read(length))

    def __contains__(self, url: object) -> bool:
        return url in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class Journal:
    """The journal of one crawl, read as it was left; under other options than before, it is empty."""

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
        """Write to disk what is not there yet, and close the files."""
        self._sync()
        self._line_file.close()
        self._record_file.close()

    def add(self, entry: UrlOutcome, record: bytes = b"") -> None:
        """Append the outcome of a URL, and first the record that it points to."""
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
        """Return the record of a page that was fetched."""
        self._record_file.seek(entry.offset)  # what is appended goes to the end all the same
        return self._record_file.read(entry.length)

    def _sync(self) -> None:
        for file in (self._record_file, self._line_file):  # no line is on disk without its record
            os.fsync(file.fileno())
        self._synced = time.monotonic()

    def _read(self) -> None:
        """Read the lines that are as they were written, with their records."""
        self._line_file.seek(0)
        line, start = b"\n", 0
        for line in self._line_file:
            if (entry := _entry(line, self._record_file)) is not None:
                self.entries.put(entry.url, start, len(line))
            start += len(line)
        if not line.endswith(b"\n"):
            self._line_file.write(b"\n")  # what is torn stays a line of its own


def _entry(line: bytes, records: BinaryIO) -> UrlOutcome | None:
    """Return what a line says, None where it or its record is not as it was written."""
    checksum, _, line = line.removesuffix(b"\n").partition(b" ")
    if checksum != b"%08x" % zlib.crc32(line):
        return None
    checksum, _, content = line.partition(b" ")
    try:
        entry = UrlOutcome.model_validate_json(content)
    except ValueError:  # written by another version of the project
        return None
    records.seek(entry.offset)
    return entry if checksum == b"%08x" % zlib.crc32(records.read(entry.length)) else None
