"""What the crawls gave for an address that an article cites, and for what is searched for it.

Belongs here: reading the rows of crawls, by address and by query. Not here: the pages themselves
(references.py), asking for them (ops/crawl).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from ops.crawl.former import searched
from ops.parts import FILES, Parts

_Value = TypeVar("_Value")


class Landing(NamedTuple):
    """What an address gave when it was asked for."""

    address: str
    record: str
    """The id of the crawl's row."""


class SearchResult(NamedTuple):
    """A result of a search whose results were crawled."""

    rank: int
    landing: Landing


@dataclass
class Crawled:
    """What crawls gave, by month. An article is told what was crawled for its month, or at last before it."""

    _landings: defaultdict[str, dict[str, Landing]] = field(default_factory=lambda: defaultdict(dict))
    _results: defaultdict[str, dict[str, list[SearchResult]]] = field(
        default_factory=lambda: defaultdict(dict)
    )

    _asked: dict[str, frozenset[str]] = field(default_factory=dict)
    """What was searched for each article, by its id."""

    @classmethod
    def of(cls, wanted: set[str], cited_pages: Parts, found_pages: Parts) -> Crawled:
        """Read what was crawled of some addresses, and the results of all queries."""
        found = cls()
        values = pa.array(sorted(wanted), pa.string())
        for part in cited_pages.parts:
            table = part.read(["id", "month", "url", "final_url", "also"])
            for url, month, landing in _asked_for(table, values):
                found._landings[url].setdefault(month, landing)
        folders = dict.fromkeys(Path(part.path).parent / FILES for part in found_pages.parts)
        for folder in folders:
            found._asked.update({row: frozenset(queries) for row, queries in searched(folder)})
        for part in found_pages.parts:
            for row in part.read(["id", "month", "final_url", "about"]).to_pylist():
                landing = Landing(row["final_url"], row["id"])
                for query, rank in json.loads(row["about"] or "{}").get("ranks", {}).items():
                    found._results[query].setdefault(row["month"], []).append(SearchResult(rank, landing))
        return found

    def asked(self, article_id: str) -> frozenset[str] | None:
        """Return what a search engine was asked for an article; None where it was asked for nothing."""
        return self._asked.get(article_id)

    def landing(self, address: str, month: str) -> Landing | None:
        """Return what an address gave; None if no crawl has it, whose rows name it `url` or `also`."""
        return _of_month(self._landings[address], month) if address in self._landings else None

    def results(self, query: str, month: str) -> list[SearchResult]:
        """Return the results of a query, the best first; none if no crawl has searched for it."""
        return sorted(_of_month(self._results[query], month)) if query in self._results else []


def _asked_for(rows: pa.Table, wanted: pa.Array) -> Iterator[tuple[str, str, Landing]]:
    """Yield address, month and landing of the rows of some addresses: their own, then their others."""
    for addresses, places in (
        (rows["url"].combine_chunks(), pa.array(range(rows.num_rows), pa.int32())),
        (pc.list_flatten(rows["also"]), pc.list_parent_indices(rows["also"])),
    ):
        mask = pc.is_in(addresses, value_set=wanted)
        found = rows.take(places.filter(mask)).select(["month", "final_url", "id"]).to_pylist()
        for address, row in zip(addresses.filter(mask).to_pylist(), found, strict=True):
            yield address, row["month"], Landing(row["final_url"], row["id"])


def _of_month(found: Mapping[str, _Value], month: str) -> _Value:
    months = sorted(found)
    return found[next((of for of in reversed(months) if of <= month), months[0])]
