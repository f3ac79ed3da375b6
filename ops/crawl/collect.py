"""Fetch what collections list, item by item, into the journal of a crawl.

Belongs here: the loop over lines and items, and its bounds. Not here: pages of the web (run.py), the
collections themselves (collections/).
"""

from __future__ import annotations

import datetime
import mimetypes
import sys
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

from ops.crawl.addresses import AddressPolicy
from ops.crawl.client import Client, FetchError, UnchangedError
from ops.crawl.collections.item import Collection, Item
from ops.crawl.collections.kinds import KINDS, CollectionOptions
from ops.crawl.frontier import Frontier
from ops.crawl.journal import UNCHANGED, Journal, UrlOutcome
from ops.crawl.warc import resource_record
from ops.parse.bounded.bounds import TooLongError, computing_at_most

#: What a library raises at an answer that no provider gives: a nest of brackets, an offset of infinity.
_FAULTS = (ValueError, LookupError, ArithmeticError, RecursionError, OSError, MemoryError, TooLongError)

#: Of the processor, for what one line lists.
_SECONDS = 600

#: Of names, the same on every system.
_TYPES = mimetypes.MimeTypes()


def collect(
    kind: str,
    lines: Sequence[str],
    month: str,
    options: CollectionOptions,
    journal: Journal,
    tell: Callable[[int, int], None],
    former: Journal | None = None,
) -> None:
    """Fetch the items of a month that each line lists, but for what the journal has.

    What the `former` journal has is asked for on condition that it changed. A line that cannot be listed,
    and an item that cannot be fetched, costs itself alone.
    """
    client = Client(
        options.user_agent,
        AddressPolicy(options.allow),
        options.timeout,
        options.listing_bytes,
        options.retries,
        options.longest_wait,
        options.delay,
        options.redirects,
    )
    found: dict[str, tuple[Collection, Item]] = {}
    for line in lines:
        collection = KINDS[kind].collection(client, line, month, options.own())
        try:
            with computing_at_most(_SECONDS):
                items = {_address(item): (collection, item) for item in collection.items(month)}
        except _FAULTS as error:
            journal.add(UrlOutcome(url=line, fate="rejected", cause=_cause(error)))
        else:
            journal.add(UrlOutcome(url=line, fate="listing", links=tuple(items)))
            found |= items
    client.most_bytes = sys.maxsize  # items are bounded one by one
    frontier = Frontier(lines, options, journal.entries)
    for level in frontier.levels():
        for page in level:
            if page.url not in journal.entries:
                journal.add(*_fetched(client, *found[page.url], options, former))
            tell(len(journal.entries), frontier.asked)


def _address(item: Item) -> str:
    """Return where an item lies. Raises ValueError where that is no text."""
    item.address.encode()
    return item.address


def _fetched(
    client: Client, collection: Collection, item: Item, options: CollectionOptions, former: Journal | None
) -> tuple[UrlOutcome, bytes]:
    """Return the outcome of an item, and its record."""
    known = former.entries.get(item.address) if former else None
    if known is not None and known.fate != "fetched" and known.cause != UNCHANGED:
        known = None  # its bytes are in no record
    content = bytearray()
    client.validators = {}
    try:
        for chunk in collection.content(item, known.conditions if known else {}):
            content += chunk
            if len(content) > options.page_bytes:
                detail = f"more than {options.page_bytes} bytes"
                return UrlOutcome(url=item.address, fate="dropped", cause="size", detail=detail), b""
    except _FAULTS as error:
        if former and known and isinstance(error, UnchangedError):
            return known.model_copy(update={"unchanged": True}), former.record(known)
        return UrlOutcome(url=item.address, fate="rejected", cause=_cause(error)), b""
    date = options.clock or f"{datetime.datetime.now(datetime.UTC):%Y-%m-%dT%H:%M:%SZ}"
    kind = _content_type(item.address)
    record, digest = resource_record(item.address, bytes(content), date, options.clock is None, kind)
    entry = UrlOutcome(
        url=item.address,
        fate="fetched",
        final_url=item.address,
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
    """Return the type that the name of an item tells."""
    kind, packing = _TYPES.guess_type(urlsplit(address).path)
    return "application/octet-stream" if kind is None or packing else kind


def _cause(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "what was answered takes too much memory"
    told = isinstance(error, (FetchError, LookupError, TooLongError))
    return str(error) if told else f"{type(error).__name__}: {error}"
