"""What a paragraph looks like to a ranker that is trained.

Belongs here: numbers of each paragraph of an article's references, without a look at the article. Not here:
learning from them (learned.py).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ops.core.exact import log
from ops.outcome import Row
from ops.text.stop_words import STOP_WORDS
from ops.text.word_numbers import normalised, number_words
from ops.wikisum.rank import title_counts

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


def features(title: str, paragraphs: Sequence[Row]) -> NDArray[np.float64]:
    """Return the features of an article's paragraphs (N, F), rows of `ops.wikisum.schemas.PARAGRAPH`.

    Sums go in one order and logarithms are our own, so that they are the same on every processor.
    """
    if not paragraphs:
        return np.zeros((0, len(NAMES)))
    texts = [paragraph["text"] for paragraph in paragraphs]
    size = np.array([max(len(text.split()), 1) for text in texts], np.float64)
    counts = title_counts(title, texts).astype(np.float64)
    idf = log(len(texts) / np.maximum((counts > 0).sum(axis=0), 1))
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
        log(1 + tf_idf),
        tf_idf / max(tf_idf.max(), 1e-9),
        tf_idf / size,
        coverage,
        np.array([wanted in text for text in texts], np.float64),
        *_beginnings(title, texts),
        log(1 + np.bincount(pages, tf_idf)[pages] / page_size[pages]),
        page_coverage[pages],
        log(size),
        (size < 25).astype(np.float64),
        log(1 + position),
        (position == 0).astype(np.float64),
        (position == 1).astype(np.float64),
        log(1 + page_rank),
        np.array([paragraph["cited"] for paragraph in paragraphs], np.float64),
        words.typicality,
        words.novelty,
        words.centrality,
        words.stop_share,
        np.array([sum(map(str.isdigit, text)) for text in texts]) / size,
        np.array([text.count(" , ") + text.count(" ( ") for text in texts]) / size,
    ]
    return np.stack(columns, axis=1)


class _WordCounts:
    """What the words of paragraphs tell, counted over all of them."""

    def __init__(self, texts: Sequence[str]) -> None:
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
        self.typicality = np.bincount(text, log(share[numbers] + 1e-9), len(texts)) / size
        pairs = np.unique(text * known.distinct + numbers)
        in_texts = np.bincount(pairs % known.distinct, minlength=known.distinct)
        distinct = np.maximum(np.bincount(pairs // known.distinct, minlength=len(texts)), 1)
        self.centrality = (
            np.bincount(pairs // known.distinct, log(in_texts[pairs % known.distinct]), len(texts)) / distinct
        )
        earliest = np.full(known.distinct, len(texts))
        np.minimum.at(earliest, numbers, text)
        new = earliest[pairs % known.distinct] == pairs // known.distinct
        self.novelty = np.bincount(pairs // known.distinct, new, len(texts)) / distinct


def _sums(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return sums by row, added from left to right."""
    return np.cumsum(values, axis=1)[:, -1] if values.shape[1] else np.zeros(len(values))


def _beginnings(title: str, texts: Sequence[str]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return whether a title word stands early, and whether it is followed by a form of "be" there."""
    named = set(normalised(title).split()) - STOP_WORDS
    early, defining = np.zeros(len(texts)), np.zeros(len(texts))
    for index, text in enumerate(texts):
        words = text.split(" ", 2 * _EARLY)[: 2 * _EARLY]
        place = next((place for place, word in enumerate(words[:_EARLY]) if word in named), None)
        if place is not None:
            early[index] = 1
            defining[index] = any(word in _VERBS for word in words[place + 1 : place + _EARLY])
    return early, defining
