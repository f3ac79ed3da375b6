"""How similar pages are to the title of an article, because a local index returns something for any query.

Belongs here: which words of a page are read, their embeddings, the similarity, and that of the same page with
other articles that it was found for. Not here: the encoder (ops/models), the threshold (corpus.py).

The encoder is what takes the time. So it reads each page once, however many articles the page was found for
and in however many parts these are, and the parts of the pages are shared by the workers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from silverloom.ops.core.joins import grouped, matches, stored
from silverloom.ops.core.outcome import Outcome
from silverloom.ops.core.params import ModelName, Strict
from silverloom.ops.core.parts import Parts
from silverloom.ops.models.encoder import Embed, embedder

#: Words of each passage: what the encoder reads of a page. Longer or more passages tell little better
#: (docs/reports/wikisum-real-articles.md).
WORDS = 80

#: The embeddings of a page's passages.
_EMBEDDED = pa.schema([("page_id", pa.string()), ("passages", pa.list_(pa.list_(pa.float32())))])

#: The share of a rival's similarity that `topic_score` takes away.
RIVAL_SHARE = 0.5

#: Rows after which a part of results, grouped by page, ends.
_RESULTS = 4096

#: What the index alone found, with the similarity of page and title, and then with that of the best rival.
RESULTS = pa.schema(
    [
        ("article_id", pa.string()),
        ("page_id", pa.string()),
        ("similarity", pa.float64()),
        ("rival", pa.float64()),
    ]
)


def embedded_pages(
    web_pages: Parts, page_ids: Parts, encoder: ModelName, strict: Strict, folder: Path
) -> Parts:
    """Return, for each part of `page_ids`, the embeddings of its pages, from ids in the column `page_id`.

    Each page is embedded once. The parts are written to `folder`, which is created.
    """
    folder.mkdir()
    of_part = (part.read(["id"])["id"] for part in web_pages.parts)
    asked = matches(page_ids, "page_id", of_part, folder / "asked")
    ids = (part.read(["page_id"])["page_id"] for part in asked.parts)
    pages = matches(web_pages, "id", ids, folder / "pages", ("id", "text"))
    outcomes = pages.map(embedded_passages, encoder, strict)
    embedded = stored((outcome.kept for outcome in outcomes), _EMBEDDED, web_pages, folder / "embedded")
    ids = (part.read(["page_id"])["page_id"] for part in page_ids.parts)
    return matches(embedded, "page_id", ids, folder / "found")


def embedded_passages(pages: pa.Table, encoder: ModelName, strict: Strict) -> Outcome:
    """Return, as kept rows, the embeddings of the passages of pages."""
    nothing = pa.array([], pa.string())
    passages = passage_embeddings(pages["text"].to_pylist(), embedder(encoder, strict))
    rows = pa.table([pages["id"], [page.tolist() for page in passages]], schema=_EMBEDDED)
    return Outcome(nothing, rows, pa.table({"id": nothing}), pa.table({"id": nothing}))


def passages_by_page(embedded: pa.Table) -> dict[str, NDArray[np.float32]]:
    """Return what `passage_embeddings` returned for each page, from rows of `embedded_pages`, by its id."""
    counts = pc.list_value_length(embedded["passages"]).to_numpy()
    numbers = pc.list_flatten(pc.list_flatten(embedded["passages"])).to_numpy()
    if not len(numbers):
        return {}
    rows = np.split(numbers.reshape(counts.sum(), -1), np.cumsum(counts)[:-1])
    return dict(zip(embedded["page_id"].to_pylist(), rows, strict=True))


def passage_embeddings(texts: Sequence[str], embed: Embed) -> list[NDArray[np.float32]]:
    """Return the embeddings of the first and the last 80 words of N texts: N arrays of P x E, P = 1 or 2.

    A text without more words is one passage. Equal passages are embedded once.
    """
    passages = [_passages(text) for text in texts]
    place = {text: number for number, text in enumerate(dict.fromkeys(chain.from_iterable(passages)))}
    embeddings = embed([*place]) if place else np.zeros((0, 0), np.float32)
    return [embeddings[[place[passage] for passage in page]] for page in passages]


def topic_similarities(
    titles: Sequence[str], pages: Sequence[NDArray[np.float32]], embed: Embed
) -> NDArray[np.float64]:
    """Return the similarity of N titles with N pages, from 0 to 1, to four decimals (N).

    `pages` are their `passage_embeddings`. It is the mean cosine of the title with the passages; 0 where it
    is negative. Each title is embedded once, however often it occurs.
    """
    place = {title: number for number, title in enumerate(dict.fromkeys(titles))}
    if not place:
        return np.zeros(0)
    embeddings = embed([*place])
    similarities = [
        np.mean([passage @ embeddings[place[title]] for passage in page])
        for title, page in zip(titles, pages, strict=True)
    ]
    return np.maximum(np.array(similarities, np.float64), 0).round(4)


def topic_score(similarity: float | None, rival: float | None) -> float | None:
    """Return how much a result is about an article, from 0 to 1; None if the index did not find it.

    A page about another article is often similar to this title, too, but more to the other: so half of its
    greatest similarity with another article is taken away (docs/reports/wikisum-real-articles.md).
    """
    if similarity is None:
        return None
    return max(round(similarity - RIVAL_SHARE * (rival or 0), 4), 0)


def results_with_rivals(
    results: Iterable[pa.Table], article_ids: Iterable[pa.ChunkedArray], articles: Parts, folder: Path
) -> Parts:
    """Return, for each set of article ids, a part with the results of these articles and their rivals.

    A rival of a result is another article that the same page was found for. The parts are written to
    `folder`, which is created.
    """
    folder.mkdir()
    by_page = grouped(results, RESULTS, "page_id", articles, folder / "by page", _RESULTS)
    rows = (outcome.kept for outcome in by_page.map(with_rivals))
    return matches(
        stored(rows, RESULTS, articles, folder / "rivals"), "article_id", article_ids, folder / "found"
    )


def with_rivals(results: pa.Table) -> Outcome:
    """Return, as kept rows, results with the greatest similarity of their page with another article.

    A page has all its results in the table. Without another article, the similarity is null.
    """
    best: dict[str, dict[str, float]] = {}
    rows = results.to_pylist()
    for row in rows:
        of_page = best.setdefault(row["page_id"], {})
        of_page[row["article_id"]] = max(of_page.get(row["article_id"], 0), row["similarity"])
    two = {page: sorted(of_page.items(), key=lambda pair: -pair[1])[:2] for page, of_page in best.items()}
    for row in rows:
        others = (value for article, value in two[row["page_id"]] if article != row["article_id"])
        row["rival"] = next(others, None)
    nothing = pa.array([], pa.string())
    return Outcome(
        nothing, pa.Table.from_pylist(rows, RESULTS), pa.table({"id": nothing}), pa.table({"id": nothing})
    )


def _passages(text: str) -> list[str]:
    """Return the first and the last words of a text; a short text is one passage."""
    words = text.split()
    if len(words) <= WORDS:
        return [" ".join(words)]
    return [" ".join(words[:WORDS]), " ".join(words[-WORDS:])]
