"""A crawl from its lists to its rows: what was fetched before is taken, the rest is asked for.

Belongs here: the op of the dataset of crawls. Not here: each of its steps (run.py, outcomes.py, former.py).
"""

from __future__ import annotations

import itertools
import re
from functools import partial

from ops.crawl.addresses import AddressPolicy, AddressRefusedError
from ops.crawl.collections.kinds import KINDS
from ops.crawl.fetched import fetched
from ops.crawl.options import SEARCH, URLS
from ops.crawl.outcomes import CrawlParts, Listed
from ops.crawl.place import CrawlPlace
from ops.crawl.run import run
from ops.crawl.searched import ranks
from ops.crawl.url_list import FORMATS
from ops.outcome import Outcomes
from ops.parse.records import Record
from ops.parse.scan import Records, SourceError
from ops.parse.source import ParseError

_MONTH = re.compile(r"\d{4}-\d{2}")


def crawl(records: Records, place: CrawlPlace) -> Outcomes:
    """Yield what became of the URLs of a month's lists, and of what they lead to, crawl by crawl.

    Raises SourceError for a collection where partitions are no months, CrawlError where the crawl itself
    ended early; what it has is kept in `place.working`.
    """
    corpus = records.corpus
    for name, found in itertools.groupby(corpus.of_month(records.month), lambda record: record.source):
        source = corpus.sources[name]
        if source.kind in KINDS and not _MONTH.fullmatch(records.month):
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
            month=records.month,
        )
        with fetched(name, urls, options, place, ask) as journal:
            yield from CrawlParts(
                name,
                records.month,
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
