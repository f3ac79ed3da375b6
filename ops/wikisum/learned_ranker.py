"""A ranker that learns which paragraphs contain much of a lead: the paper's future work (section 5.3).

Belongs here: features of a paragraph, least squares over them, weights as JSON; training on one split, and
recall of bigrams by ranker and length. Not here: rankers without training (rank.py).
"""

from __future__ import annotations

import json
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from silverloom.ops.core.identity import made_from
from silverloom.ops.core.outcome import Outcome, Outcomes, Row, drop
from silverloom.ops.core.parts import Artifact, Parts
from silverloom.ops.core.sampling import Split, split_of
from silverloom.ops.evaluation.table import Bootstrap
from silverloom.ops.text.word_numbers import normalised, number_words
from silverloom.ops.text.words import STOP_WORDS
from silverloom.ops.wikisum.corpus import COMBINED
from silverloom.ops.wikisum.rank import bigram_recalls, title_counts
from silverloom.ops.wikisum.ranked import lead_recall
from silverloom.ops.wikisum.schemas import LEARNED_RANKER, SplitParams

NAMES = (
    "tf_idf",
    "tf_idf_of_best",
    "tf_idf_a_word",
    "title_coverage",
    "whole_title",
    "title_early",
    "defines_title",
    "page_tf_idf",
    "page_coverage",
    "words",
    "short",
    "position",
    "first",
    "second",
    "page_rank",
    "cited",
    "typicality",
    "novelty",
    "centrality",
    "stop_words",
    "figures",
    "signs",
)

_EARLY = 12
_VERBS = ("is", "was", "are", "were")


class _WordCounts:
    """Features from the words of paragraphs, counted over all paragraphs."""

    def __init__(self, texts: Sequence[str]) -> None:
        from silverloom.ops.core.logarithms import logs

        stop = " ".join(sorted(STOP_WORDS))
        known = number_words([stop, *texts])
        stops = np.zeros(known.distinct, bool)
        stops[known.numbers[: known.ends[1]]] = True
        numbers = known.numbers[known.ends[1] :]
        text = known.texts[known.ends[1] :] - 1
        content = ~stops[numbers]
        size = np.maximum(np.bincount(text, minlength=len(texts)), 1)
        self.stop_share = np.bincount(text, ~content, len(texts)) / size
        numbers, text = numbers[content], text[content]
        size = np.maximum(np.bincount(text, minlength=len(texts)), 1)
        total = np.bincount(numbers, minlength=known.distinct)
        share = total / max(len(numbers), 1)
        self.typicality = np.bincount(text, logs(share[numbers] + 1e-9), len(texts)) / size
        pairs = np.unique(text * known.distinct + numbers)
        in_texts = np.bincount(pairs % known.distinct, minlength=known.distinct)[pairs % known.distinct]
        distinct = np.maximum(np.bincount(pairs // known.distinct, minlength=len(texts)), 1)
        self.centrality = np.bincount(pairs // known.distinct, logs(in_texts), len(texts)) / distinct
        earliest = np.full(known.distinct, len(texts))
        np.minimum.at(earliest, numbers, text)
        new = earliest[pairs % known.distinct] == pairs // known.distinct
        self.novelty = np.bincount(pairs // known.distinct, new, len(texts)) / distinct


LEARNED = "learned"

_DIGITS = 9


@dataclass(frozen=True)
class LearnedRanker:
    """Predicts the cheating score of a paragraph, per word."""

    weights: tuple[float, ...]
    """Weights of the expanded features, the constant first."""

    @classmethod
    def fit(cls, articles: Iterable[tuple[str, Sequence[Row], str]], ridge: float) -> LearnedRanker | None:
        """Return the ranker trained on articles (title, paragraphs, lead); None if nothing can be learnt.

        The target is the share of the lead's bigrams that a paragraph contains, divided by the paragraph's
        length in words and by the best value in its article: an input of fixed length has room for many short
        paragraphs or few long ones. Each article has the same weight.
        """
        width = 1 + 2 * len(NAMES) + len(_PRODUCTS)
        square, product, learnt = np.zeros((width, width)), np.zeros(width), 0
        for title, paragraphs, lead in articles:
            wanted = relevance(paragraphs, lead)
            if not wanted.any():
                continue
            rows = _expanded(features(title, paragraphs))
            square += rows.T @ rows / len(rows)
            product += rows.T @ wanted / len(rows)
            learnt += 1
        if not learnt:
            return None
        penalty = ridge * learnt * np.diag(np.diagonal(square) / learnt + 1e-6)
        weights = np.linalg.solve(square + penalty, product)
        return cls(tuple(round(weight, _DIGITS) for weight in weights.tolist()))

    def scores(self, title: str, paragraphs: Sequence[Row]) -> list[float]:
        """Return the score of each paragraph; the highest comes first in a ranking."""
        terms = _expanded(features(title, paragraphs)) * np.array(self.weights)
        return [round(score, 6) for score in np.cumsum(terms, axis=1)[:, -1].tolist()]

    @property
    def content(self) -> bytes:
        """The weights as JSON."""
        return json.dumps({"features": list(NAMES), "weights": self.weights}, indent=1).encode() + b"\n"

    @classmethod
    def of(cls, content: bytes) -> LearnedRanker:
        """Load a ranker from the JSON in `content`. Raises ValueError if its features differ from ours."""
        weights_file = json.loads(content)
        if tuple(weights_file["features"]) != NAMES:
            raise ValueError("the ranker was trained on other features: train it again")
        return cls(tuple(weights_file["weights"]))


_PRODUCTS = [
    (NAMES.index(one), NAMES.index(other))
    for one in ("tf_idf_of_best", "title_coverage", "page_coverage")
    for other in ("words", "position", "typicality", "title_early", "page_tf_idf", "stop_words")
]

#: The ranker that others are compared with: the paper uses tf-idf.
BASELINE = "tf_idf"
RECALLS, _WEIGHTS = "recalls.json", "ranker.json"


class LearnedRankerParams(Bootstrap, section="wikisum.learned_ranker"):
    """How the ranker is trained, and at which lengths rankers are compared."""

    ridge: float = Field(
        0.001, gt=0, description="the weight of small weights, as a share of each feature's own"
    )
    words: tuple[int, ...] = Field((100, 500, 1000), min_length=1, description="lengths of the input")


def features(title: str, paragraphs: Sequence[Row]) -> NDArray[np.float64]:
    """Return the features of an article's paragraphs (N, F), rows of PARAGRAPH (ops/wikisum/schemas.py).

    Sums have a fixed order and logarithms are our own, so every processor gives the same values.
    """
    from silverloom.ops.core.logarithms import logs

    if not paragraphs:
        return np.zeros((0, len(NAMES)))
    texts = [paragraph["text"] for paragraph in paragraphs]
    size = np.array([max(len(text.split()), 1) for text in texts], np.float64)
    counts = title_counts(title, texts).astype(np.float64)
    idf = logs(len(texts) / np.maximum((counts > 0).sum(axis=0), 1))
    idf_total = max(float(np.cumsum(idf)[-1]) if len(idf) else 0.0, 1e-9)
    tf_idf = _sums(counts * idf)
    coverage = _sums((counts > 0) * idf) / idf_total
    pages = np.unique([paragraph["page_id"] for paragraph in paragraphs], return_inverse=True)[1]
    first_of_page = np.full(pages.max() + 1, len(texts), np.int64)
    np.minimum.at(first_of_page, pages, np.arange(len(texts)))
    page_rank = np.argsort(np.argsort(first_of_page))[pages]
    position = np.arange(len(texts)) - first_of_page[pages]
    page_size = np.bincount(pages).astype(np.float64)
    page_coverage = np.zeros(len(page_size))
    np.maximum.at(page_coverage, pages, coverage)
    words = _WordCounts(texts)
    wanted = normalised(title)
    columns = [
        logs(1 + tf_idf),
        tf_idf / max(tf_idf.max(), 1e-9),
        tf_idf / size,
        coverage,
        np.array([wanted in text for text in texts], np.float64),
        *_beginnings(title, texts),
        logs(1 + np.bincount(pages, tf_idf)[pages] / page_size[pages]),
        page_coverage[pages],
        logs(size),
        (size < 25).astype(np.float64),
        logs(1 + position),
        (position == 0).astype(np.float64),
        (position == 1).astype(np.float64),
        logs(1 + page_rank),
        np.array([paragraph["cited"] for paragraph in paragraphs], np.float64),
        words.typicality,
        words.novelty,
        words.centrality,
        words.stop_share,
        np.array([sum(map(str.isdigit, text)) for text in texts]) / size,
        np.array([text.count(" , ") + text.count(" ( ") for text in texts]) / size,
    ]
    return np.stack(columns, axis=1)


def relevance(paragraphs: Sequence[Row], lead: str) -> NDArray[np.float64]:
    """Return each paragraph's training target: the lead's bigram recall per word, scaled to a best of 1."""
    texts = [paragraph["text"] for paragraph in paragraphs]
    size = np.array([len(text.split()) for text in texts], np.float64)
    recalls = bigram_recalls(lead, texts) / np.maximum(size, 20)
    shares: NDArray[np.float64] = recalls / max(recalls.max(initial=0.0), 1e-12)
    return shares


def learned_ranker(ranked: Parts, splits: SplitParams, params: LearnedRankerParams) -> Outcomes:
    """Yield recall of bigrams by article, ranker and length, with the trained ranker; units are the articles.

    Trains on leads of the split train, over the combined corpus; writes no ranker if nothing can be learnt.
    recalls.json has the means over the held-out articles, and the difference from tf-idf. Drops an article
    without a lead as `no_lead`, and one without a ranking of the combined corpus as `not_ranked`.
    """
    ranker = LearnedRanker.fit(_learnt(ranked, splits), params.ridge)
    files = {_WEIGHTS: ranker.content} if ranker else {}
    #: By ranker and length, in the order of articles: 8 bytes each, because a tenth of all articles may be
    #: held out.
    held_out: dict[tuple[str, int], array[float]] = defaultdict(lambda: array("d"))
    last: Outcome | None = None
    for table in ranked:
        if last is not None:
            yield last
        units = table.to_pylist()
        kept: list[Row] = []
        dropped: list[Row] = []
        for unit in units:
            scores = _scores(unit, ranker)
            if not unit["lead"] or not scores:
                dropped.append(drop(unit, "not_ranked" if unit["lead"] else "no_lead"))
                continue
            rows = list(_rows(unit, split_of(unit["title"], splits), scores, params.words))
            for row in rows:
                if row["held_out"]:
                    held_out[row["ranker"], row["words"]].append(row["bigram_recall"])
            kept += rows
        last = Outcome.of(LEARNED_RANKER, [unit["id"] for unit in units], kept, dropped)
    files[RECALLS] = json.dumps(_summary(held_out, params), indent=1, sort_keys=True).encode() + b"\n"
    yield replace(last or Outcome.of(LEARNED_RANKER, [], []), files=files)


def load(artifact: Artifact) -> LearnedRanker | None:
    """Return the trained ranker; None if nothing could be learnt."""
    path = artifact.folder / _WEIGHTS
    return LearnedRanker.of(path.read_bytes()) if path.exists() else None


def _sums(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return sums by row, added from left to right."""
    return np.cumsum(values, axis=1)[:, -1] if values.shape[1] else np.zeros(len(values))


def _beginnings(title: str, texts: Sequence[str]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return whether a title word occurs early, and whether a form of "be" follows it soon."""
    named = set(normalised(title).split()) - STOP_WORDS
    early, defining = np.zeros(len(texts)), np.zeros(len(texts))
    for index, text in enumerate(texts):
        words = text.split(" ", 2 * _EARLY)[: 2 * _EARLY]
        place = next((place for place, word in enumerate(words[:_EARLY]) if word in named), None)
        if place is not None:
            early[index] = 1
            defining[index] = any(word in _VERBS for word in words[place + 1 : place + _EARLY])
    return early, defining


def _expanded(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a constant, the features, their squares and some products (N, 1 + 2 F + P)."""
    products = [rows[:, one] * rows[:, other] for one, other in _PRODUCTS]
    return np.column_stack([np.ones(len(rows)), rows, rows**2, *products])


def _learnt(ranked: Parts, splits: SplitParams) -> Iterator[tuple[str, Sequence[Row], str]]:
    for table in ranked:
        for unit in table.to_pylist():
            if unit["lead"] and split_of(unit["title"], splits) == "train":
                yield unit["title"], unit["paragraphs"], unit["lead"]


def _scores(unit: Row, ranker: LearnedRanker | None) -> dict[str, Sequence[float | None]]:
    """Return the scores of every ranker over the combined corpus."""
    rankings = [ranking for ranking in unit["rankings"] if ranking["corpus"] == COMBINED]
    scores: dict[str, Sequence[float | None]] = {row["ranker"]: row["scores"] for row in rankings}
    if ranker and scores:
        scores[LEARNED] = ranker.scores(unit["title"], unit["paragraphs"])
    return scores


def _rows(
    unit: Row, split: Split, scores: Mapping[str, Sequence[float | None]], lengths: Sequence[int]
) -> Iterator[Row]:
    for ranker, values in scores.items():
        for words in lengths:
            yield {
                **made_from(unit, "recall", unit["id"], ranker, str(words)),
                "article_id": unit["article_id"],
                "title": unit["title"],
                "split": split,
                "ranker": ranker,
                "words": words,
                "bigram_recall": round(lead_recall(unit, values, words), 6),
                "held_out": split != "train",
            }


def _summary(
    held_out: Mapping[tuple[str, int], Sequence[float]], params: LearnedRankerParams
) -> list[dict[str, Any]]:
    """Return mean recall by ranker and length with 95 % intervals, and the gain over tf-idf."""
    summary = []
    for (ranker, words), recalls in sorted(held_out.items()):
        mean = params.interval(recalls)
        row: dict[str, Any] = {"ranker": ranker, "words": words, "articles": len(recalls)}
        row["bigram_recall"] = mean._asdict()
        baseline = held_out.get((BASELINE, words))
        if baseline and ranker != BASELINE:
            row["above_tf_idf"] = params.paired(recalls, baseline)._asdict()
        summary.append(row)
    return summary
