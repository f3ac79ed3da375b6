"""Summaries of a length: from scores or an order over sentences to the sentences that are taken.

Belongs here: budgets; taking the best sentences by score, or by rank up to a number of words; *Only* and
*Hybrid* (Lev et al. 2019, section 4.1). Not here: scores and orders (rankers.py).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from pydantic import Field, model_validator

from ops.core.params import Params
from ops.core.thresholds import at_most
from ops.rank.rankers import content_words


class Budget(Params):
    """How long a summary may be, in exactly one of three measures.

    `words`: words; `ratio`: words as a share of the paper's, in (0, 1]; `sentences`: sentences. A word is
    what stands between white space: what a reader counts. (The released code counts NLTK tokens,
    so that punctuation uses up its budget.)
    """

    words: int | None = Field(None, ge=1)
    ratio: float | None = Field(None, gt=0, le=1)
    sentences: int | None = Field(None, ge=1)

    @model_validator(mode="after")
    def _one_measure(self) -> Budget:
        given = [name for name in ("words", "ratio", "sentences") if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"a budget has exactly one of words, ratio, sentences; given: {given or 'none'}")
        return self

    @property
    def limit(self) -> Fraction:
        """The most that a summary may need, in the budget's own measure."""
        # As written: 0.29 of 100 words is 29, not the 28 that binary fractions make of it.
        return Fraction(str(self.words or self.sentences or self.ratio))

    def order(self, sentences: Sequence[str], counts: Sequence[int]) -> Iterator[tuple[int, Fraction]]:
        """Yield the sentences that may be taken, first one first, with what a summary up to each one needs.

        By falling count, ties by position; a sentence of count 0 is never taken. The first is always taken:
        it needs nothing.
        """
        sizes = [1 if self.sentences else word_count(text) for text in sentences]
        whole = 1 if self.ratio is None else sum(sizes) or 1
        used = 0
        for place, index in enumerate(sorted(range(len(counts)), key=lambda index: (-counts[index], index))):
            if counts[index] <= 0:
                return
            used += sizes[index]
            yield index, Fraction(used, whole) if place else Fraction(0)


def word_count(text: str) -> int:
    """Return the number of words of a text, divided at white space."""
    return len(text.split())


def summarize(sentences: Sequence[str], counts: Sequence[int], budget: Budget) -> list[int]:
    """Return the indices of the sentences of a summary, in the order of the paper.

    Sentences are taken by falling count, ties by position, until the next would pass the budget; the first
    is taken even if it passes it alone. A sentence of count 0 is never taken. Raises ValueError if the
    lengths differ.
    """
    if len(sentences) != len(counts):
        raise ValueError(f"{len(sentences)} sentences, {len(counts)} counts")
    return sorted(index for index, need in budget.order(sentences, counts) if at_most(need, budget.limit))


#: The summaries of Lev et al. (2019), section 4.1.
WORDS = 150
#: [ours] The papers say "non-redundant" only.
REDUNDANT = 0.5


class ChosenSummary(NamedTuple):
    """A summary made of sentences."""

    sentences: list[str]
    """As they are printed: the abstract's first, then those of the paper, each in their own order."""
    positions: list[int]
    """Indices of the paper's sentences in it, rising; the last `len(positions)` sentences are these."""

    @property
    def text(self) -> str:
        """The sentences with one space between them."""
        return " ".join(self.sentences)


def within(sentences: Sequence[str], order: Sequence[int], budget: Budget) -> list[int]:
    """Return the indices of the sentences that are taken by rank up to a budget, in the order of the paper.

    By the rule of TalkSumm's own summaries (section 4): until the next would pass the budget, the first
    even if it passes it alone. `order` may leave sentences out; they are never taken. Raises ValueError for
    an index that is there twice or outside of the paper.
    """
    return summarize(sentences, _ranks(order, len(sentences)), budget)


def only(
    sentences: Sequence[str], order: Sequence[int], words: int = WORDS, cut: bool = False
) -> ChosenSummary:
    """Return the summary of a paper's own sentences.

    `cut`: the sentence that would pass the limit is taken as well and loses the words that are too many, so
    that a paper long enough gives exactly `words` words: what ROUGE's own limit on length does, but
    to the sentence ranked last, not to the one printed last. Raises ValueError as `within`.
    """
    _ranks(order, len(sentences))
    return _taken((), sentences, order, words, cut)


def hybrid(
    abstract: Sequence[str],
    sentences: Sequence[str],
    order: Sequence[int],
    words: int = WORDS,
    cut: bool = False,
    redundant: float = REDUNDANT,
) -> ChosenSummary:
    """Return the abstract, then the paper's sentences by rank that do not repeat what is there already.

    After "Hybrid 2" of Yasunaga et al. (2019). A sentence is redundant if the cosine of its counts of content
    words and those of any one sentence of the summary so far is greater than `redundant` [ours], or
    if it has no content word. The abstract's sentences are taken in order by the same limit, none is
    redundant; where they do not all fit, nothing follows. Raises ValueError as `within`.
    """
    _ranks(order, len(sentences))
    begun = only(abstract, range(len(abstract)), words, cut)
    if len(begun.positions) < len(abstract):
        return ChosenSummary(begun.sentences, [])
    return _taken(begun.sentences, sentences, _fresh(abstract, sentences, order, redundant), words, cut)


def truncated(text: str, words: int) -> str:
    """Return the first `words` words of a text, divided at white space; all of it if it has no more."""
    return " ".join(text.split()[:words])


def _ranks(order: Sequence[int], units: int) -> list[int]:
    """Return for each unit a positive number that falls with its rank; 0 for those that are not ranked."""
    ranks = [0] * units
    for place, index in enumerate(order):
        if not 0 <= index < units:
            raise ValueError(f"sentence {index} is ranked, the paper has {units}")
        if ranks[index]:
            raise ValueError(f"sentence {index} is ranked twice")
        ranks[index] = len(order) - place
    return ranks


def _taken(
    begun: Sequence[str], sentences: Sequence[str], order: Iterable[int], words: int, cut: bool
) -> ChosenSummary:
    # What is there already is ranked first: the one rule decides for both.
    ahead = len(begun)
    everything = [*begun, *sentences]
    ranked = list(range(ahead))
    room = words - sum(map(word_count, begun))
    for index in order:
        ranked.append(ahead + index)
        room -= word_count(sentences[index])
        if room < 0:
            break
    found = within(everything, ranked, Budget(words=words))
    if cut:
        # The first sentence is taken even where it is too long alone.
        room = words - sum(word_count(everything[index]) for index in found)
        following = ranked[len(found)] if len(found) < len(ranked) else None
        if room < 0:
            everything[found[0]] = truncated(everything[found[0]], words)
        elif room and following is not None:
            everything[following] = truncated(everything[following], room)
            found = sorted([*found, following])
    return ChosenSummary(
        [everything[index] for index in found], [index - ahead for index in found if index >= ahead]
    )


def _fresh(
    there: Sequence[str], sentences: Sequence[str], order: Sequence[int], redundant: float
) -> Iterable[int]:
    """Yield the ranked sentences that are not redundant after those before them."""
    taken = [counts for sentence in there if (counts := Counter(content_words(sentence)))]
    for index in order:
        counts = Counter(content_words(sentences[index]))
        if counts and all(_cosine(counts, counts_taken) <= redundant for counts_taken in taken):
            taken.append(counts)
            yield index


def _cosine(first: Counter[str], second: Counter[str]) -> float:
    shared = sum(count * second[word] for word, count in first.items())
    return shared / math.sqrt(sum(n * n for n in first.values()) * sum(n * n for n in second.values()))
