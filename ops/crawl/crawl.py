"""A crawl from its lists to its rows: what was fetched before is taken, the rest is asked for.

Belongs here: the op of the dataset of crawls. Not here: each of its steps (run.py, outcomes.py, former.py).
"""

from __future__ import annotations

import contextlib
import itertools
from functools import partial
from pathlib import Path

from ops.crawl.addresses import AddressPolicy, AddressRefusedError
from ops.crawl.collect import collect
from ops.crawl.collections.kinds import KINDS, CollectionOptions
from ops.crawl.fetched import fetched
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
        with fetched(name, urls, options, place, ask) as journal:
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
        with contextlib.ExitStack() as stack:
            journals = [
                stack.enter_context(contextlib.closing(Journal(path, options.digest)))
                for path in (folder, former)
                if path is not None
            ]
            collect(kind, urls, month, options, journals[0], place.tell, *journals[1:])
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
