"""What crawls found for the articles of each part: where addresses led, and the results of queries.

Belongs here: joining rows of crawls to the articles that cite an address or ask a query, and choosing the
month. Not here: crawling and searching (ops/crawl), what becomes of the pages (references.py).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from silverloom.ops.core.joins import matches, stored
from silverloom.ops.core.parts import FILES, Parts
from silverloom.ops.crawl.journal import searched

_Value = TypeVar("_Value")

_TEXT = pa.string()
_LANDINGS = pa.schema([("asked", _TEXT), ("month", _TEXT), ("address", _TEXT), ("record", _TEXT)])
_RESULTS = pa.schema([("query", _TEXT), ("rank", pa.int64()), *list(_LANDINGS)[1:]])
_SEARCHED = pa.schema([("article_id", _TEXT), ("queries", pa.list_(_TEXT))])


class Landing(NamedTuple):
    """The page that an address led to when it was crawled."""

    address: str
    record: str
    """The id of the crawl's row."""


class SearchResult(NamedTuple):
    """A search result whose page was crawled."""

    rank: int
    landing: Landing


class CrawledParts(NamedTuple):
    """What crawls found: each table has one part for each part of the articles."""

    landings: Parts
    results: Parts
    searched: Parts


def crawled_parts(
    articles: Parts,
    cited_pages: Parts,
    found_pages: Parts,
    cited: Iterable[Iterable[str]],
    asked: Iterable[Iterable[str]],
    folder: Path,
) -> CrawledParts:
    """Return what crawls found for the articles of each part.

    `cited` are the addresses that the articles cite, `asked` the queries about them; both have one iterable
    per part. Stores the rows in `folder`.
    """
    landings = stored(
        (_landings(part.read(["id", "month", "url", "final_url", "also"])) for part in cited_pages.parts),
        _LANDINGS,
        articles,
        folder / "landings",
    )
    results = stored(
        (_results(part.read(["id", "month", "final_url", "about"])) for part in found_pages.parts),
        _RESULTS,
        articles,
        folder / "results",
    )
    folders = dict.fromkeys(Path(part.path).parent / FILES for part in found_pages.parts)
    queries = stored(map(_searched, folders), _SEARCHED, articles, folder / "searched")
    ids = (part.read(["id"])["id"] for part in articles.parts)
    return CrawledParts(
        matches(landings, "asked", cited, folder / "landings of articles"),
        matches(results, "query", asked, folder / "results of articles"),
        matches(queries, "article_id", ids, folder / "searched for articles"),
    )


@dataclass(frozen=True)
class Crawled:
    """What crawls found, by month. An article uses the crawl of its month, else the latest one before it."""

    _landings: Mapping[str, Mapping[str, Landing]]
    _results: Mapping[str, Mapping[str, list[SearchResult]]]
    _asked: Mapping[str, frozenset[str]]
    """The queries that were searched for each article, by its id."""

    @classmethod
    def of(cls, landings: pa.Table, results: pa.Table, searched: pa.Table) -> Crawled:
        """Build this from one part of each table of `CrawledParts`."""
        landed: defaultdict[str, dict[str, Landing]] = defaultdict(dict)
        for row in landings.to_pylist():
            landed[row["asked"]].setdefault(row["month"], Landing(row["address"], row["record"]))
        by_query: defaultdict[str, dict[str, list[SearchResult]]] = defaultdict(dict)
        for row in results.to_pylist():
            result = SearchResult(row["rank"], Landing(row["address"], row["record"]))
            by_query[row["query"]].setdefault(row["month"], []).append(result)
        asked = {row["article_id"]: frozenset(row["queries"]) for row in searched.to_pylist()}
        return cls(dict(landed), dict(by_query), asked)

    def asked(self, article_id: str) -> frozenset[str] | None:
        """Return the queries that were sent to a search engine for an article; None if none were sent."""
        return self._asked.get(article_id)

    def landing(self, address: str, month: str) -> Landing | None:
        """Return where an address led; None if no crawl lists it as `url` or in `also`."""
        return _of_month(self._landings[address], month) if address in self._landings else None

    def results(self, query: str, month: str) -> list[SearchResult]:
        """Return the results of a query, the best first; empty if no crawl searched for it."""
        return sorted(_of_month(self._results[query], month)) if query in self._results else []


def _landings(rows: pa.Table) -> pa.Table:
    """Return the landings of a crawl's rows: of their own addresses, then of the addresses in `also`."""
    given = rows.select(["month", "final_url", "id"]).rename_columns(["month", "address", "record"])
    others = given.take(pc.list_parent_indices(rows["also"]))
    asked = pa.chunked_array([*rows["url"].chunks, *pc.list_flatten(rows["also"]).chunks], _TEXT)
    return pa.concat_tables([given, others]).add_column(0, "asked", asked)


def _results(rows: pa.Table) -> pa.Table:
    """Return the search results in a crawl's rows."""
    results = [
        {
            "query": query,
            "rank": rank,
            "month": row["month"],
            "address": row["final_url"],
            "record": row["id"],
        }
        for row in rows.to_pylist()
        for query, rank in json.loads(row["about"] or "{}").get("ranks", {}).items()
    ]
    return pa.Table.from_pylist(results, schema=_RESULTS)


def _searched(folder: Path) -> pa.Table:
    rows: Iterator[tuple[str, list[str]]] = searched(folder)
    return pa.Table.from_pylist(
        [{"article_id": article, "queries": queries} for article, queries in rows], schema=_SEARCHED
    )


def _of_month(by_month: Mapping[str, _Value], month: str) -> _Value:
    months = sorted(by_month)
    return by_month[next((of for of in reversed(months) if of <= month), months[0])]
