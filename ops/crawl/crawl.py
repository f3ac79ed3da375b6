"""A crawl from its lists to its rows: what was fetched before is taken, the rest is asked for.

Belongs here: the op of the dataset of crawls. Not here: each of its steps (run.py, outcomes.py, former.py).
"""

from __future__ import annotations

import contextlib
import fcntl
import itertools
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from ops.crawl.addresses import AddressPolicy, AddressRefusedError
from ops.crawl.collect import collect
from ops.crawl.collections.kinds import KINDS, CollectionOptions
from ops.crawl.former import take_over
from ops.crawl.frontier import Frontier
from ops.crawl.journal import Journal
from ops.crawl.options import CrawlOptions
from ops.crawl.outcomes import CrawlParts, Listed
from ops.crawl.place import CrawlPlace
from ops.crawl.run import run
from ops.crawl.url_list import FORMATS
from ops.outcome import Outcomes
from ops.parse.records import Record
from ops.parse.scan import Records
from ops.parse.source import ParseError

#: That the web is asked again, though an earlier run for that may have been cut short.
_AGAIN = "recrawl"


def crawl(records: Records, place: CrawlPlace) -> Outcomes:
    """Yield what became of the URLs of a month's lists, and of what they lead to, crawl by crawl.

    Raises CrawlError where the crawl itself ended early; what it has is kept in `place.working`.
    """
    corpus = records.corpus
    for name, found in itertools.groupby(corpus.of_month(records.month), lambda record: record.source):
        source = corpus.sources[name]
        options = FORMATS[source.kind].options.model_validate(dict(source.options))
        policy = AddressPolicy([*options.allow, *options.serve])
        listed = [_listed(record, policy) for record in found]
        urls = [line.url for line in listed if not line.error]

        ask = partial(_ask, source.kind, urls, records.month, options, corpus.root, place)
        with _fetched(name, urls, options, place, ask) as journal:
            yield from CrawlParts(
                name, records.month, source.licence, listed, options, journal, corpus.records_per_part
            ).outcomes()


def _ask(
    kind: str,
    urls: list[str],
    month: str,
    options: CrawlOptions,
    root: Path,
    place: CrawlPlace,
    folder: Path,
    former: Path | None,
) -> None:
    """Fill the journal in a folder."""
    if isinstance(options, CollectionOptions):
        with contextlib.closing(Journal(folder, options.digest)) as journal:
            collect(kind, urls, month, options, journal, place.tell)
    else:
        run(folder, urls, options, root, former, place.tell)


def _listed(record: Record, policy: AddressPolicy) -> Listed:
    line = record.raw.content.decode(errors="replace").strip()
    try:
        if record.raw.error is not None:
            raise ParseError(record.raw.error)
        line = FORMATS[record.kind].parse(record.raw)
        if record.kind not in KINDS:
            policy.check_url(line)
    except (ParseError, AddressRefusedError) as error:
        return Listed(record.id, line, str(error))
    return Listed(record.id, line, None)


@contextlib.contextmanager
def _fetched(
    name: str,
    urls: list[str],
    options: CrawlOptions,
    place: CrawlPlace,
    ask: Callable[[Path, Path | None], None],
) -> Iterator[Journal]:
    """Give a journal that has the outcome of every URL; `ask` fills it, with the former one at hand."""
    folder = place.working / name
    former: Path | None = None
    if place.former is not None and _asks_again(folder, place.recrawl):
        former = folder / "former"
        with contextlib.closing(Journal(former, options.digest)) as known:
            take_over(place.former, name, options, urls, known)
    with contextlib.closing(Journal(folder, options.digest)) as journal:
        if place.former is not None and former is None:
            take_over(place.former, name, options, urls, journal)
        through = _through(Frontier(urls, options, journal.entries))
    if not through:
        with _alone(place.working.parent):
            ask(folder, former)
    with contextlib.closing(Journal(folder, options.digest)) as journal:
        yield journal


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Wait until no other partition of the crawls asks: two would come to a host at the same time."""
    with (folder / ".asking").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _asks_again(folder: Path, recrawl: bool) -> bool:
    """Say whether the web is asked again, also where a run that was to do so was cut short."""
    folder.mkdir(parents=True, exist_ok=True)
    if recrawl:
        (folder / _AGAIN).touch()
    return (folder / _AGAIN).exists()


def _through(frontier: Frontier) -> bool:
    return all(page.url in frontier.entries for level in frontier.levels() for page in level)
