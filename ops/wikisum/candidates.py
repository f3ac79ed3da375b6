"""Candidates for references with their pages, and how similar those are that the local index alone found.

Belongs here: a candidate, the look-up of its page, the pages that are embedded, and the similarities of a
part's articles with them. Not here: where candidates come from (references.py), the measure (topic.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from silverloom.ops.core.outcome import Outcome, Row
from silverloom.ops.core.params import ModelName, Strict
from silverloom.ops.core.parts import Parts
from silverloom.ops.models.encoder import embedder
from silverloom.ops.wikisum.topic import RESULTS, passages_by_page, topic_similarities

_TEXT = pa.string()
PAGE_IDS = pa.schema([("page_id", _TEXT)])


@dataclass
class Candidate:
    """A page that an article cites or a search found for it."""

    address: str
    record: str = ""
    """The id of the crawl's row that the page was read from; empty if the page is looked up by address."""
    cited_as: list[str] = field(default_factory=list)
    """The addresses in the article that led here; empty if it does not cite the page."""
    hits: list[Mapping[str, object]] = field(default_factory=list)


@dataclass(frozen=True)
class CandidatePages:
    """The pages of candidates, by the record that they were read from and by address."""

    by_record: Mapping[str, Row]
    by_address: Mapping[str, Row]

    @classmethod
    def of(cls, indexed: pa.Table, of_address: pa.Table, of_record: pa.Table) -> CandidatePages:
        """Build the lookups for all candidates of a part."""
        pages = {page["id"]: page for page in of_address.to_pylist()}
        return cls(
            {page["document"]: page for page in of_record.to_pylist()},
            {row["address"]: pages[row["page_id"]] for row in indexed.to_pylist()},
        )

    def get(self, candidate: Candidate) -> Row | None:
        """Return the page of a candidate: the one read from its crawl record, if any, else by address."""
        return self.by_record.get(candidate.record) or self.by_address.get(candidate.address)


def results_of(
    articles: pa.Table,
    candidates: pa.Table,
    indexed: pa.Table,
    of_address: pa.Table,
    of_record: pa.Table,
    embedded: pa.Table,
    encoder: ModelName,
    strict: Strict,
) -> Outcome:
    """Return, as kept rows, what the index alone found for the articles of one part, with similarities.

    `embedded` are the embeddings of these pages.
    """
    pages, passages = CandidatePages.of(indexed, of_address, of_record), passages_by_page(embedded)
    results = [
        (article["id"], article["title"], page["id"])
        for article, listed in zip(
            articles.select(["id", "title"]).to_pylist(), candidates.to_pylist(), strict=True
        )
        for candidate in listed["candidates"]
        if is_of_index(candidate["hits"]) and (page := pages.get(Candidate(**candidate))) is not None
    ]
    similarities = topic_similarities(
        [title for _, title, _ in results],
        [passages[page] for _, _, page in results],
        embedder(encoder, strict),
    )
    rows = [
        {"article_id": article, "page_id": page, "similarity": similarity}
        for (article, _, page), similarity in zip(results, similarities.tolist(), strict=True)
    ]
    nothing = pa.table({"id": pa.array([], _TEXT)})
    return Outcome(nothing["id"], pa.Table.from_pylist(rows, RESULTS), nothing, nothing)


def is_of_index(hits: Sequence[Mapping[str, object]]) -> bool:
    """Return whether the index alone found a page: what a search engine found has no score."""
    return bool(hits) and all(hit["score"] is not None for hit in hits)


def pages_of_index(candidates: Parts, indexed: Parts, of_record: Parts) -> Iterator[pa.Table]:
    """Yield the ids of the pages that the index alone found, part by part."""
    for listed, rows, recorded in zip(candidates.parts, indexed.parts, of_record.parts, strict=True):
        articles = listed.read(["candidates"])["candidates"].to_pylist()
        index_pages = [page for pages in articles for page in pages if is_of_index(page["hits"])]
        ids = []
        for table, column, name, key in (
            (rows.read(), "address", "page_id", "address"),
            (recorded.read(["document", "id"]), "document", "id", "record"),
        ):
            wanted = pa.array({page[key] for page in index_pages}, _TEXT)
            ids += table.filter(pc.is_in(table[column], wanted))[name].to_pylist()
        yield pa.table({"page_id": [*dict.fromkeys(ids)]}, PAGE_IDS)
