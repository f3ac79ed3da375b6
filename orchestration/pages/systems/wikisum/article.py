"""What one page of an article shows: references, paragraphs in the order of every ranker, lead, summaries.

Belongs here: from rows to what the page holds, cut to what a page can bear. Not here: reading the datasets
and which articles have a page (articles.py), where inputs are cut (covered.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tokenizers import Tokenizer

from ops.outcome import Row
from ops.wikisum.examples import InputSet
from ops.wikisum.learned import LEARNED, LearnedRanker
from ops.wikisum.ranked import members, order_of
from orchestration.pages.reading import shortened
from orchestration.pages.sampling import fair
from orchestration.pages.systems.wikisum.covered import Lead, Paragraphs
from orchestration.pages.systems.wikisum.grid import label

#: What a page holds at most: references, ranked paragraphs, characters of these together.
MOST_REFERENCES = 200
MOST_PARAGRAPHS = 200
CHARACTERS = 150_000
#: Of each reason for which paragraphs are dropped; queries of each reference.
MOST_DROPPED, MOST_HITS = 20, 5
_BY_LEAD = "here by the bigrams of the lead; a set of whole articles has the order by those of the article"
LONGEST_LINE, LONGEST_SUMMARY = 300, 6_000

_DIGITS = 5


@dataclass(frozen=True)
class Makers:
    """What inputs are made with."""

    sets: Mapping[str, InputSet]
    pieces: Tokenizer | None
    """None where wikisum/tokenizer is not made: then no input is cut."""
    learned: LearnedRanker | None


@dataclass(frozen=True)
class ArticleRows:
    """The rows of the datasets that are about one article."""

    ranked: Row
    candidates: Sequence[Row]
    """Kept rows of wikisum/references."""
    taken: Mapping[str, Row]
    """Kept rows of wikisum/corpus, by page."""
    left_out: Mapping[str, Row]
    """Dropped rows of wikisum/corpus, by page."""
    examples: Sequence[Row]
    no_example: str | None
    """Why there is none; None where it is not known, too."""
    summaries: Sequence[Row]
    cells: Sequence[Row]
    """Rows of wikisum/grid."""


def references(article: ArticleRows) -> list[dict[str, Any]]:
    """Return the candidates that the page names, in their order, with what became of them."""
    lost = [row for row in article.candidates if row["page_id"] in article.left_out]
    kept = [row for row in article.candidates if row["page_id"] not in article.left_out]
    lost = lost[: max(MOST_REFERENCES // 2, MOST_REFERENCES - len(kept))]
    shown = sorted([*lost, *kept[: MOST_REFERENCES - len(lost)]], key=lambda row: int(row["position"]))
    paragraphs, filtered = (
        Counter(row["page_id"] for row in article.ranked[name]) for name in ("paragraphs", "filtered")
    )
    numbers = {row["page_id"]: row["position"] + 1 for row in article.candidates}
    return [
        {
            "id": row["id"],
            "number": row["position"] + 1,
            "title": shortened(row["title"] or row["address"], LONGEST_LINE),
            "address": shortened(row["address"], LONGEST_LINE),
            "cited": row["cited"],
            "hits": row["hits"][:MOST_HITS],
            "all_hits": len(row["hits"]),
            "words": row["words"],
            "recall": row["clone_recall"],
            "paragraphs": paragraphs[row["page_id"]],
            "filtered": filtered[row["page_id"]],
            **_fate(row, article, numbers),
        }
        for row in shown
    ]


def _fate(row: Row, article: ArticleRows, numbers: Mapping[str, int]) -> dict[str, Any]:
    """Return why a candidate is no reference, or no result of the search; and what it repeats."""
    left_out, taken = article.left_out.get(row["page_id"]), article.taken.get(row["page_id"])
    reason = left_out["reason"] if left_out else None
    repeated = (left_out or {}).get("detail") or ""
    return {
        "reason": reason,
        "score": left_out["score"] if left_out else None,
        "repeats": numbers.get(repeated.removeprefix("as ")),
        "only_cited": bool(taken and row["hits"] and not taken["searched"]),
    }


def dropped(article: ArticleRows) -> list[dict[str, Any]]:
    """Return the reasons for which paragraphs are not ranked, the most frequent first, with some of each."""
    numbers = {row["page_id"]: row["position"] + 1 for row in article.candidates}
    counts = Counter(row["reason"] for row in article.ranked["filtered"])
    return [
        {
            "reason": reason,
            "paragraphs": count,
            "some": [
                (numbers.get(row["page_id"]), shortened(row["text"], LONGEST_LINE))
                for row in article.ranked["filtered"]
                if row["reason"] == reason
            ][:MOST_DROPPED],
        }
        for reason, count in sorted(counts.items(), key=lambda count: (-count[1], count[0]))
    ]


def summaries(article: ArticleRows) -> list[Row]:
    """Return what models wrote, by set and model."""
    return [_shown(row) for row in sorted(article.summaries, key=lambda row: (row["set"], row["model"]))]


def cells(article: ArticleRows) -> list[Row]:
    """Return what models of the grid wrote, by their labels."""
    labelled = (
        {**_shown(row), "label": label(row["architecture"], row["length"], row["ranker"], row["corpus"])}
        for row in article.cells
    )
    return sorted(labelled, key=lambda row: str(row["label"]))


def _shown(row: Row) -> Row:
    return {
        **row,
        "text": shortened(row["prediction"], LONGEST_SUMMARY),
        "characters": len(row["prediction"]),
        "log_perplexity": row["nats"] / row["tokens"],
    }


def page_data(article: ArticleRows, makers: Makers) -> dict[str, Any]:
    """Return what the page's script shows, as JSON can hold it: the lead, the paragraphs and their orders.

    `rankings` have by place in `paragraphs` the score and the rank from 0, missing where a paragraph is not
    in their corpus. `inputs` have for each set, by ranker, where it is cut and what of the lead it covers.
    """
    row = article.ranked
    paragraphs = row["paragraphs"]
    rankings = list(_rankings(row, makers))
    orders = {(corpus, ranker): order_of(scores) for corpus, ranker, scores, _ in rankings}
    ranks = {key: {index: rank for rank, index in enumerate(order)} for key, order in orders.items()}
    first = [min(of.get(index, len(paragraphs)) for of in ranks.values()) for index in range(len(paragraphs))]
    held = sorted(sorted(range(len(paragraphs)), key=lambda index: (first[index], index))[:MOST_PARAGRAPHS])
    shares = fair([len(paragraphs[index]["text"]) for index in held], CHARACTERS)
    numbers = {candidate["page_id"]: candidate["position"] + 1 for candidate in article.candidates}
    lead = Lead(row["lead"])
    return {
        "lead": {"pieces": lead.pieces, "words": lead.words},
        "paragraphs": [
            {
                "reference": numbers.get(paragraphs[index]["page_id"]),
                "position": paragraphs[index]["position"],
                "text": paragraphs[index]["text"][:share],
                "length": len(paragraphs[index]["text"]),
            }
            for index, share in zip(held, shares, strict=True)
        ],
        "rankings": [
            {
                "corpus": corpus,
                "ranker": ranker,
                "note": note,
                "size": len(orders[corpus, ranker]),
                "scores": [_rounded(scores[index]) for index in held],
                "ranks": [ranks[corpus, ranker].get(index) for index in held],
            }
            for corpus, ranker, scores, note in rankings
        ],
        "inputs": _inputs(article, makers, orders, lead),
    }


def _rankings(row: Row, makers: Makers) -> Iterator[tuple[str, str, Sequence[float | None], str]]:
    """Yield corpus, ranker, scores and note of each ranking, that of the trained ranker behind the others."""
    by_article = any((of.ranker, of.target) == ("cheating", "article") for of in makers.sets.values())
    for ranking in row["rankings"]:
        note = _BY_LEAD if by_article and ranking["ranker"] == "cheating" else ranking["note"]
        yield ranking["corpus"], ranking["ranker"], ranking["scores"], note
    if makers.learned is None:
        return
    for corpus in dict.fromkeys(ranking["corpus"] for ranking in row["rankings"]):
        places = members(row["paragraphs"], corpus)
        values = makers.learned.scores(row["title"], [row["paragraphs"][place] for place in places])
        scores: list[float | None] = [None] * len(row["paragraphs"])
        for place, value in zip(places, values, strict=True):
            scores[place] = value
        yield corpus, LEARNED, scores, ""


def _inputs(
    article: ArticleRows, makers: Makers, orders: Mapping[tuple[str, str], Sequence[int]], lead: Lead
) -> list[dict[str, Any]]:
    """Return each set, or each corpus where there is no set or nothing to cut with."""
    examples = {row["set"]: row["id"] for row in article.examples}
    rankers = {corpus: [ranker for of, ranker in orders if of == corpus] for corpus, _ in orders}
    if makers.pieces is None or not makers.sets:
        return [{"set": None, "corpus": corpus, "ranker": of[0]} for corpus, of in rankers.items()]
    texts = [paragraph["text"] for paragraph in article.ranked["paragraphs"]]
    paragraphs = Paragraphs(article.ranked["title"], texts, makers.pieces)
    found = []
    for name, content in makers.sets.items():
        cuts = {}
        for ranker in rankers.get(content.corpus, ()):
            order = orders[content.corpus, ranker] if content.references else ()
            cut = paragraphs.cut(order, content.tokens)
            there = paragraphs.words(order, cut)
            cuts[ranker] = {
                "paragraphs": cut.paragraphs,
                "characters": cut.characters
                and _in_script(texts[order[cut.paragraphs - 1]][: cut.characters]),
                "words": len(there),
                "marks": lead.marks(there),
                "recall": round(lead.recall(there), _DIGITS),
            }
        found.append({"set": name, **content.model_dump(), "example": examples.get(name), "cuts": cuts})
    return found


def _in_script(text: str) -> int:
    """Return the number of characters as scripts count them: what is beyond the first plane is two."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _rounded(score: float | None) -> float | None:
    return None if score is None else float(f"{score:.{_DIGITS}g}")
