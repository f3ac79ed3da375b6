"""Fetch the captures of addresses into the journal of a crawl.

Belongs here: the outcome of each address, and reading the WARC records of captures as ranges of files. Not
here: finding captures (index.py), where the files are (places.py).
"""

from __future__ import annotations

import hashlib
import sys
import zlib
from base64 import b32encode
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from silverloom.ops.core.periods import ALL
from silverloom.ops.crawl.addresses import AddressPolicy, AddressRefusedError
from silverloom.ops.crawl.captures.index import Capture, IndexQuery, keys_of
from silverloom.ops.crawl.captures.places import (
    CaptureOptions,
    FolderPlace,
    RangedPlace,
    is_below,
    listed_files,
    place_of,
)
from silverloom.ops.crawl.client import Client, FetchError
from silverloom.ops.crawl.collect import cause_of
from silverloom.ops.crawl.frontier import Frontier
from silverloom.ops.crawl.journal import FormerVersion, Journal, UrlOutcome
from silverloom.ops.parse.bounded import Bounds, child_of
from silverloom.ops.parse.source import ParseError
from silverloom.ops.parse.warc import message, only_record

#: Why an address has no page: it is not in the index, has no good capture there, or none in the period.
NOT_IN_INDEX, NO_GOOD_CAPTURE, NOT_IN_PERIOD = "not_in_index", "no_good_capture", "not_in_period"


class CapturePlace(NamedTuple):
    """Folders of a crawl of captures."""

    folder: Path
    """The results of the index lookup are stored here, so that an interrupted run need not repeat it."""
    root: Path
    """Where relative paths in params.yaml start."""
    digest: str
    """Digest of the crawl's options."""


def fetch_captures(
    articles: Sequence[str],
    period: str,
    options: CaptureOptions,
    at: CapturePlace,
    journal: Journal,
    former: FormerVersion,
    tell: Callable[[int, int], None],
) -> None:
    """Fetch the captures of what `articles` cite, except for addresses with an outcome in the journal.

    Articles are listings in the journal. Raises FetchError if the index is not available.
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
    client.most_bytes = sys.maxsize  # each range has its own limit
    lookup = IndexQuery(
        at.folder, [url for url in wanted if url in left], _period(period, options), at.digest
    )
    captures, faults = lookup.captures(place, names, lambda: tell(done, frontier.asked))
    unread = "; ".join(f"{name} of the index cannot be read: {cause}" for name, cause in faults.items())

    warcs = place_of(options.files, client, at.root)

    def good() -> Iterator[Capture]:
        for capture in captures:
            if capture.url not in left:  # an interrupted run has its outcome already
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
    place: RangedPlace, warc_spans: Iterable[WarcSpan], threads: int
) -> Iterator[tuple[WarcSpan, bytes | FetchError]]:
    """Yield spans in order, each with its bytes or an error; up to `threads` are requested at once."""

    def read(span: WarcSpan) -> bytes | FetchError:
        try:
            return place.read(span.file, span.offset, span.length)
        except FetchError as error:
            return error

    waiting: deque[tuple[WarcSpan, Future[bytes | FetchError]]] = deque()
    with ThreadPoolExecutor(threads) as executor:
        for span in warc_spans:
            waiting.append((span, executor.submit(read, span)))
            if len(waiting) == threads:
                first, content = waiting.popleft()
                yield first, content.result()
        for first, content in waiting:
            yield first, content.result()


def _refused(urls: Sequence[str], policy: AddressPolicy) -> Iterator[tuple[str, str]]:
    """Yield addresses that may not be requested, and why; they are not looked up."""
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
    """Return the place of the index, and its files to read. Raises FetchError without any files."""
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
            name: pieces
            for name, pieces in parts.items()
            if part in pieces or (kind == "subset" and not any(said.startswith("subset=") for said in pieces))
        }
    if not parts:
        of = f" of crawl={options.crawl}" if options.crawl else ""
        raise FetchError(f"{options.index}: it has no Parquet files{of} of subset=warc")
    return place, [*parts]


def _lost(capture: Capture, options: CaptureOptions, period: str, unread: str) -> UrlOutcome | None:
    """Return the outcome of an address whose capture is not fetched, or None if it is."""
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


#: Maximum bytes between two records of one request, which are read and discarded; and of the whole request.
_GAP, _TOGETHER = 2**18, 2**24
#: Bytes of a record in addition to the page: WARC head and HTTP head.
_HEAD = 2**17
_BOUNDS = Bounds(seconds=10)


class WarcSpan(NamedTuple):
    """Bytes of a WARC file to request at once, and the captures in them."""

    file: str
    offset: int
    length: int
    captures: list[Capture]


class Opened(NamedTuple):
    """A parsed response record."""

    url: str
    status: int
    content_type: str
    body: str
    """The body as a string of one character per byte, which JSON can hold."""


def spans(captures: Iterable[Capture], gap: int = _GAP, together: int = _TOGETHER) -> Iterator[WarcSpan]:
    """Yield the spans that contain the captures, which must be sorted by file and offset.

    A span includes the next record if at most `gap` bytes separate them and the span stays within `together`
    bytes.
    """
    span: WarcSpan | None = None
    for capture in captures:
        best = _best(capture)
        file, offset, end = best["file"], best["offset"], best["offset"] + best["length"]
        if (
            span is not None
            and span.file == file
            and span.offset <= offset <= span.offset + span.length + gap
        ):
            length = max(span.length, end - span.offset)
            if length <= together:
                span.captures.append(capture)
                span = span._replace(length=length)
                continue
        if span is not None:
            yield span
        span = WarcSpan(file, offset, end - offset, [capture])
    if span is not None:
        yield span


def of_span(span: WarcSpan, content: bytes, capture: Capture) -> bytes:
    """Return the bytes of a capture from those of its span."""
    begin = _best(capture)["offset"] - span.offset
    return content[begin : begin + _best(capture)["length"]]


def record_of(capture: Capture, member: bytes, options: CaptureOptions) -> tuple[UrlOutcome, bytes]:
    """Return the outcome of an address, and its record, which is Common Crawl's, byte for byte.

    If the crawl has a fixed clock, the record is decompressed, like all records then. Raises ParseError if
    the bytes are not a response from the address in the index.
    """
    best = _best(capture)
    most = options.page_bytes + _HEAD
    record = _unpacked(member, most)
    if record is None:
        detail = f"more than {options.page_bytes} bytes"
        return UrlOutcome(url=capture.url, fate="dropped", cause="size", detail=detail), b""
    opened = child_of(_BOUNDS).call(open_record, record, most)
    if opened.url != best["found"]:
        raise ParseError(f"the record is of another address: {opened.url[:200]}")
    if opened.status != 200:
        raise ParseError(f"the record has the status {opened.status}")
    body = opened.body.encode("latin-1")
    about = {"warc": f"{best['file']}#bytes={best['offset']}-{best['offset'] + best['length'] - 1}"}
    if best["truncated"]:
        about["truncated"] = best["truncated"]
    entry = UrlOutcome(
        url=capture.url,
        fate="fetched",
        final_url=best["found"],
        status=opened.status,
        content_type=opened.content_type,
        bytes=len(body),
        digest=f"sha1:{b32encode(hashlib.sha1(body, usedforsecurity=False).digest()).decode()}",
        date=best["time"],
        about=about,
    )
    return entry, member if options.clock is None else record


def open_record(record: bytes, most: int) -> Opened:
    """Return a parsed record. Raises ParseError if it is not a response."""
    parsed = only_record(record, "the record", most)
    if parsed.error is not None:
        raise ParseError(parsed.error)
    if parsed.companions["type"] != "response":
        raise ParseError(f"a record of the type {parsed.companions['type']!r}, and no response")
    answer = message(parsed.content)
    return Opened(parsed.companions["url"], answer.status, answer.content_type, answer.body.decode("latin-1"))


def _unpacked(member: bytes, most: int) -> bytes | None:
    """Decompress a gzip member; None if it is larger than `most`. Raises ParseError if it is invalid."""
    unpacking = zlib.decompressobj(31)
    try:
        record = unpacking.decompress(member, most)
    except zlib.error as error:
        raise ParseError(f"no packed record: {error}") from None
    if unpacking.unconsumed_tail:
        return None
    if not unpacking.eof:
        raise ParseError("the record is cut short")
    if unpacking.unused_data:
        raise ParseError("there are several records where the index names one")
    return record


def _best(capture: Capture) -> Any:
    if capture.best is None:
        raise FetchError(f"{capture.url} has no capture")
    return capture.best
