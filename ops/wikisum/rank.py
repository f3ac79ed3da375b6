"""Which paragraphs of an article's references come first.

Belongs here: the extractive stage of Liu et al. (2018), section 4.1, by method. Not here: the trained ranker
(learned_ranker.py), cutting ranked paragraphs to a length (ranked.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from silverloom.ops.rank.rankers import content_words, lead, sum_basic, text_rank, words
from silverloom.ops.text.word_numbers import joined, kinds, number_words

Method = Literal["identity", "tf_idf", "text_rank", "sum_basic", "cheating"]

NO_WORD = "no word of the title has a letter or digit: reference order"
NOT_KNOWN = "no paragraph has a word of the title: reference order"
NO_WEIGHT = "every paragraph has the title's words that any has: reference order"

_LETTER_OR_DIGIT = re.compile(r"[a-z0-9]")


class Ranking(NamedTuple):
    """Paragraphs, the best first."""

    order: list[int]
    """Every index once."""
    scores: list[float]
    """One score per paragraph, in input order; methods that give only an order have descending numbers."""
    note: str = ""
    """Why the order is that of the references, if the method could not rank."""


def rank(title: str, paragraphs: Sequence[str], method: Method, target: str | None = None) -> Ranking:
    """Rank the paragraphs of an article's references for its title; ties go to the first paragraph.

    | method | scores |
    |---|---|
    | identity | the order of the references |
    | tf_idf | the sum over the title's words of their count in the paragraph, times ln(N / N_w) |
    | text_rank | Mihalcea and Tarau (2004) over paragraphs, by their content words |
    | sum_basic | Nenkova and Vanderwende (2005) over paragraphs, by their content words |
    | cheating | the share of the target's distinct bigrams that the paragraph contains (equation 1) |

    Raises ValueError for an unknown method, or for `cheating` without a target; TypeError for a single text
    in place of a list.
    """
    if isinstance(paragraphs, str):
        raise TypeError("paragraphs are a list of texts, also where there is only one: [paragraph]")
    if method not in _METHODS:
        raise ValueError(f"no method {method!r}: there are {', '.join(_METHODS)}")
    return _METHODS[method](title, paragraphs, target)


def title_words(title: str) -> list[str]:
    """Return the distinct words of a title that contain an ASCII letter or digit.

    Words are runs of letters and digits, as in the tokenizer of the released code on normalised text
    (tensor2tensor, tokenizer.py): "Asia—a name" has the word "asia".
    """
    return sorted({word for word in words(title) if _LETTER_OR_DIGIT.search(word)})


def title_counts(title: str, paragraphs: Sequence[str]) -> NDArray[np.int32]:
    """Return how often each of `title_words` occurs in each paragraph (N, words)."""
    from silverloom.ops.wikisum.kernels import counts_of_words

    wanted = [word.encode(errors="surrogatepass") for word in title_words(title)]
    data, ends = joined(paragraphs)
    counts: NDArray[np.int32] = counts_of_words(
        np.frombuffer(data, np.uint8),
        ends,
        kinds(),
        np.frombuffer(b"".join(wanted), np.uint8),
        np.cumsum([0, *map(len, wanted)]),
    )
    return counts


def bigram_recalls(target: str, paragraphs: Sequence[str]) -> NDArray[np.float64]:
    """Return, for each paragraph, the share of the target's distinct bigrams that it contains (N)."""
    word_numbers = number_words([target, *paragraphs], known=target)
    # Encodes a pair of words as one number. The last word of a text starts no pair.
    pairs = word_numbers.numbers[:-1].astype(np.int64) * word_numbers.distinct + word_numbers.numbers[1:]
    known = (word_numbers.numbers[:-1] >= 0) & (word_numbers.numbers[1:] >= 0)
    inside = word_numbers.ends[1:-1]
    known[inside[(inside > 0) & (inside < len(word_numbers.numbers))] - 1] = False
    wanted = np.unique(pairs[: max(word_numbers.ends[1] - 1, 0)])
    if not len(wanted):
        return np.zeros(len(paragraphs))
    texts = word_numbers.texts[:-1][known]
    places = np.searchsorted(wanted, pairs[known]).clip(max=len(wanted) - 1)
    shared = wanted[places] == pairs[known]
    distinct = np.unique(texts[shared] * len(wanted) + places[shared])
    counts = np.bincount(distinct // len(wanted), minlength=len(paragraphs) + 1)[1:]
    recalls: NDArray[np.float64] = counts / len(wanted)
    return recalls


def _identity(title: str, paragraphs: Sequence[str], target: str | None) -> Ranking:
    return _by_order(lead(len(paragraphs)))


def _tf_idf(title: str, paragraphs: Sequence[str], target: str | None) -> Ranking:
    from silverloom.ops.core.logarithms import logs

    counts = title_counts(title, paragraphs)
    frequencies = (counts > 0).sum(axis=0)
    if not len(frequencies):
        return _by_scores(np.zeros(len(paragraphs)), NO_WORD)
    terms = counts * logs(max(len(paragraphs), 1) / np.maximum(frequencies, 1))
    # Adds the smallest terms first, so that the order of words does not break a tie.
    terms.sort(axis=1)
    scores = terms.cumsum(axis=1)[:, -1]
    return _by_scores(scores, "" if scores.any() else (NO_WEIGHT if frequencies.any() else NOT_KNOWN))


def _text_rank(title: str, paragraphs: Sequence[str], target: str | None) -> Ranking:
    return _by_scores(text_rank([content_words(paragraph) for paragraph in paragraphs]))


def _sum_basic(title: str, paragraphs: Sequence[str], target: str | None) -> Ranking:
    return _by_order(sum_basic([content_words(paragraph) for paragraph in paragraphs]))


def _cheating(title: str, paragraphs: Sequence[str], target: str | None) -> Ranking:
    if target is None:
        raise ValueError("the method cheating needs the target that it looks at")
    return _by_scores(bigram_recalls(target, paragraphs))


def _by_scores(scores: Sequence[float] | NDArray[np.float64], note: str = "") -> Ranking:
    values = np.asarray(scores, np.float64)
    return Ranking((-values).argsort(kind="stable").tolist(), values.tolist(), note)


def _by_order(order: Sequence[int]) -> Ranking:
    scores = np.empty(len(order))
    scores[np.asarray(order, np.int64)] = np.arange(len(order), 0, -1)
    return Ranking(list(order), scores.tolist())


_METHODS: Mapping[str, Callable[[str, Sequence[str], str | None], Ranking]] = {
    "identity": _identity,
    "tf_idf": _tf_idf,
    "text_rank": _text_rank,
    "sum_basic": _sum_basic,
    "cheating": _cheating,
}
