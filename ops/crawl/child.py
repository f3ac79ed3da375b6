"""A crawl's own process: what reads the web is bounded in memory, and Twisted's reactor can be run once.

Belongs here: one crawl, from its plan to the end of its journal. Not here: who begins it (run.py), what is
asked for (spider.py, collect.py, searched.py, captures/).
Progress goes to the parent by a socket, where no library prints. When that is closed, the child ends, too.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from ops.crawl.addresses import AddressPolicy
from ops.crawl.frontier import Frontier
from ops.crawl.journal import Journal
from ops.crawl.options import CAPTURES, SEARCH, URLS, CrawlOptions
from ops.crawl.recrawl import FormerVersion
from ops.crawl.website import serving
from ops.parse.bounded.bounds import bound_memory

PLAN = "plan.json"
#: Seconds between two lines of progress.
_EVERY = 0.5
#: Bytes of address space beyond what the process begins with.
_MEMORY = 4 * 2**30


class Plan(BaseModel):
    """What a crawl is to do; a file in its folder."""

    kind: str
    month: str
    """Of the items of a collection; of no meaning for URLs."""
    urls: Sequence[str]
    queries: Sequence[str]
    """Of a search, where the URLs are not its queries."""
    options: Mapping[str, Any]
    digest: str
    """Of the options that the journal is kept under, of which there may be more."""
    root: str
    """Where the folders lie that `serve` names."""
    former: str | None = None
    """The folder of the former crawl's journal: its pages are asked for on condition that they changed."""


def main(folder: Path, channel: socket.socket) -> None:
    """Run the crawl whose plan lies in a folder."""
    threading.Thread(target=_end_with_parent, args=(channel,), daemon=True).start()
    tell = _Progress(channel)
    plan = Plan.model_validate_json((folder / PLAN).read_text())
    bound_memory(_MEMORY)
    with contextlib.ExitStack() as stack:
        journal = stack.enter_context(contextlib.closing(Journal(folder, plan.digest)))
        former = FormerVersion(None)
        if plan.former is not None:
            known = stack.enter_context(contextlib.closing(Journal(Path(plan.former), plan.digest)))
            former = FormerVersion(known)
        if plan.kind == URLS:
            _crawl(plan, CrawlOptions.model_validate(plan.options), journal, tell, former)
        elif plan.kind == SEARCH:  # what it imports takes a tenth of a second, which lists need not wait for
            from ops.crawl.searched import SearchOptions, list_results

            search = SearchOptions.model_validate(plan.options)
            list_results(plan.queries or plan.urls, search, journal, former, tell)
            _crawl(plan, search, journal, tell, former)
        elif plan.kind == CAPTURES:  # as long
            from ops.crawl.captures.fetch import CapturePlace, fetch_captures
            from ops.crawl.captures.options import CaptureOptions

            captures = CaptureOptions.model_validate(plan.options)
            place = CapturePlace(folder, Path(plan.root), plan.digest)
            fetch_captures(plan.urls, plan.month, captures, place, journal, former, tell)
        else:  # as long
            from ops.crawl.collect import collect
            from ops.crawl.collections.kinds import KINDS

            listed = KINDS[plan.kind].options.model_validate(plan.options)
            collect(plan.kind, plan.urls, plan.month, listed, journal, tell, former)


def _crawl(
    plan: Plan, options: CrawlOptions, journal: Journal, tell: _Progress, former: FormerVersion
) -> None:
    from scrapy.crawler import AsyncCrawlerProcess

    from ops.crawl.resolver import CheckedHosts
    from ops.crawl.scrapy_settings import scrapy_settings
    from ops.crawl.spider import PageSpider

    sites = {host: Path(plan.root, place) for host, place in options.serve.items()}
    with serving(sites) if sites else contextlib.nullcontext() as server:
        hosts = CheckedHosts(AddressPolicy([*options.allow, *options.serve]), server)
        process = AsyncCrawlerProcess(scrapy_settings(options, hosts))
        process.crawl(
            PageSpider,
            frontier=Frontier(plan.urls, options, journal.entries),
            journal=journal,
            options=options,
            hosts=hosts,
            former=former,
            tell=tell,
        )
        process.start()


class _Progress:
    def __init__(self, channel: socket.socket) -> None:
        self._channel, self._next = channel, 0.0

    def __call__(self, done: int, known: int) -> None:
        if done == known or time.monotonic() > self._next:
            self._next = time.monotonic() + _EVERY
            self._channel.sendall(b"%d %d\n" % (done, known))


def _end_with_parent(channel: socket.socket) -> None:
    """End at once when the parent does: what is written is whole, and the next run goes on from there."""
    with contextlib.suppress(ConnectionError):  # where the parent was killed before it read all
        channel.recv(1)
    os._exit(3)


if __name__ == "__main__":
    main(Path(sys.argv[1]), socket.socket(fileno=int(sys.argv[2])))
