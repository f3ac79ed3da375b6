"""What a published crawl tells the next one: the outcome of each URL, in files beside its rows.

Belongs here: writing and reading `<crawl>-00000.jsonl`. Not here: the journal of a crawl that is under way
(journal.py).

A crawl that is made again, for whatever reason, takes from here what it would else ask for: the web is asked
again only on demand.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from ops.crawl.journal import UNCHANGED, Journal, UrlOutcome
from ops.crawl.options import CrawlOptions

_PATTERN = "*-[0-9]*.jsonl"


def listed_digest(urls: Iterable[str]) -> str:
    """Return the hash of what was listed."""
    return hashlib.sha256("\n".join(urls).encode()).hexdigest()[:32]


def published_head(options: CrawlOptions, listed: str) -> bytes:
    """Return the first line of a file: under which options it was asked, and for which list."""
    return _line({"options": options.digest, "listed": listed})


def published_line(unit: str, file: str, entry: UrlOutcome) -> bytes:
    """Return the line of a unit. `file` holds the record that the entry points to; empty without one."""
    return _line({"unit": unit, "file": file, **entry.model_dump(exclude_defaults=True)})


def asked_units(folder: Path, besides: Collection[str]) -> Iterator[str]:
    """Yield the units of a published crawl that it found itself, besides those that were listed.

    `folder` is that of its files.
    """
    listed = frozenset(besides)
    for path in sorted(folder.glob(_PATTERN)):
        units = (line["unit"] for line in islice(_lines(path), 1, None))
        yield from (unit for unit in units if unit not in listed)


def searched(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the rows that a published crawl searched for, by their ids, each with its queries.

    `folder` is that of its files. What is searched for is listed by its id alone (cited.py).
    """
    for path in sorted(folder.glob(_PATTERN)):
        for line in islice(_lines(path), 1, None):
            if line["unit"] == line["url"]:
                yield line["url"], line.get("links", [])


def take_over(
    published: Path, name: str, options: CrawlOptions, urls: Collection[str], journal: Journal
) -> None:
    """Add to a journal what a crawl, whose files were `published`, fetched beyond it.

    Nothing is added if that had other options.

    `urls` are listed now. Of pages with the same bytes one alone has a record: copies are left out where the
    list is another, and does not have that one. So are pages that were dropped as unchanged and are now to be
    kept.
    """
    listed = listed_digest(urls)
    for path in sorted(published.glob(f"{name}-[0-9]*.jsonl")):
        lines = _lines(path)
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
                journal.add(entry, _record(published / file, entry) if file else b"")


def _record(path: Path, entry: UrlOutcome) -> bytes:
    with path.open("rb") as file:
        file.seek(entry.offset)
        return file.read(entry.length)


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the lines of a file, one at a time in memory."""
    with path.open("rb") as file:
        yield from map(json.loads, file)


def _line(content: dict[str, Any]) -> bytes:
    return json.dumps(content, sort_keys=True).encode() + b"\n"
