"""The paragraphs of an article's references, ranked by every method that is asked for.

Belongs here: from pages to paragraphs worth reading, and their scores by corpus. Not here: the methods
(rank.py), the filter (paragraphs.py), which pages are references (corpus.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np
import pyarrow as pa
from pydantic import Field

from ops.identity import joint_licence, row_id
from ops.outcome import Outcome, Outcomes, Row, drop
from ops.params import Params
from ops.parts import Parts
from ops.text.word_numbers import normalised
from ops.wikisum.corpus import CITATIONS, COMBINED, SEARCH, CorpusName
from ops.wikisum.paragraphs import paragraph_fault
from ops.wikisum.rank import Method, Ranking, rank
from ops.wikisum.references import sections_of
from ops.wikisum.schemas import RANKED

#: These compare paragraphs with each other.
_SLOW = ("text_rank", "sum_basic")
TOO_MANY = "more than {} paragraphs: reference order"


class RankedParams(Params, section="wikisum.ranked"):
    """What ranks the paragraphs, and of which references."""

    rankers: tuple[Method, ...] = Field(
        ("identity", "tf_idf", "text_rank", "sum_basic", "cheating"), min_length=1
    )
    corpora: tuple[CorpusName, ...] = Field(("combined", "citations", "search"), min_length=1)
    slow_paragraphs: int = Field(
        20_000, ge=1, description="an article with more is left in reference order by text_rank and sum_basic"
    )


def ranked(corpus: Parts, articles: Parts, web_pages: Parts, params: RankedParams) -> Outcomes:
    """Yield a row for each article with its paragraphs and their scores; the units are its references.

    A reference without a paragraph worth reading is dropped as `no_paragraph`; the paragraphs that are not
    stand with their reason in the row of the article, and are counted.
    """
    return corpus.map(ranked_of, articles, web_pages, params)


def ranked_of(corpus: pa.Table, articles: Parts, web_pages: Parts, params: RankedParams) -> Outcome:
    """Return the articles of one part."""
    units = corpus.to_pylist()
    of_id = {
        row["id"]: row
        for row in articles.read(where=("id", {unit["article_id"] for unit in units})).to_pylist()
    }
    wanted = {unit["page_id"] for unit in units}
    pages = {
        page["id"]: page
        for page in web_pages.read(["id", "text", "paragraphs"], where=("id", wanted)).to_pylist()
    }
    kept: list[Row] = []
    dropped: list[Row] = []
    lost: Counter[str] = Counter()
    for article_id, group in groupby(units, key=lambda unit: str(unit["article_id"])):
        references = list(group)
        paragraphs: list[Row] = []
        filtered: list[Row] = []
        for unit in references:
            found, faulty = _paragraphs(unit, pages[unit["page_id"]])
            paragraphs += found
            filtered += faulty
            if not found:
                dropped.append(drop(unit, "no_paragraph", float(len(faulty)), "paragraphs filtered"))
        lost.update(row["reason"] for row in filtered)
        used = {row["page_id"] for row in paragraphs}
        references = [unit for unit in references if unit["page_id"] in used]
        if references:
            kept.append(_row(of_id[article_id], references, paragraphs, filtered, params))
    return Outcome.of(RANKED, [unit["id"] for unit in units], kept, dropped, combinations=lost)


def members(paragraphs: Sequence[Row], corpus: str) -> list[int]:
    """Return which paragraphs are of a corpus."""
    fields = {CITATIONS: ["cited"], SEARCH: ["searched"], COMBINED: ["cited", "searched"]}[corpus]
    return [index for index, paragraph in enumerate(paragraphs) if any(paragraph[field] for field in fields)]


def order_of(scores: Sequence[float | None]) -> list[int]:
    """Return the paragraphs that have a score, the best first, ties by position."""
    there = [index for index, score in enumerate(scores) if score is not None]
    values = np.array([scores[index] for index in there], np.float64)
    return [there[place] for place in np.argsort(-values, kind="stable")]


def _paragraphs(unit: Row, page: Row) -> tuple[list[Row], list[Row]]:
    """Return the paragraphs of a page that are worth reading, and those that are not."""
    found: list[Row] = []
    filtered: list[Row] = []
    for position, place in enumerate(page["paragraphs"]):
        text = normalised(page["text"][place["start"] : place["end"]])
        paragraph = {"page_id": page["id"], "position": position, "text": text}
        if fault := paragraph_fault(text):
            filtered.append({**paragraph, "reason": fault})
        else:
            found.append({**paragraph, "cited": unit["cited"], "searched": unit["searched"]})
    return found, filtered


def _row(
    article: Row,
    references: Sequence[Row],
    paragraphs: Sequence[Row],
    filtered: Sequence[Row],
    params: RankedParams,
) -> Row:
    (_, lead), *sections = [
        (normalised(heading), normalised(text)) for heading, text in sections_of(article)
    ] or [("", "")]
    return {
        "id": row_id("ranked", article["id"]),
        "source_ids": [unit["id"] for unit in references],
        "licence": joint_licence(unit["licence"] for unit in references),
        "article_id": article["id"],
        "title": article["title"],
        "month": article["month"],
        "citations": sum(unit["cited"] for unit in references),
        "lead": lead,
        "sections": [{"title": heading, "text": text} for heading, text in sections if text],
        "paragraphs": list(paragraphs),
        "rankings": [
            _ranking(article["title"], lead, paragraphs, corpus, method, params)
            for corpus in params.corpora
            for method in params.rankers
        ],
        "filtered": list(filtered),
    }


def _ranking(
    title: str, lead: str, paragraphs: Sequence[Row], corpus: str, method: Method, params: RankedParams
) -> Row:
    places = members(paragraphs, corpus)
    texts = [paragraphs[place]["text"] for place in places]
    if method in _SLOW and len(texts) > params.slow_paragraphs:
        found = rank(title, texts, "identity")._replace(note=TOO_MANY.format(params.slow_paragraphs))
    else:
        found = rank(title, texts, method, lead)
    return {
        "corpus": corpus,
        "ranker": method,
        "scores": _spread(found, places, len(paragraphs)),
        "note": found.note,
    }


def _spread(found: Ranking, places: Sequence[int], size: int) -> list[Any]:
    scores: list[float | None] = [None] * size
    for place, score in zip(places, found.scores, strict=True):
        scores[place] = round(score, 6)
    return scores
