"""A crawl from its lists to its rows: what was fetched before is taken, the rest is asked for.

Belongs here: the op of the dataset of crawls. Not here: each of its steps (run.py, outcomes.py, former.py).
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from pathlib import Path

from ops.crawl.addresses import AddressPolicy, AddressRefusedError
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
        options = CrawlOptions.model_validate(dict(source.options))
        policy = AddressPolicy([*options.allow, *options.serve])
        listed = [_listed(record, policy) for record in found]
        urls = [line.url for line in listed if not line.error]
        with _fetched(name, urls, options, corpus.root, place) as journal:
            yield from CrawlParts(
                name, records.month, source.licence, listed, options, journal, corpus.records_per_part
            ).outcomes()


def _listed(record: Record, policy: AddressPolicy) -> Listed:
    url = record.raw.content.decode(errors="replace").strip()
    try:
        if record.raw.error is not None:
            raise ParseError(record.raw.error)
        policy.check_url(FORMATS[record.kind].parse(record.raw))
    except (ParseError, AddressRefusedError) as error:
        return Listed(record.id, url, str(error))
    return Listed(record.id, url, None)


@contextlib.contextmanager
def _fetched(
    name: str, urls: list[str], options: CrawlOptions, root: Path, place: CrawlPlace
) -> Iterator[Journal]:
    """Give a journal that has the outcome of every URL."""
    folder = place.working / name
    former: Path | None = None
    if place.former is not None and _asks_again(folder, place.recrawl):
        former = folder / "former"
        with contextlib.closing(Journal(former, options.digest)) as known:
            take_over(place.former, name, options, known)
    with contextlib.closing(Journal(folder, options.digest)) as journal:
        if place.former is not None and former is None:
            take_over(place.former, name, options, journal)
        through = _through(Frontier(urls, options, journal.entries))
    if not through:
        run(folder, urls, options, root, former, place.tell)
    with contextlib.closing(Journal(folder, options.digest)) as journal:
        yield journal


def _asks_again(folder: Path, recrawl: bool) -> bool:
    """Say whether the web is asked again, also where a run that was to do so was cut short."""
    folder.mkdir(parents=True, exist_ok=True)
    if recrawl:
        (folder / _AGAIN).touch()
    return (folder / _AGAIN).exists()


def _through(frontier: Frontier) -> bool:
    return all(page.url in frontier.entries for level in frontier.levels() for page in level)
