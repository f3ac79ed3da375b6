"""The pages that an article cites, and those that a search finds for its sections.

Belongs here: candidates for references, and how much of the article each contains. Not here: results of
crawls (crawled.py), the pages of candidates and their similarity with titles (candidates.py), which
candidates are kept (corpus.py), the measures (clones.py, topic.py), the index of pages (search_index.py),
crawling and searching (ops/crawl).

The parts of articles are mapped three times: to candidates; with the candidates' pages, to the similarities
of what the index alone found; and to references. In between, these pages are embedded, and the results of
one page are compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from silverloom.ops.core.derived import DerivedFolder
from silverloom.ops.core.identity import made_from_several
from silverloom.ops.core.joins import matches, stored
from silverloom.ops.core.outcome import Outcome, Outcomes, Row, drop
from silverloom.ops.core.params import ModelName, Params, Strict
from silverloom.ops.core.parts import Artifact, Parts
from silverloom.ops.crawl.local_search import LocalIndex
from silverloom.ops.crawl.search import NOT_ASKED, QUERY, Query, asked, queries
from silverloom.ops.models.encoder import ENCODER
from silverloom.ops.text.minhash import signature
from silverloom.ops.wikisum.candidates import (
    PAGE_IDS,
    Candidate,
    CandidatePages,
    is_of_index,
    pages_of_index,
    results_of,
)
from silverloom.ops.wikisum.clones import clone_recalls, is_itself, is_titled
from silverloom.ops.wikisum.crawled import Crawled, crawled_parts
from silverloom.ops.wikisum.schemas import REFERENCES
from silverloom.ops.wikisum.search_index import indexed as with_index
from silverloom.ops.wikisum.search_index import load as load_index
from silverloom.ops.wikisum.sections import cited_address
from silverloom.ops.wikisum.soft_404 import is_soft_404
from silverloom.ops.wikisum.topic import embedded_pages, results_with_rivals

#: Why addresses and queries give no reference.
NOT_CRAWLED, NOT_READ, EMPTY = "cited_page_not_there", "found_page_not_there", "page_without_words"
ITSELF, FOUND_NOTHING = "article_itself", "search_found_nothing"
#: Headings that are not searched for, and queries for the local index, although a search engine was asked
#: others.
SECTION_NOT_ASKED, QUERY_NOT_CRAWLED = "section_not_asked", "query_not_crawled"

_PAGE_COLUMNS = ("id", "document", "licence", "title", "text")
_INDEXED_COLUMNS = ("address", "page_id")

_TEXT = pa.string()
_HIT = pa.struct([("query", _TEXT), ("rank", pa.int64()), ("score", pa.float64())])
_CANDIDATE = pa.struct(
    [("address", _TEXT), ("record", _TEXT), ("cited_as", pa.list_(_TEXT)), ("hits", pa.list_(_HIT))]
)
#: An article's candidates as the first map writes and the second reads them, and what gave no candidate.
_CANDIDATES = pa.schema(
    [
        ("lost", pa.list_(pa.struct([("reason", _TEXT), ("count", pa.int64())]))),
        ("candidates", pa.list_(_CANDIDATE)),
    ]
)


class ReferenceParams(Params, section="wikisum.references"):
    """Where references come from: the pages that articles cite, and those that a search finds.

    If a search engine was asked about an article, its results count; else the local index is searched.
    """

    results: int = Field(
        10,
        ge=0,
        description="of the search, for each section title; 0: none",
        json_schema_extra={"paper": "10, of Google's"},
    )
    query: Query = Field(
        QUERY,
        description="what is searched for a section, in the lead the title alone; the paper's headings have "
        "the article's title in front (Figure 7)",
        json_schema_extra={"paper": "section titles"},
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
        json_schema_extra={"paper": "words"},
    )
    shingle_words: int = Field(4, ge=2, description="of a shingle")
    least_section_words: int = Field(
        10,
        ge=1,
        description="distinct shingles, or words, that a section must have to tell clones, or 'He died in "
        "London.' would make many (docs/reports/wikisum-clones.md); where none has as many, the article "
        "counts as one section",
        json_schema_extra={"paper": "1"},
    )
    permutations: int = Field(0, ge=0, description="of a MinHash of each page, for near-duplicates; 0: none")
    encoder: ModelName = Field(
        ENCODER, description="the sentence encoder that compares what the local index finds with the title"
    )


def references(
    articles: Parts,
    cited_pages: Parts,
    found_pages: Parts,
    web_pages: Parts,
    search_index: Artifact,
    params: ReferenceParams,
    derived: DerivedFolder,
    strict: Strict,
) -> Outcomes:
    """Yield the candidates of every article; units are the articles.

    Drops an article without candidates as `no_reference`. Counts addresses and queries that give none:
    `cited_page_not_there`, `found_page_not_there`, `page_without_words`, `article_itself`,
    `search_found_nothing`, `query_not_crawled`; and headings that are not searched for: `section_not_asked`.
    """
    search_index = with_index(search_index, web_pages, derived)
    with articles.engine.scratch() as folder:
        cited = (_all_cited(part.read(["citations"])) for part in articles.parts)
        asked = (_all_asked(part.read(["title", "sections"]), params) for part in articles.parts)
        crawled = crawled_parts(articles, cited_pages, found_pages, cited, asked, folder)
        outcomes = articles.map(candidates_of, search_index, params, beside=crawled)
        rows = (outcome.kept for outcome in outcomes)
        candidates = stored(rows, _CANDIDATES, articles, folder / "candidates")
        indexed = matches(
            search_index.rows, "address", _each(candidates, "address"), folder / "indexed", _INDEXED_COLUMNS
        )
        ids = (part.read(["page_id"])["page_id"] for part in indexed.parts)
        of_address = matches(web_pages, "id", ids, folder / "by address", _PAGE_COLUMNS)
        records = _each(candidates, "record")
        of_record = matches(web_pages, "document", records, folder / "by record", _PAGE_COLUMNS)
        index_pages = stored(
            pages_of_index(candidates, indexed, of_record), PAGE_IDS, articles, folder / "index pages"
        )
        embedded = embedded_pages(web_pages, index_pages, params.encoder, strict, folder / "embedded")
        there = [candidates, indexed, of_address, of_record]
        similar = articles.map(results_of, params.encoder, strict, beside=[*there, embedded])
        article_ids = (part.read(["id"])["id"] for part in articles.parts)
        results = results_with_rivals(
            (outcome.kept for outcome in similar), article_ids, articles, folder / "similar"
        )
        yield from articles.map(references_of, params, beside=[*there, results])


def candidates_of(
    articles: pa.Table,
    landings: pa.Table,
    results: pa.Table,
    searched: pa.Table,
    search_index: Artifact,
    params: ReferenceParams,
) -> Outcome:
    """Return, as kept rows, the pages that the articles of one part cite and a search finds for them.

    `landings`, `results` and `searched` are parts of the tables in `CrawledParts`.
    """
    crawled = Crawled.of(landings, results, searched)
    index = load_index(search_index)
    kept = []
    for article in articles.select(REFERENCES.unit.names).to_pylist():
        lost: Counter[str] = Counter()
        candidates = _candidates(article, lost, crawled, index, params)
        counts = [{"reason": reason, "count": count} for reason, count in lost.items()]
        kept.append({"lost": counts, "candidates": [vars(candidate) for candidate in candidates]})
    nothing = pa.table({"id": pa.array([], _TEXT)})
    table = pa.Table.from_pylist(kept, schema=_CANDIDATES)
    return Outcome(pa.array([], _TEXT), table, nothing, nothing)


def references_of(
    articles: pa.Table,
    candidates: pa.Table,
    indexed: pa.Table,
    of_address: pa.Table,
    of_record: pa.Table,
    results: pa.Table,
    params: ReferenceParams,
) -> Outcome:
    """Return the references of the articles of one part, given their candidates and the candidates' pages.

    `results` are those that the index alone found, with their similarities.
    """
    units = articles.select(REFERENCES.unit.names).to_pylist()
    pages = CandidatePages.of(indexed, of_address, of_record)
    kept: list[Row] = []
    dropped: list[Row] = []
    lost: Counter[str] = Counter()
    for article, listed in zip(units, candidates.to_pylist(), strict=True):
        reasons = Counter({row["reason"]: row["count"] for row in listed["lost"]})
        listed_candidates = [Candidate(**candidate) for candidate in listed["candidates"]]
        there = [
            (candidate, page) for candidate in listed_candidates if (page := pages.get(candidate)) is not None
        ]
        for candidate in listed_candidates:
            if pages.get(candidate) is None:
                reasons[NOT_CRAWLED if candidate.cited_as else NOT_READ] += 1
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
        lost += reasons
    kept = _with_similarities(kept, results)
    return Outcome.of(REFERENCES, [unit["id"] for unit in units], kept, dropped, combinations=lost)


def _with_similarities(references: Sequence[Row], results: pa.Table) -> list[Row]:
    """Return references with the similarities of what the index alone found."""
    similar = {(row["article_id"], row["page_id"]): row for row in results.to_pylist()}
    nothing = {"similarity": None, "rival": None}
    found = (
        similar[row["article_id"], row["page_id"]] if is_of_index(row["hits"]) else nothing
        for row in references
    )
    return [
        {**row, "title_similarity": result["similarity"], "rival_similarity": result["rival"]}
        for row, result in zip(references, found, strict=True)
    ]


def sections_of(article: Row) -> Iterator[tuple[str, str]]:
    """Yield heading and text of each section, the lead first; a text may be empty."""
    for section in article["sections"]:
        yield section["title"], article["text"][section["start"] : section["end"]]


def _all_cited(articles: pa.Table) -> set[str]:
    return {address for article in articles.to_pylist() for address in _cited(article)}


def _all_asked(articles: pa.Table, params: ReferenceParams) -> set[str]:
    return {query for article in articles.to_pylist() for query in _queries(article, params)}


def _each(candidates: Parts, name: str) -> Iterator[pa.Array]:
    """Yield one field of all candidates, part by part."""
    for part in candidates.parts:
        listed = part.read(["candidates"])["candidates"].combine_chunks()
        yield pc.struct_field(pc.list_flatten(listed), name)


def _queries(article: Row, params: ReferenceParams) -> list[str]:
    """Return the queries for an article."""
    return queries(article["title"], _headings(article, params), params.query) if params.results else []


def _headings(article: Row, params: ReferenceParams) -> list[str]:
    return asked((section["title"] for section in article["sections"]), params.not_asked)


def _cited(article: Row) -> Iterator[str]:
    return (cited_address(cited["url"]) for cited in article["citations"])


def _candidates(
    article: Row,
    lost: Counter[str],
    crawled: Crawled,
    index: LocalIndex,
    params: ReferenceParams,
) -> list[Candidate]:
    """Return the candidates of an article, without the article itself; count what gives no candidate."""
    by_address: dict[str, Candidate] = {}
    for cited in _cited(article):
        address, record = crawled.landing(cited, article["month"]) or (cited, "")
        cited_as = by_address.setdefault(address, Candidate(address, record)).cited_as
        if cited not in cited_as:
            cited_as.append(cited)
    if params.results:
        of_engine = crawled.asked(article["id"])
        lost[SECTION_NOT_ASKED] += len(article["sections"]) - len(_headings(article, params))
        for query in _queries(article, params):
            hits: list[tuple[int, float | None, Candidate]]
            if of_engine is not None and query in of_engine:
                results = crawled.results(query, article["month"])[: params.results]
                hits = [(rank, None, Candidate(*landing)) for rank, landing in results]
            else:
                lost[QUERY_NOT_CRAWLED] += of_engine is not None
                hits = [
                    (hit.rank, None if hit.score is None else round(hit.score, 4), Candidate(hit.url))
                    for hit in index.search(query, params.results)
                ]
            lost[FOUND_NOTHING] += not hits
            for rank, score, candidate in hits:
                candidate = by_address.setdefault(candidate.address, candidate)
                candidate.hits.append({"query": query, "rank": rank, "score": score})
    itself = [address for address in by_address if is_itself(address, article["title"], params.hosts)]
    lost[ITSELF] += len(itself)
    for address in itself:
        del by_address[address]
    return list(by_address.values())


def _rows(
    article: Row, references: Sequence[tuple[Candidate, Row]], params: ReferenceParams
) -> Iterator[Row]:
    texts = [page["text"] for _, page in references]
    sections = [text for _, text in sections_of(article)]
    shingle = params.shingle_words if params.recall == "shingles" else 1
    recalls = clone_recalls(texts, sections, shingle, params.least_section_words).tolist()
    for position, ((candidate, page), text, recall) in enumerate(
        zip(references, texts, recalls, strict=True)
    ):
        yield {
            **made_from_several([article, page], "reference", article["id"], page["id"]),
            "article_id": article["id"],
            "article_title": article["title"],
            "page_id": page["id"],
            "address": candidate.address,
            "title": page["title"],
            "position": position,
            "cited": bool(candidate.cited_as),
            "cited_as": candidate.cited_as,
            "hits": candidate.hits,
            "words": len(text.split()),
            "clone_recall": round(recall, 6),
            "soft_404": is_soft_404(page["title"] or "", text),
            "signature": signature(text, params.permutations) if params.permutations else None,
        }
