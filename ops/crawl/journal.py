"""What a crawl has fetched so far, and reusing an earlier version's results.

Belongs here: the folder of a crawl in progress, which survives Ctrl-C, kill -9 and a power cut;
conditional requests for pages that may have changed; the outcomes of URLs in files published with the rows
of a crawl (`<crawl>-00000.jsonl`). Not here: requests (spider.py, collect.py), the rows (outcomes.py).

A crawl in progress is an SQLite database with a row for each URL that has an outcome: the outcome as JSON,
and the record of its page. A file that cannot be read counts as none: its URLs are requested again.

A crawl that is made again, for whatever reason, reuses the published files as far as possible: the web is
requested again only on demand.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

from silverloom.ops.crawl.options import CrawlOptions

#: The files of a journal; OPTIONS has a digest of its options and of the fields of an outcome.
JOURNAL, OPTIONS = "journal.db", "options"

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


class JournalEntries(Mapping[str, UrlOutcome]):
    """The outcomes of a journal by URL, in the order in which the URLs got one; read from disk on access."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def __getitem__(self, url: str) -> UrlOutcome:
        row = self._database.execute("SELECT outcome FROM outcomes WHERE url = ?", (url,)).fetchone()
        if row is None:
            raise KeyError(url)
        return UrlOutcome.model_validate_json(row[0])

    def __contains__(self, url: object) -> bool:
        return self._database.execute("SELECT 1 FROM outcomes WHERE url = ?", (url,)).fetchone() is not None

    def __iter__(self) -> Iterator[str]:
        return iter([url for (url,) in self._database.execute("SELECT url FROM outcomes ORDER BY rowid")])

    def __len__(self) -> int:
        return int(self._database.execute("SELECT count(*) FROM outcomes").fetchone()[0])


# Without a sync after every page, which would slow the crawl down: a power cut may lose the last outcomes.
_OPEN = """
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    CREATE TABLE IF NOT EXISTS outcomes (url TEXT PRIMARY KEY, outcome TEXT NOT NULL, record BLOB NOT NULL);
"""
_ADD = """
    INSERT INTO outcomes VALUES (?, ?, ?)
    ON CONFLICT (url) DO UPDATE SET outcome = excluded.outcome, record = excluded.record
"""


class Journal:
    """The journal of one crawl, with its earlier entries.

    It starts empty if the options or the fields of an outcome have changed, or if its file cannot be read.
    """

    def __init__(self, folder: Path, options: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        fields = json.dumps([options, UrlOutcome.model_json_schema()])
        digest = hashlib.md5(fields.encode(), usedforsecurity=False).hexdigest()
        mark = folder / OPTIONS
        if not mark.exists() or mark.read_bytes() != digest.encode():
            _remove(folder)
            mark.write_text(digest)
        self._database = _opened(folder)
        self.entries = JournalEntries(self._database)

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def add(self, entry: UrlOutcome, record: bytes = b"") -> None:
        """Store the outcome of a URL, and its record. Raises OSError if the disk is full."""
        entry = entry.model_copy(update={"offset": 0, "length": len(record)})
        try:
            self._database.execute(_ADD, (entry.url, entry.model_dump_json(exclude_defaults=True), record))
        except sqlite3.OperationalError as error:
            raise OSError(str(error)) from error

    def record(self, entry: UrlOutcome) -> bytes:
        """Return the record of a fetched page."""
        row = self._database.execute("SELECT record FROM outcomes WHERE url = ?", (entry.url,)).fetchone()
        return bytes(row[0])


def has_outcomes(file: Path) -> bool:
    """Return whether the file of a journal has outcomes."""
    try:
        with contextlib.closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as database:
            return database.execute("SELECT 1 FROM outcomes LIMIT 1").fetchone() is not None
    except sqlite3.Error:
        return False


def _opened(folder: Path) -> sqlite3.Connection:
    """Return the database of a journal, empty if it could not be read. Raises OSError if the disk is full."""
    try:
        database = sqlite3.connect(folder / JOURNAL, isolation_level=None)
        database.executescript(_OPEN)
        if database.execute("PRAGMA quick_check(1)").fetchone() == ("ok",):
            return database
    except sqlite3.OperationalError as error:
        raise OSError(str(error)) from error
    except sqlite3.DatabaseError:
        pass
    database.close()
    _remove(folder)
    return _opened(folder)


def _remove(folder: Path) -> None:
    for path in folder.glob(f"{JOURNAL}*"):  # with what SQLite writes next to it
        path.unlink()


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
        headers = {"If-None-Match": entry.etag, "If-Modified-Since": entry.last_modified} if entry else {}
        return {name: value for name, value in headers.items() if value}

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
