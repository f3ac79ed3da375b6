"""Fetch the captures of what articles cite into the journal of a crawl.

Belongs here: what becomes of each address. Not here: finding captures (index.py), reading them (records.py).
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from ops.crawl.addresses import AddressPolicy, AddressRefusedError
from ops.crawl.captures.index import Capture, Lookup
from ops.crawl.captures.keys import keys_of
from ops.crawl.captures.options import CaptureOptions
from ops.crawl.captures.places import FolderPlace, RangedPlace, is_below, listed_files, place_of
from ops.crawl.captures.records import WarcSpan, of_span, record_of, spans
from ops.crawl.client import Client, FetchError
from ops.crawl.frontier import Frontier
from ops.crawl.journal import Journal, UrlOutcome
from ops.crawl.listing import cause_of
from ops.crawl.recrawl import FormerVersion
from ops.parse.source import ParseError
from ops.periods import ALL

#: Why an address has no page: the index does not know it, has no good capture of it, or none of the period.
NOT_IN_INDEX, NO_GOOD_CAPTURE, NOT_IN_PERIOD = "not_in_index", "no_good_capture", "not_in_period"


class CapturePlace(NamedTuple):
    """Where a crawl of captures works."""

    folder: Path
    """What was found in the index stays there, so that a run that was cut short looks up nothing again."""
    root: Path
    """What relative paths of params.yaml begin at."""
    digest: str
    """Of the options of the crawl."""


def fetch_captures(
    articles: Sequence[str],
    period: str,
    options: CaptureOptions,
    at: CapturePlace,
    journal: Journal,
    former: FormerVersion,
    tell: Callable[[int, int], None],
) -> None:
    """Fetch the captures of what `articles` cite, but for addresses that the journal has an outcome of.

    Articles are listings of the journal. Raises FetchError for an index that cannot be had.
    """
    frontier = Frontier(articles, options, journal.entries)
    wanted = [page.url for level in frontier.levels() for page in level if page.url not in journal.entries]
    done = frontier.asked - len(wanted)

    def add(entry: UrlOutcome, record: bytes = b"") -> None:
        nonlocal done
        journal.add(entry, record)
        done += 1
        tell(done, frontier.asked)

    tell(done, frontier.asked)
    policy = AddressPolicy(options.allow)
    for url, cause in _refused(wanted, policy):
        add(UrlOutcome(url=url, fate="rejected", cause=cause))
    left = {url for url in wanted if url not in journal.entries}
    if not left:
        return

    client = Client.of(options, options.listing_bytes)
    place, names = _index(options, client, at.root)
    client.most_bytes = sys.maxsize  # ranges are bounded one by one
    lookup = Lookup(at.folder, [url for url in wanted if url in left], _period(period, options), at.digest)
    found, faults = lookup.captures(place, names, lambda: tell(done, frontier.asked))
    unread = "; ".join(f"{name} of the index cannot be read: {cause}" for name, cause in faults.items())

    warcs = place_of(options.files, client, at.root)

    def good() -> Iterator[Capture]:
        for capture in found:
            if capture.url not in left:  # of a run that was cut short, which has its outcome
                continue
            entry = _lost(capture, options, lookup.period, unread)
            if entry is None:
                yield capture
            else:
                add(entry)

    for span, content in _read_ahead(warcs, spans(good()), options.host_connections):
        for capture in span.captures:
            if isinstance(content, FetchError):
                add(UrlOutcome(url=capture.url, fate="rejected", cause=str(content)))
            else:
                add(*_outcome(capture, of_span(span, content, capture), options, former))


def _read_ahead(
    place: RangedPlace, found: Iterable[WarcSpan], threads: int
) -> Iterator[tuple[WarcSpan, bytes | FetchError]]:
    """Yield spans with their bytes, or why these cannot be had, in order; `threads` are asked for at once."""

    def read(span: WarcSpan) -> bytes | FetchError:
        try:
            return place.read(span.file, span.offset, span.length)
        except FetchError as error:
            return error

    waiting: deque[tuple[WarcSpan, Future[bytes | FetchError]]] = deque()
    with ThreadPoolExecutor(threads) as executor:
        for span in found:
            waiting.append((span, executor.submit(read, span)))
            if len(waiting) == threads:
                first, content = waiting.popleft()
                yield first, content.result()
        for first, content in waiting:
            yield first, content.result()


def _refused(urls: Sequence[str], policy: AddressPolicy) -> Iterator[tuple[str, str]]:
    """Yield the addresses that are none of a public host, and why: no capture of them is looked for."""
    for url in urls:
        try:
            policy.check_url(url)
            keys_of(url)
        except AddressRefusedError as error:
            yield url, str(error)
        except ValueError as error:
            yield url, f"no URL: {error}"


def _period(period: str, options: CaptureOptions) -> str:
    return "" if period == ALL or options.crawl else period


def _index(options: CaptureOptions, client: Client, root: Path) -> tuple[RangedPlace, list[str]]:
    """Return the place of the index, and the files of it that are read. Raises FetchError without any."""
    place: RangedPlace
    if options.index.startswith(("http://", "https://")):
        names = listed_files(options.index, client, options.listing_bytes)
        place = place_of(options.files, client, root)
    else:
        folder = place_of(options.index, client, root)
        names = folder.files() if isinstance(folder, FolderPlace) else []
        place = folder
    parts = {name: {*name.split("/")} for name in names}
    for part in filter(None, ["subset=warc", options.crawl and f"crawl={options.crawl}"]):
        kind = part.partition("=")[0]
        parts = {
            name: found
            for name, found in parts.items()
            if part in found or (kind == "subset" and not any(said.startswith("subset=") for said in found))
        }
    if not parts:
        of = f" of crawl={options.crawl}" if options.crawl else ""
        raise FetchError(f"{options.index}: it has no Parquet files{of} of subset=warc")
    return place, [*parts]


def _lost(capture: Capture, options: CaptureOptions, period: str, unread: str) -> UrlOutcome | None:
    """Return the outcome of an address whose capture is not asked for, None where it is."""
    best = capture.best
    if best is None and unread:
        return UrlOutcome(url=capture.url, fate="rejected", cause=unread)
    if best is None and capture.elsewhen is not None:
        return _dropped(capture, NOT_IN_PERIOD, f"its last good capture is of {capture.elsewhen}")
    if best is None and capture.status is not None:
        return _dropped(capture, NO_GOOD_CAPTURE, f"status {capture.status}")
    if best is None:
        return _dropped(
            capture, NOT_IN_INDEX, f"{options.index}{f', captures of {period}' if period else ''}"
        )
    offset, length = best["offset"], best["length"]
    if not is_below(best["file"] or "") or offset is None or length is None or offset < 0 or length < 1:
        named = f"{best['file']!r:.100}, byte {offset}, length {length}"
        return UrlOutcome(url=capture.url, fate="rejected", cause=f"the index names no record: {named}")
    if length > options.page_bytes:
        return _dropped(capture, "size", f"more than {options.page_bytes} bytes")
    return None


def _dropped(capture: Capture, reason: str, detail: str) -> UrlOutcome:
    return UrlOutcome(url=capture.url, fate="dropped", cause=reason, detail=detail)


def _outcome(
    capture: Capture, member: bytes, options: CaptureOptions, former: FormerVersion
) -> tuple[UrlOutcome, bytes]:
    try:
        return former.compared(*record_of(capture, member, options))
    except ParseError as error:
        cause = str(error)
    except Exception as error:
        cause = cause_of(error)
    best = capture.best or {}
    return UrlOutcome(url=capture.url, fate="rejected", cause=f"{best.get('file')}: {cause}"), b""
