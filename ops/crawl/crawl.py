"""A crawl from its lists to its rows: what was fetched before is taken, the rest is asked for.

Belongs here: the op of the dataset of crawls; lists as a source (text files with a URL a line, a query, or
what a collection lists); whether anything is asked at all; the beginning and the end of the process that
asks. Not here: what that process does (child.py), rows (outcomes.py), crawls of what articles cite
(cited.py).
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

import ops
from ops.core.outcome import Outcomes
from ops.crawl.addresses import AddressPolicy, AddressRefusedError
from ops.crawl.captures.places import CaptureOptions
from ops.crawl.collections.kinds import KINDS
from ops.crawl.frontier import Frontier
from ops.crawl.journal import Journal, UrlOutcome, take_over
from ops.crawl.options import CAPTURES, SEARCH, URLS, CrawlOptions, CrawlPlace
from ops.crawl.outcomes import CrawlParts, Listed
from ops.crawl.search import SearchOptions, ranks
from ops.parse.lines import lines_of_files
from ops.parse.records import Record
from ops.parse.scan import Records, SourceError
from ops.parse.source import Only, ParseError, Raw, Source

_MONTH = re.compile(r"\d{4}-\d{2}")


def crawl(records: Records, place: CrawlPlace) -> Outcomes:
    """Yield what became of the URLs of a month's lists, and of what they lead to, crawl by crawl.

    Raises SourceError for a collection where partitions are no months, CrawlError where the crawl itself
    ended early; what it has is kept in `place.working`.
    """
    corpus = records.corpus
    for name, found in itertools.groupby(
        corpus.of_partition(records.partition), lambda record: record.source
    ):
        source = corpus.sources[name]
        if source.kind in KINDS and not _MONTH.fullmatch(records.partition):
            raise SourceError(f"the crawl {name}: a collection lists by month, it needs `every: month`")
        options = FORMATS[source.kind].options.model_validate(dict(source.options))
        policy = AddressPolicy([*options.allow, *options.serve])
        listed = [_listed(record, policy) for record in found]
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


#: That the web is asked again, though an earlier run for that may have been cut short.
AGAIN = "recrawl"
#: The folder of the former crawl's journal, within that of a crawl that asks again.
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
    """Give a journal that has the outcome of every URL; `ask` fills it, with the former one at hand.

    `listings` are outcomes of what is listed that are known beforehand. Raises SourceError where a folder
    that is to be served is not there, or a key that is needed: all that is asked for would be lost.
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
    """Wait until no other crawl asks: two would come to a host at the same time."""
    with file.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _asks_again(folder: Path, recrawl: bool) -> bool:
    """Say whether the web is asked again, also where a run that was to do so was cut short."""
    folder.mkdir(parents=True, exist_ok=True)
    if recrawl:
        (folder / AGAIN).touch()
    return (folder / AGAIN).exists()


def _through(frontier: Frontier) -> bool:
    return all(page.url in frontier.entries for level in frontier.levels() for page in level)


@dataclass(frozen=True)
class UrlList:
    """`*.txt` in UTF-8: a line is a URL, or what a collection lists, and a comment if it begins with #.

    A month rule may name `file`, the name of the file without its extension: `2018-06.txt`.
    """

    options: type[CrawlOptions]

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield the lines that are no comments."""
        for raw in lines_of_files(folder, source, (".txt",), only):
            if not raw.content.startswith(b"#"):
                yield raw

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return the file's name without its extension."""
        return {"file": PurePosixPath(raw.path).stem}

    def parse(self, raw: Raw) -> str:
        """Return the URL, checked by nobody."""
        try:
            return raw.content.decode().strip()
        except UnicodeDecodeError as error:
            raise ParseError(f"not UTF-8: {error.reason} at byte {error.start}") from error


@dataclass(frozen=True)
class QueryList(UrlList):
    """As a list of URLs; a line is a query."""

    def parse(self, raw: Raw) -> str:
        """Return the query. Raises ParseError for a URL: as a result, it could not be told from the query."""
        query = super().parse(raw)
        if query.startswith(("http://", "https://")):
            raise ParseError("a URL and no query; the kind url_list asks for URLs")
        return query


FORMATS = {
    URLS: UrlList(CrawlOptions),
    SEARCH: QueryList(SearchOptions),
    **{name: UrlList(kind.options) for name, kind in KINDS.items()},
}


#: What every crawl is handed of the environment, as patterns of names: no secrets of other programs.
_ENVIRONMENT = (
    *("PATH", "HOME", "LANG", "LC_*", "TZ", "TMPDIR", "TEMP", "TMP", "PYTHON*", "LD_LIBRARY_PATH"),
    *("*_PROXY", "*_proxy", "SSL_CERT_*", "SILVERLOOM_*"),
)

#: What the process that fetches knows of the options of a kind.
_OPTIONS: Mapping[str, type[CrawlOptions]] = {
    CAPTURES: CaptureOptions,
    **{kind: form.options for kind, form in FORMATS.items()},
}


class CrawlError(RuntimeError):
    """A crawl that ended before it was through: what it has is kept, and the next run goes on from it."""


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
    """Ask for all URLs, and what they lead to, that the journal in `folder` has no outcome of.

    Of a `kind` that lists, `urls` are lines of it: queries, or what lists the items of a `month`. `queries`
    are those of a search whose lines list them, which the journal knows. `former` is
    the folder of another journal, whose pages are asked for on condition that they changed. `tell` is called
    with how many URLs are done and how many are known. Raises CrawlError.
    """
    from ops.crawl.child import PLAN, Plan

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
    ours, theirs = socket.socketpair()  # its end tells the child that this process is gone, however it went
    with tempfile.TemporaryFile() as printed, ours, ours.makefile() as progress:
        with theirs:
            child = subprocess.Popen(
                [sys.executable, "-m", "ops.crawl.child", str(folder), str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=printed,
                env=environment(options),
                start_new_session=True,  # Ctrl-C reaches this process alone, which then ends the child
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
    """Return the environment of the process that fetches: what it needs of this one's."""
    patterns = (*_ENVIRONMENT, *options.environment)
    handed = {
        name: value
        for name, value in os.environ.items()
        if any(fnmatchcase(name, pattern) for pattern in patterns)
    }
    return {**handed, "PYTHONPATH": str(Path(ops.__path__[0]).parent)}
