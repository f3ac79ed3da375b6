"""The journal of a crawl, filled: from what was published, from a run that was cut short, or by asking.

Belongs here: whether anything is asked at all. Not here: asking (run.py, collect.py), rows (outcomes.py).
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ops.crawl.former import take_over
from ops.crawl.frontier import Frontier
from ops.crawl.journal import Journal, UrlOutcome
from ops.crawl.options import CrawlOptions
from ops.crawl.place import CrawlPlace
from ops.parse.scan import SourceError

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
