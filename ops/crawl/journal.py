"""What a crawl has fetched so far: lines in a journal, and the records that they point to.

Belongs here: the folder of a crawl that is under way, which survives Ctrl-C, kill -9 and a torn last line.
Not here: what becomes of it in the end (outcomes.py).

Two files: `journal.jsonl`, a line for each URL that has an outcome, and `records.warc`, to which records are
appended before their line is. A power cut may lose lines; what they told of is then asked for again.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

_LINES, _RECORDS, _OPTIONS = "journal.jsonl", "records.warc", "options"


#: Why a page is dropped that is the same as when it was last asked for.
UNCHANGED = "unchanged"


class UrlOutcome(BaseModel):
    """The outcome of one URL that was asked for, as the network gave it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    url: str
    fate: Literal["fetched", "listing", "dropped", "rejected"]
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
    """Of a page whose links are followed: those that match, in the order of the page, each once.

    Of a listing: the addresses of its items."""
    about: Mapping[str, str] = {}
    """What a collection's listing says of an item."""
    offset: int = 0
    length: int = 0

    @property
    def conditions(self) -> dict[str, str]:
        """The headers that ask for a page on condition that it changed."""
        found = {"If-None-Match": self.etag, "If-Modified-Since": self.last_modified}
        return {name: value for name, value in found.items() if value}


class Journal:
    """The journal of one crawl, read as it was left; under other options than before, it is empty."""

    def __init__(self, folder: Path, options: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._lines, self._records = folder / _LINES, folder / _RECORDS
        mark = folder / _OPTIONS
        if not mark.exists() or mark.read_text() != options:
            for path in (self._lines, self._records):
                path.unlink(missing_ok=True)
            mark.write_text(options)
        self.entries: dict[str, UrlOutcome] = {}
        self._read()
        self._line_file = self._lines.open("ab")
        self._record_file = self._records.open("a+b")

    def close(self) -> None:
        """Close the files."""
        self._line_file.close()
        self._record_file.close()

    def add(self, entry: UrlOutcome, record: bytes = b"") -> None:
        """Append the outcome of a URL, and first the record that it points to."""
        if record:
            end = self._record_file.seek(0, os.SEEK_END)
            entry = entry.model_copy(update={"offset": end, "length": len(record)})
            self._record_file.write(record)
            self._record_file.flush()
        self._line_file.write(entry.model_dump_json(exclude_defaults=True).encode() + b"\n")
        self._line_file.flush()
        self.entries[entry.url] = entry

    def record(self, entry: UrlOutcome) -> bytes:
        """Return the record of a page that was fetched."""
        self._record_file.seek(entry.offset)  # what is appended goes to the end all the same
        return self._record_file.read(entry.length)

    def _read(self) -> None:
        """Read the lines up to the first that is torn or points to nothing, and cut both files there."""
        end, records = 0, 0
        size = self._records.stat().st_size if self._records.exists() else 0
        for line in self._whole_lines():
            try:
                entry = UrlOutcome.model_validate_json(line)
            except ValueError:
                break
            if entry.offset + entry.length > size:
                break
            self.entries[entry.url] = entry
            end += len(line)
            records = max(records, entry.offset + entry.length)
        for path, length in ((self._lines, end), (self._records, records)):
            if path.exists():
                with path.open("r+b") as file:
                    file.truncate(length)

    def _whole_lines(self) -> Iterator[bytes]:
        if self._lines.exists():
            with self._lines.open("rb") as file:
                yield from (line for line in file if line.endswith(b"\n"))
