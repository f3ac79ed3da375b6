"""The pages that an article cites, and those that a search finds for its sections.

Belongs here: candidates for references, how much of the article each holds and how often it mentions it; the
rows of crawls, by address and by query. Not here: which candidates are taken (corpus.py), the measures
(clones.py), the index of pages (search_index.py), crawling and searching (ops/crawl).
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from ops.core.derived import DerivedFolder
from ops.core.identity import joint_licence, row_id
from ops.core.outcome import Outcome, Outcomes, Row, drop
from ops.core.params import Params
from ops.core.parts import FILES, Artifact, Parts
from ops.crawl.journal import searched
from ops.crawl.local_search import LocalIndex
from ops.crawl.search import NOT_ASKED, QUERY, Query, asked, queries
from ops.wikisum import search_index as indexing
from ops.wikisum.clones import clone_recalls, is_itself, is_titled, signature, title_mentions
from ops.wikisum.schemas import REFERENCES

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


#: What became of addresses and queries that give no reference.
NOT_CRAWLED, NOT_READ, EMPTY = "cited_page_not_there", "found_page_not_there", "page_without_words"
ITSELF, FOUND_NOTHING = "article_itself", "search_found_nothing"
#: Headings that nothing is searched for, and queries of the index though others were asked of a search.
SECTION_NOT_ASKED, QUERY_NOT_CRAWLED = "section_not_asked", "query_not_crawled"

_PAGE_COLUMNS = ("id", "document", "licence", "title", "text")


class ReferenceParams(Params, section="wikisum.references"):
    """Where references come from: what articles cite, and what a search finds.

    What a search engine was asked for an article has its results, if any; else the local index is asked.
    """

    results: int = Field(10, ge=0, description="of the search, for each section title; 0: none")
    query: Query = Field(
        QUERY,
        description="what is searched for a section, in the lead the title alone; the paper's headings have "
        "the article's title in front (Figure 7)",
    )
    not_asked: tuple[str, ...] = Field(
        NOT_ASKED, description="headings that nothing is searched for, in whatever case"
    )
    hosts: tuple[str, ...] = Field(
        ("wikipedia.org",), description="of the encyclopedia: a page there that has the article's title is it"
    )
    recall: Literal["shingles", "words"] = Field(
        "shingles",
        description="what of a section is looked for in a page to tell clones: runs of words, or words (the "
        "paper's formula, which wants wikisum.corpus.clone_recall: 0.5)",
    )
    shingle_words: int = Field(4, ge=2, description="of a shingle")
    least_section_words: int = Field(
        1,
        ge=1,
        description="distinct shingles, or words, that a section must have to tell clones; where none has as "
        "many, the article counts as one section",
    )
    permutations: int = Field(0, ge=0, description="of a MinHash of each page, for near-duplicates; 0: none")


@dataclass
class _Candidate:
    address: str
    record: str = ""
    """The id of the crawl's row that the page is read from; empty where it is found by its address."""
    cited: bool = False
    hits: list[Mapping[str, object]] = field(default_factory=list)


@dataclass(frozen=True)
class _Pages:
    """The pages of candidates, by the record that they were read from and by address."""

    by_record: Mapping[str, Row]
    by_address: Mapping[str, Row]

    @classmethod
    def of(cls, found: Iterable[Sequence[_Candidate]], indexed: Parts, web_pages: Parts) -> _Pages:
        """Return the pages of all candidates."""
        candidates = [candidate for of_article in found for candidate in of_article]
        records = {candidate.record for candidate in candidates} - {""}
        addresses = {candidate.address for candidate in candidates}
        known = indexed.read(["address", "page_id"], where=("address", addresses)).to_pylist()
        ids = {row["page_id"] for row in known}
        pages = {page["id"]: page for page in web_pages.read(_PAGE_COLUMNS, where=("id", ids)).to_pylist()}
        crawled = web_pages.read(_PAGE_COLUMNS, where=("document", records)).to_pylist()
        return cls(
            {page["document"]: page for page in crawled},
            {row["address"]: pages[row["page_id"]] for row in known},
        )

    def get(self, candidate: _Candidate) -> Row | None:
        """Return the page of a candidate: the record that a crawl has of it, if a page was read from that."""
        return self.by_record.get(candidate.record) or self.by_address.get(candidate.address)


def references(
    articles: Parts,
    cited_pages: Parts,
    found_pages: Parts,
    web_pages: Parts,
    search_index: Artifact,
    params: ReferenceParams,
    derived: DerivedFolder,
) -> Outcomes:
    """Yield the candidates of every article; units are the articles.

    An article without any is dropped as `no_reference`. Addresses and queries that give none are counted:
    `cited_page_not_there`, `found_page_not_there`, `page_without_words`, `article_itself`,
    `search_found_nothing`, `query_not_crawled`; headings that nothing is searched for: `section_not_asked`.
    """
    search_index = indexing.indexed(search_index, web_pages, derived)
    return articles.map(references_of, cited_pages, found_pages, web_pages, search_index, params)


def references_of(
    articles: pa.Table,
    cited_pages: Parts,
    found_pages: Parts,
    web_pages: Parts,
    search_index: Artifact,
    params: ReferenceParams,
) -> Outcome:
    """Return the candidates of the articles of one part."""
    units = articles.select(REFERENCES.unit.names).to_pylist()
    index = indexing.load(search_index)
    crawled = Crawled.of({cited for article in units for cited in _cited(article)}, cited_pages, found_pages)
    lost = [Counter[str]() for _ in units]
    found = [_candidates(*pair, crawled, index, params) for pair in zip(units, lost, strict=True)]
    pages = _Pages.of(found, search_index.rows, web_pages)
    kept: list[Row] = []
    dropped: list[Row] = []
    for article, candidates, reasons in zip(units, found, lost, strict=True):
        there = [(candidate, page) for candidate in candidates if (page := pages.get(candidate)) is not None]
        for candidate in candidates:
            if pages.get(candidate) is None:
                reasons[NOT_CRAWLED if candidate.cited else NOT_READ] += 1
        others = [
            (candidate, page)
            for candidate, page in there
            if not is_titled(candidate.address, page["title"] or "", article["title"], params.hosts)
        ]
        reasons[ITSELF] += len(there) - len(others)
        references = [(candidate, page) for candidate, page in others if page["text"].strip()]
        reasons[EMPTY] += len(others) - len(references)
        kept += _rows(article, references, params)
        if not references:
            detail = ", ".join(f"{reason} {count}" for reason, count in sorted((+reasons).items()))
            dropped.append(drop(article, "no_reference", detail=detail or "it cites nothing"))
    return Outcome.of(
        REFERENCES, [unit["id"] for unit in units], kept, dropped, combinations=sum(lost, Counter())
    )


def sections_of(article: Row) -> Iterator[tuple[str, str]]:
    """Yield heading and text of each section, the lead first; a text may be empty."""
    for section in article["sections"]:
        yield section["title"], article["text"][section["start"] : section["end"]]


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


def _cited(article: Row) -> Iterator[str]:
    return (cited["url"].partition("#")[0] for cited in article["citations"])


def _candidates(
    article: Row,
    lost: Counter[str],
    crawled: Crawled,
    index: LocalIndex,
    params: ReferenceParams,
) -> list[_Candidate]:
    """Return what an article cites and a search finds for it, without itself; count what is lost."""
    found: dict[str, _Candidate] = {}
    for cited in _cited(article):
        address, record = crawled.landing(cited, article["month"]) or (cited, "")
        found.setdefault(address, _Candidate(address, record, cited=True))
    if params.results:
        of_engine = crawled.asked(article["id"])
        headings = asked((heading for heading, _ in sections_of(article)), params.not_asked)
        lost[SECTION_NOT_ASKED] += len(article["sections"]) - len(headings)
        for query in queries(article["title"], headings, params.query):
            hits: list[tuple[int, float | None, _Candidate]]
            if of_engine is not None and query in of_engine:
                results = crawled.results(query, article["month"])[: params.results]
                hits = [(rank, None, _Candidate(*landing)) for rank, landing in results]
            else:
                lost[QUERY_NOT_CRAWLED] += of_engine is not None
                hits = [
                    (hit.rank, None if hit.score is None else round(hit.score, 4), _Candidate(hit.url))
                    for hit in index.search(query, params.results)
                ]
            lost[FOUND_NOTHING] += not hits
            for rank, score, candidate in hits:
                candidate = found.setdefault(candidate.address, candidate)
                candidate.hits.append({"query": query, "rank": rank, "score": score})
    itself = [address for address in found if is_itself(address, article["title"], params.hosts)]
    lost[ITSELF] += len(itself)
    for address in itself:
        del found[address]
    return list(found.values())


def _rows(
    article: Row, references: Sequence[tuple[_Candidate, Row]], params: ReferenceParams
) -> Iterator[Row]:
    texts = [page["text"] for _, page in references]
    sections = [text for _, text in sections_of(article)]
    shingle = params.shingle_words if params.recall == "shingles" else 1
    recalls = clone_recalls(texts, sections, shingle, params.least_section_words).tolist()
    titled = [f"{page['title'] or ''}\n{page['text']}" for _, page in references]
    mentions = title_mentions(article["title"], titled).tolist()
    for position, ((candidate, page), text, recall, mentioned) in enumerate(
        zip(references, texts, recalls, mentions, strict=True)
    ):
        yield {
            "id": row_id("reference", article["id"], page["id"]),
            "source_ids": [article["id"], page["id"]],
            "licence": joint_licence([article["licence"], page["licence"]]),
            "article_id": article["id"],
            "article_title": article["title"],
            "page_id": page["id"],
            "address": candidate.address,
            "title": page["title"],
            "position": position,
            "cited": candidate.cited,
            "hits": candidate.hits,
            "words": len(text.split()),
            "clone_recall": round(recall, 6),
            "title_mentions": mentioned,
            "signature": signature(text, params.permutations) if params.permutations else None,
        }
