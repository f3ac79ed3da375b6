"""Fetch the items that collections list, one by one, into the journal of a crawl.

Belongs here: the loop over items and its limits; listing the lines of a list, which is recorded before any
item is fetched; the limit of one line's listing. Not here: web pages (spider.py), searches (search.py), the
collections themselves (collections/).
"""

from __future__ import annotations

import datetime
import mimetypes
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from urllib.parse import urlsplit

from silverloom.ops.crawl.client import Client, FetchError, UnchangedError
from silverloom.ops.crawl.collections.item import Collection, Item
from silverloom.ops.crawl.collections.kinds import KINDS, CollectionOptions
from silverloom.ops.crawl.frontier import Frontier
from silverloom.ops.crawl.journal import FormerVersion, Journal, UrlOutcome
from silverloom.ops.crawl.warc import resource_record
from silverloom.ops.parse.bounded.bounds import TooLongError, computing_at_most

#: MIME types by name, the same on every system.
_TYPES = mimetypes.MimeTypes()


def collect(
    kind: str,
    lines: Sequence[str],
    month: str,
    options: CollectionOptions,
    journal: Journal,
    tell: Callable[[int, int], None],
    former: FormerVersion,
) -> None:
    """Fetch the items of a month that each line lists, except those with an outcome in the journal.

    Items of the `former` version are requested only if they have changed. An item that cannot be fetched
    affects no other. If a line cannot be listed again, its items do not change.
    """
    client = Client.of(options, options.listing_bytes)
    listed_items: dict[str, tuple[Collection, Item]] = {}

    def addresses(line: str) -> Iterable[str]:
        collection = KINDS[kind].collection(client, line, month, options.own())
        items = {item.address: (collection, item) for item in collection.items(month)}
        listed_items.update(items)
        return items

    list_lines([line for line in lines if not _through(line, journal)], addresses, journal, former, tell)
    client.most_bytes = sys.maxsize  # each item has its own limit
    frontier = Frontier(lines, options, journal.entries)
    for level in frontier.levels():
        urls = [page.url for page in level if page.url not in journal.entries]
        for done, url in enumerate(urls, frontier.asked - len(urls) + 1):
            journal.add(*_outcome(client, url, listed_items.get(url), options, former))
            tell(done, frontier.asked)


def _through(line: str, journal: Journal) -> bool:
    """Say whether a line was listed and all its items have outcomes."""
    entry = journal.entries.get(line)
    return entry is not None and entry.fate == "listing" and journal.entries.keys() >= {*entry.links}


def _outcome(
    client: Client,
    url: str,
    place: tuple[Collection, Item] | None,
    options: CollectionOptions,
    former: FormerVersion,
) -> tuple[UrlOutcome, bytes]:
    """Return the outcome and record of an item; `place` is None if its line could not be listed again."""
    try:
        if place is None:
            return former.as_it_was(url)
        try:
            return former.compared(*_fetched(client, *place, options, former.conditions(url)))
        except UnchangedError:
            return former.unchanged(url)
    except Exception as error:
        return UrlOutcome(url=url, fate="rejected", cause=cause_of(error)), b""


def _fetched(
    client: Client,
    collection: Collection,
    item: Item,
    options: CollectionOptions,
    conditions: Mapping[str, str],
) -> tuple[UrlOutcome, bytes]:
    """Fetch an item; return its outcome and its record. Raises any exception of the libraries."""
    url, content = item.address, bytearray()
    client.validators = {}
    for chunk in collection.content(item, conditions):
        content += chunk
        if len(content) > options.page_bytes:
            detail = f"more than {options.page_bytes} bytes"
            return UrlOutcome(url=url, fate="dropped", cause="size", detail=detail), b""
    date = options.clock or f"{datetime.datetime.now(datetime.UTC):%Y-%m-%dT%H:%M:%SZ}"
    kind = _content_type(url)
    record, digest = resource_record(url, bytes(content), date, options.clock is None, kind)
    entry = UrlOutcome(
        url=url,
        fate="fetched",
        final_url=url,
        status=200,
        content_type=kind,
        bytes=len(content),
        digest=digest,
        date=date,
        about={name: text.encode(errors="replace").decode() for name, text in item.about.items()},
        **client.validators,
    )
    return entry, record


def _content_type(address: str) -> str:
    """Return the content type implied by an item's name."""
    kind, packing = _TYPES.guess_type(urlsplit(address).path)
    return "application/octet-stream" if kind is None or packing else kind


#: CPU seconds for listing one line.
SECONDS = 600


def list_lines(
    lines: Sequence[str],
    addresses: Callable[[str], Iterable[str]],
    journal: Journal,
    former: FormerVersion,
    tell: Callable[[int, int], None],
) -> None:
    """Record the addresses that each line lists.

    A line that cannot be listed affects no other, and keeps its earlier listing. `tell` is called with the
    number of lines and addresses done, and of those known.
    """
    for number, line in enumerate(lines, start=1):
        try:
            with computing_at_most(SECONDS):
                links = tuple(addresses(line))
            "".join(links).encode()  # raises for lone surrogates, which cannot be written
        except Exception as error:  # any library error about a malformed response
            journal.add(_not_listed(line, cause_of(error), journal, former))
        else:
            journal.add(UrlOutcome(url=line, fate="listing", links=links))
        done = len(journal.entries)
        tell(done, done + len(lines) - number)


def _not_listed(line: str, cause: str, journal: Journal, former: FormerVersion) -> UrlOutcome:
    """Return the outcome of a line that cannot be listed, with its earlier items if any."""
    entry = journal.entries.get(line) or former.entry(line)
    if entry is None or entry.fate != "listing":
        return UrlOutcome(url=line, fate="rejected", cause=cause)
    return entry.model_copy(update={"cause": f"{cause}; its {len(entry.links)} items are kept"})


def cause_of(error: Exception) -> str:
    """Return an error's message in a form that can be encoded."""
    if isinstance(error, MemoryError):
        return "what was answered takes too much memory"
    told = isinstance(error, (FetchError, LookupError, TooLongError))
    cause = str(error) if told else f"{type(error).__name__}: {error}"
    return cause.encode(errors="replace").decode()
