"""The paragraphs of an article's references, ranked by every configured method.

Belongs here: which lines of a web page are paragraphs of text (the filter in the released code,
tensor2tensor's wikisum.py, with the same criteria), their scores by corpus, and the first words of ranked
paragraphs, which a summariser reads. Not here: the methods (rank.py), which pages are references (corpus.py),
dividing pages into lines (ops/parse/web.py), sub-words (tokenizer.py).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from pydantic import Field

from silverloom.ops.core.identity import made_from_several
from silverloom.ops.core.joins import matches
from silverloom.ops.core.outcome import Outcome, Outcomes, Row, drop
from silverloom.ops.core.params import Params
from silverloom.ops.core.parts import Parts
from silverloom.ops.filters.language import languages
from silverloom.ops.text.word_numbers import normalised
from silverloom.ops.text.words import fold
from silverloom.ops.wikisum.corpus import CITATIONS, COMBINED, SEARCH, CorpusName
from silverloom.ops.wikisum.dispersion import support
from silverloom.ops.wikisum.rank import Method, Ranking, bigram_recalls, rank
from silverloom.ops.wikisum.schemas import RANKED
from silverloom.ops.wikisum.sections import TargetSection, cited_address, sections_of

#: Why a paragraph is dropped.
Fault = Literal["few_tokens", "no_letter", "no_sentence"]
#: Why a paragraph is dropped that would be worth reading otherwise.
BOILERPLATE, REPEATED, OTHER_LANGUAGE = "boilerplate", "repeated", "other_language"

_FEW_TOKENS = 6
_LEAST_SENTENCE, _LEAST_WORDS = 3, 3
_LETTERS = re.compile(r"[a-z]+")
#: A paragraph of so many words that is less likely to be in the language is in another one. Entries of
#: bibliographies and code score 0.01 to 0.5, prose in another language 0.
_TELLING_WORDS, _OTHER = 10, 0.01

#: Columns of web pages that are read; and the methods that compare paragraphs with each other.
_PAGE_COLUMNS = ("id", "licence", "date", "text", "paragraphs")
_SLOW = ("text_rank", "sum_basic")
TOO_MANY = "more than {} paragraphs: reference order"


class RankedParams(Params, section="wikisum.ranked"):
    """Which methods rank the paragraphs, and of which references."""

    rankers: tuple[Method, ...] = Field(
        ("identity", "tf_idf", "text_rank", "sum_basic", "cheating"), min_length=1
    )
    """Those that score the paragraphs."""
    corpora: tuple[CorpusName, ...] = Field(("combined", "citations", "search"), min_length=1)
    """References whose paragraphs are scored: all, the cited ones, or those that a search finds."""
    boilerplate: float = Field(
        0.5,
        ge=0,
        le=1,
        description="a paragraph that scores this or more is dropped (menus, notes on cookies, footers); 1: "
        "none is",
        json_schema_extra={"paper": "1"},
    )
    repeated: Literal["dropped", "kept"] = Field(
        "dropped",
        description="a paragraph that an earlier one of the same article equals",
        json_schema_extra={"paper": "kept"},
    )
    language: str | None = Field(
        "en",
        description="a paragraph in another language is dropped (ISO 639-1); null: none is",
        json_schema_extra={"paper": "null"},
    )
    holes: int = Field(
        0,
        ge=0,
        description="a sentence of the article from which more was taken out that cannot be rendered is no "
        "part of a target",
        json_schema_extra={"paper": "not said"},
    )
    lists: bool = Field(
        False,
        description="whether the items of an article's lists are paragraphs of its targets, each beginning "
        'with "* "; those under headings like "References" are not. false, since many are no sentences',
        json_schema_extra={"paper": "true, of whole articles"},
    )
    slow_paragraphs: int = Field(
        20_000, ge=1, description="an article with more is left in reference order by text_rank and sum_basic"
    )


def keep_paragraph(text: str) -> bool:
    """Return whether a paragraph is worth reading: long enough, with letters and a sentence."""
    return paragraph_fault(normalised(text)) is None


def paragraph_fault(text: str) -> Fault | None:
    """Return why a paragraph is dropped, None if it is kept; `text` is normalised.

    `few_tokens`: fewer than 6. `no_letter`: no ASCII letter. `no_sentence`: no "." that comes more than 3
    tokens after the previous one (or the first token), with at least 3 tokens made only of letters in
    between.
    """
    tokens = text.split(" ") if text else []
    if len(tokens) < _FEW_TOKENS:
        return "few_tokens"
    if not _LETTERS.search(text):
        return "no_letter"
    last = words_since = 0
    for place, word in enumerate(tokens):
        if word == ".":
            if place - last > _LEAST_SENTENCE and words_since >= _LEAST_WORDS:
                return None
            last, words_since = place, 0
        elif _LETTERS.fullmatch(word):
            words_since += 1
    return "no_sentence"


def ranked(corpus: Parts, articles: Parts, web_pages: Parts, params: RankedParams) -> Outcomes:
    """Yield a row for each article with its paragraphs and their scores; the units are its references.

    A reference without a paragraph worth reading is dropped as `no_paragraph`. The row of the article lists
    its filtered paragraphs with their reasons, and the sentences that its targets lack because of holes; both
    are also counted.
    """
    with corpus.engine.scratch() as folder:
        of_articles = matches(articles, "id", _column(corpus, "article_id"), folder / "articles")
        of_pages = matches(web_pages, "id", _column(corpus, "page_id"), folder / "pages", _PAGE_COLUMNS)
        yield from corpus.map(ranked_of, params, beside=[of_articles, of_pages])


def ranked_of(corpus: pa.Table, articles: pa.Table, web_pages: pa.Table, params: RankedParams) -> Outcome:
    """Return the articles of one part of the references, given these articles and the pages."""
    units = corpus.to_pylist()
    of_id = {row["id"]: row for row in articles.to_pylist()}
    pages = {page["id"]: page for page in web_pages.to_pylist()}
    kept: list[Row] = []
    dropped: list[Row] = []
    lost: Counter[str] = Counter()
    for article_id, group in groupby(units, key=lambda unit: str(unit["article_id"])):
        references = list(group)
        paragraphs: list[Row] = []
        filtered: list[Row] = []
        seen: dict[str, dict[str, Any]] = {}
        for unit in references:
            readable, faulty = paragraphs_of(unit, pages[unit["page_id"]], seen, params)
            paragraphs += readable
            filtered += faulty
            if not readable:
                dropped.append(drop(unit, "no_paragraph", float(len(faulty)), "paragraphs filtered"))
        lost.update(row["reason"] for row in filtered)
        used = {row["page_id"] for row in paragraphs}
        references = [unit for unit in references if unit["page_id"] in used]
        if references:
            row = _row(of_id[article_id], references, pages, paragraphs, filtered, params)
            lost["sentence_with_holes"] += len(row["left_out"])
            kept.append(row)
    return Outcome.of(RANKED, [unit["id"] for unit in units], kept, dropped, combinations=+lost)


def _column(parts: Parts, name: str) -> Iterator[pa.ChunkedArray]:
    return (part.read([name])[name] for part in parts.parts)


def members(paragraphs: Sequence[Row], corpus: str) -> list[int]:
    """Return the indices of the paragraphs in a corpus."""
    fields = {CITATIONS: ["cited"], SEARCH: ["searched"], COMBINED: ["cited", "searched"]}[corpus]
    return [index for index, paragraph in enumerate(paragraphs) if any(paragraph[field] for field in fields)]


def order_of(scores: Sequence[float | None]) -> list[int]:
    """Return the paragraphs that have a score, the best first, ties by position."""
    there = [index for index, score in enumerate(scores) if score is not None]
    values = np.array([scores[index] for index in there], np.float64)
    return [there[place] for place in np.argsort(-values, kind="stable")]


def first_words(texts: Sequence[str], order: Sequence[int], words: int) -> str:
    """Return the first words of normalised texts in the given order; spaces separate words."""
    tokens: list[str] = []
    for index in order:
        tokens += texts[index].split(" ")
        if len(tokens) >= words:
            break
    return " ".join(tokens[:words])


def lead_recall(unit: Row, scores: Sequence[float | None], words: int) -> float:
    """Return the share of a lead's distinct bigrams in the first words of its ranked paragraphs."""
    texts = [paragraph["text"] for paragraph in unit["paragraphs"]]
    return float(bigram_recalls(unit["lead"], [first_words(texts, order_of(scores), words)])[0])


def paragraphs_of(
    unit: Row, page: Row, seen: dict[str, dict[str, Any]], params: RankedParams
) -> tuple[list[Row], list[Row]]:
    """Return the paragraphs of a page that are worth reading, and those that are not.

    `seen` has the article's earlier paragraphs by their text. One that is repeated on a cited page counts as
    cited, and one that is repeated on a result of the search as searched.
    """
    readable: list[Row] = []
    filtered: list[Row] = []
    for position, place in enumerate(page["paragraphs"]):
        natural = fold(page["text"][place["start"] : place["end"]])
        text = normalised(natural)
        paragraph = {"page_id": page["id"], "position": position, "text": text}
        if fault := paragraph_fault(text):
            filtered.append({**paragraph, "reason": fault})
        elif params.boilerplate < 1 and place["boilerplate"] >= params.boilerplate:
            filtered.append({**paragraph, "reason": BOILERPLATE})
        elif params.repeated == "dropped" and (first := seen.get(text)):
            first.update({name: first[name] or unit[name] for name in ("cited", "searched")})
            filtered.append({**paragraph, "reason": REPEATED})
        elif params.language and _is_in_another(natural, params.language):
            filtered.append({**paragraph, "reason": OTHER_LANGUAGE})
        else:
            flags = {"cited": unit["cited"], "searched": unit["searched"]}
            row = {**paragraph, **flags, "natural": natural}
            seen.setdefault(text, row)
            readable.append(row)
    return readable, filtered


def _is_in_another(text: str, language: str) -> bool:
    if len(text.split()) < _TELLING_WORDS:
        return False
    [(_, probability)] = languages([text], language)
    return probability is not None and probability < _OTHER


def _row(
    article: Row,
    references: Sequence[Row],
    pages: Mapping[str, Row],
    paragraphs: Sequence[Row],
    filtered: Sequence[Row],
    params: RankedParams,
) -> Row:
    first, *others = [*sections_of(article, params.holes, params.lists)] or [TargetSection("", "", [], [])]
    lead, sections = normalised(first.natural), [section for section in others if section.natural]
    return {
        **made_from_several(references, "ranked", article["id"]),
        "article_id": article["id"],
        "title": article["title"],
        "month": article["month"],
        "citations": sum(unit["cited"] for unit in references),
        "lead": lead,
        "natural_lead": first.natural,
        "sections": [
            {
                "title": normalised(section.title),
                "text": normalised(section.natural),
                "natural_title": section.title,
                "natural": section.natural,
            }
            for section in sections
        ],
        "left_out": [row for section in (first, *others) for row in section.left_out],
        "sentences": _sentences(article["title"], [first, *sections], references, paragraphs),
        "references": _references(article, references, pages),
        "page": article["page"],
        "revision": article["revision"],
        "paragraphs": list(paragraphs),
        "rankings": [
            _ranking(article["title"], lead, paragraphs, corpus, method, params)
            for corpus in params.corpora
            for method in params.rankers
        ],
        "filtered": list(filtered),
    }


def _sentences(
    title: str, sections: Sequence[TargetSection], references: Sequence[Row], paragraphs: Sequence[Row]
) -> list[Row]:
    """Return the sentences of the lead and the sections, with the references that they cite."""
    cited = {url: place for place, unit in enumerate(references) for url in unit["cited_as"]}
    rows = [
        {
            "section": number,
            **sentence._asdict(),
            "references": [*dict.fromkeys(cited[url] for url in sentence.citations if url in cited)],
        }
        for number, section in enumerate(sections)
        for sentence in section.sentences
    ]
    texts = [normalised(sections[row["section"]].natural[row["start"] : row["end"]]) for row in rows]
    supports = support(texts, title, [paragraph["text"] for paragraph in paragraphs])
    return [{**row, "support": share} for row, share in zip(rows, supports, strict=True)]


def _references(article: Row, references: Sequence[Row], pages: Mapping[str, Row]) -> list[Row]:
    """Return references with what the article says of them; of several citations, the first that says it."""
    said: dict[str, list[Row]] = {}
    for citation in article["citations"]:
        said.setdefault(cited_address(citation["url"]), []).append(citation)
    rows: list[Row] = []
    for unit in references:
        citations = [citation for url in unit["cited_as"] for citation in said.get(url, ())]
        work, work_date, archive = (
            next((citation[name] for citation in citations if citation[name]), None)
            for name in ("title", "date", "archive")
        )
        page = pages[unit["page_id"]]
        columns = ("page_id", "address", "title", "cited", "searched", "cited_as")
        rows.append(
            {
                **{name: unit[name] for name in columns},
                "fetched": page["date"],
                "licence": page["licence"],
                "work": work,
                "work_date": work_date,
                "archive": archive,
            }
        )
    return rows


def _ranking(
    title: str, lead: str, paragraphs: Sequence[Row], corpus: str, method: Method, params: RankedParams
) -> Row:
    places = members(paragraphs, corpus)
    texts = [paragraphs[place]["text"] for place in places]
    if method in _SLOW and len(texts) > params.slow_paragraphs:
        ranking = rank(title, texts, "identity")._replace(note=TOO_MANY.format(params.slow_paragraphs))
    else:
        ranking = rank(title, texts, method, lead)
    return {
        "corpus": corpus,
        "ranker": method,
        "scores": _spread(ranking, places, len(paragraphs)),
        "note": ranking.note,
    }


def _spread(ranking: Ranking, places: Sequence[int], size: int) -> list[Any]:
    scores: list[float | None] = [None] * size
    for place, score in zip(places, ranking.scores, strict=True):
        scores[place] = round(score, 6)
    return scores
