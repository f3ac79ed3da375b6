"""A crawl from its lists to its rows: results of earlier runs are reused, and only the rest is requested.

Belongs here: the op of the dataset of crawls; lists as a source (text files with a URL, a query, or a
collection's item per line); whether anything needs to be requested; starting and ending the process that
does. Not here: that process (child.py), rows (outcomes.py), crawls of what articles cite (cited.py).
"""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import os
import re
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path, PurePosixPath

import silverloom.ops
from silverloom.ops.core.extras import require
from silverloom.ops.core.outcome import Outcomes
from silverloom.ops.crawl.addresses import AddressPolicy, AddressRefusedError
from silverloom.ops.crawl.captures.places import CaptureOptions
from silverloom.ops.crawl.collections.kinds import KINDS
from silverloom.ops.crawl.frontier import Frontier
from silverloom.ops.crawl.journal import Journal, UrlOutcome, take_over
from silverloom.ops.crawl.options import CAPTURES, SEARCH, URLS, CrawlOptions, CrawlPlace
from silverloom.ops.crawl.outcomes import CrawlParts, Listed
from silverloom.ops.crawl.search import SearchOptions, ranks
from silverloom.ops.parse.lines import lines_of_files
from silverloom.ops.parse.records import Record
from silverloom.ops.parse.scan import Records, SourceError
from silverloom.ops.parse.source import Only, ParseError, Raw, Source

_MONTH = re.compile(r"\d{4}-\d{2}")


def crawl(records: Records, place: CrawlPlace) -> Outcomes:
    """Yield the outcomes of the URLs in a month's lists, and of pages that they lead to, crawl by crawl.

    Raises SourceError for a collection if partitions are not months, and CrawlError if the crawl ended early;
    what it has so far stays in `place.working`.
    """
    corpus = records.corpus
    for name, crawl_records in itertools.groupby(
        corpus.of_partition(records.partition), lambda record: record.source
    ):
        source = corpus.sources[name]
        if source.kind in KINDS and not _MONTH.fullmatch(records.partition):
            raise SourceError(f"the crawl {name}: a collection lists by month, it needs `every: month`")
        options = FORMATS[source.kind].options.model_validate(dict(source.options))
        policy = AddressPolicy([*options.allow, *options.serve])
        listed = [_listed(record, policy) for record in crawl_records]
        urls = [line.url for line in listed if not line.error]

        ask = partial(
            run,
            urls=urls,
            options=options,
            root=corpus.root,
            tell=place.tell,
            kind=source.kind,
            month=records.partition,
        )
        with fetched(name, urls, options, place, ask) as journal:
            yield from CrawlParts(
                name,
                records.partition,
                source.licence,
                listed,
                options,
                journal,
                corpus.records_per_part,
                ranks(urls, journal.entries) if source.kind == SEARCH else {},
            ).outcomes()


def _listed(record: Record, policy: AddressPolicy) -> Listed:
    line = record.raw.content.decode(errors="replace").strip()
    try:
        if record.raw.error is not None:
            raise ParseError(record.raw.error)
        line = FORMATS[record.kind].parse(record.raw)
        if record.kind == URLS:
            policy.check_url(line)
    except (ParseError, AddressRefusedError) as error:
        return Listed(record.id, line, str(error))
    return Listed(record.id, line, None)


#: Marks that the web is to be requested again; it survives if that run is interrupted.
AGAIN = "recrawl"
#: The folder of the previous crawl's journal, in the folder of a repeated crawl.
FORMER = "former"


@contextlib.contextmanager
def fetched(
    name: str,
    urls: list[str],
    options: CrawlOptions,
    place: CrawlPlace,
    ask: Callable[[Path, Path | None], None],
    listings: Sequence[UrlOutcome] = (),
) -> Iterator[Journal]:
    """Yield a journal with the outcome of every URL; `ask` fills it from the web and the previous journal.

    `listings` are outcomes of listings known in advance. Raises SourceError if a folder to be served or a
    required key is missing, since all requests would fail.
    """
    for host, served in options.serve.items():
        if not (place.root / served).is_dir():
            raise SourceError(f"the crawl {name}: options.serve.{host}: no such folder: {served}")
    folder = place.working / name
    former: Path | None = None
    if place.former is not None and _asks_again(folder, place.recrawl):
        former = folder / FORMER
        with contextlib.closing(Journal(former, options.digest)) as known:
            take_over(place.former, name, options, urls, known)
    with contextlib.closing(Journal(folder, options.digest)) as journal:
        if place.former is not None and former is None:
            take_over(place.former, name, options, urls, journal)
        for entry in listings:
            if journal.entries.get(entry.url) != entry:
                journal.add(entry)
        through = _through(Frontier(urls, options, journal.entries))
    if not through:
        for variable in options.keys:
            if not os.environ.get(variable, "").strip():
                raise SourceError(f"the crawl {name}: the environment variable {variable} holds no key")
        with _alone(place.asking):
            ask(folder, former)
    with contextlib.closing(Journal(folder, options.digest)) as journal:
        yield journal


@contextlib.contextmanager
def _alone(file: Path) -> Iterator[None]:
    """Wait until no other crawl sends requests: two might request from one host at the same time."""
    with file.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _asks_again(folder: Path, recrawl: bool) -> bool:
    """Say whether the web is requested again, now or because an interrupted run was to do so."""
    folder.mkdir(parents=True, exist_ok=True)
    if recrawl:
        (folder / AGAIN).touch()
    return (folder / AGAIN).exists()


def _through(frontier: Frontier) -> bool:
    return all(page.url in frontier.entries for level in frontier.levels() for page in level)


@dataclass(frozen=True)
class UrlList:
    """Reads `*.txt` in UTF-8: a line is a URL or a collection's item, or a comment if it starts with #.

    A month rule may use the field `file`, the file name without its extension: `2018-06.txt`.
    """

    options: type[CrawlOptions]

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield the lines that are not comments."""
        for raw in lines_of_files(folder, source, (".txt",), only):
            if not raw.content.startswith(b"#"):
                yield raw

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return the file name without its extension."""
        return {"file": PurePosixPath(raw.path).stem}

    def parse(self, raw: Raw) -> str:
        """Return the URL, unchecked."""
        try:
            return raw.content.decode().strip()
        except UnicodeDecodeError as error:
            raise ParseError(f"not UTF-8: {error.reason} at byte {error.start}") from error


@dataclass(frozen=True)
class QueryList(UrlList):
    """Like a list of URLs, but a line is a query."""

    def parse(self, raw: Raw) -> str:
        """Return the query. Raises ParseError for a URL, which could be mistaken for a result of a query."""
        query = super().parse(raw)
        if query.startswith(("http://", "https://")):
            raise ParseError("a URL and no query; the kind url_list asks for URLs")
        return query


FORMATS = {
    URLS: UrlList(CrawlOptions),
    SEARCH: QueryList(SearchOptions),
    **{name: UrlList(kind.options) for name, kind in KINDS.items()},
}


#: Environment variables passed to every crawl, as name patterns: no secrets of other programs.
_ENVIRONMENT = (
    *("PATH", "HOME", "LANG", "LC_*", "TZ", "TMPDIR", "TEMP", "TMP", "PYTHON*", "LD_LIBRARY_PATH"),
    *("*_PROXY", "*_proxy", "SSL_CERT_*", "SILVERLOOM_*"),
)

#: The options that the fetching process reads, by kind.
_OPTIONS: Mapping[str, type[CrawlOptions]] = {
    CAPTURES: CaptureOptions,
    **{kind: form.options for kind, form in FORMATS.items()},
}


class CrawlError(RuntimeError):
    """A crawl ended before it was complete. Its results are kept, and the next run continues it."""


def run(
    folder: Path,
    former: Path | None,
    urls: Sequence[str],
    options: CrawlOptions,
    root: Path,
    tell: Callable[[int, int], None],
    kind: str = URLS,
    month: str = "",
    queries: Sequence[str] = (),
) -> None:
    """Request all URLs, and what they lead to, without an outcome in the journal in `folder`.

    If `kind` is a listing, `urls` are its lines: queries, or lists of the items of a `month`. `queries` are
    those of a search whose listings are in the journal already. `former` is the folder of another journal,
    whose pages are requested only if they have changed. `tell` is called with the number of URLs done and of
    those known. Raises CrawlError, MissingExtraError without Scrapy.
    """
    require("crawl", "scrapy", "jmespath")
    from silverloom.ops.crawl.child import PLAN, Plan

    plan = Plan(
        kind=kind,
        month=month,
        urls=urls,
        queries=queries,
        options=options.model_dump(mode="json", include=set(_OPTIONS[kind].model_fields)),
        digest=options.digest,
        root=str(root),
        former=str(former) if former else None,
    )
    folder.mkdir(parents=True, exist_ok=True)
    (folder / PLAN).write_text(plan.model_dump_json())
    ours, theirs = socket.socketpair()  # closing it tells the child that this process has ended, however
    with tempfile.TemporaryFile() as printed, ours, ours.makefile() as progress:
        with theirs:
            child = subprocess.Popen(
                [sys.executable, "-m", "silverloom.ops.crawl.child", str(folder), str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=printed,
                env=environment(options),
                start_new_session=True,  # Ctrl-C reaches only this process, which then kills the child
            )
        try:
            for line in progress:
                done, known = map(int, line.split())
                tell(done, known)
            status = child.wait()
        finally:
            child.kill()
            child.wait()
        if status != 0:
            printed.seek(0)
            last = printed.read().decode(errors="replace").strip().splitlines()[-3:]
            raise CrawlError(f"the crawl ended with status {status}: {' '.join(last)[:500]}")


def environment(options: CrawlOptions) -> dict[str, str]:
    """Return the environment of the fetching process: the allowed variables of this one."""
    patterns = (*_ENVIRONMENT, *options.environment)
    handed = {
        name: value
        for name, value in os.environ.items()
        if any(fnmatchcase(name, pattern) for pattern in patterns)
    }
    return {**handed, "PYTHONPATH": str(Path(silverloom.ops.__path__[0]).parents[1])}
