"""Summaries of a given length: choose sentences by score or by rank.

Belongs here: budgets, choosing the best sentences by score or by rank up to a number of words, and *Only* and
*Hybrid* (Lev et al. 2019, section 4.1). Not here: scores and orders (rankers.py).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import ClassVar, NamedTuple, Self

from pydantic import Field, model_validator

from silverloom.ops.core.params import Params
from silverloom.ops.core.thresholds import at_most
from silverloom.ops.rank.rankers import content_words


class Length(Params):
    """A length in exactly one of three measures.

    `words`: words; `ratio`: words as a share of the paper's, in (0, 1]; `sentences`: sentences. Words are
    separated by white space, as a reader counts them. (The released code counts NLTK tokens, so that
    punctuation uses up its budget.)
    """

    measures: ClassVar[tuple[str, ...]] = ("words", "ratio", "sentences")

    words: int | None = Field(None, ge=1)
    """Words at most."""
    ratio: float | None = Field(None, gt=0, le=1)
    """Share of the paper's words at most."""
    sentences: int | None = Field(None, ge=1)
    """Sentences at most."""

    @model_validator(mode="after")
    def _one_measure(self) -> Self:
        given = [name for name in self.measures if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"exactly one of {', '.join(self.measures)} is needed; given: {given or 'none'}")
        return self

    @property
    def limit(self) -> Fraction:
        """The maximum length, in its own measure."""
        # The decimal as written: 0.29 of 100 words is 29, but binary floating point gives 28.
        return Fraction(str(self.words or self.sentences or self.ratio))

    def sizes(self, sentences: Sequence[str]) -> list[Fraction]:
        """Return the length of each sentence, in the same measure."""
        sizes = [1 if self.sentences else word_count(text) for text in sentences]
        whole = 1 if self.ratio is None else sum(sizes) or 1
        return [Fraction(size, whole) for size in sizes]


class Budget(Length):
    """The maximum length of a summary, and what becomes of a sentence that does not fit.

    The summary ends before the first sentence that would exceed `words`, `ratio` or `sentences`: one of 150
    words mostly has 125 to 150. With `fill: {words: 150}` such a sentence is passed over, and shorter ones of
    lower counts follow. (The released code takes all sentences from a count on, so as to come nearest to the
    length, which may exceed it.)
    """

    measures: ClassVar[tuple[str, ...]] = (*Length.measures, "fill")

    fill: Length | None = None
    """A length that later sentences fill up, after one that does not fit."""

    def order(self, sentences: Sequence[str], counts: Sequence[int]) -> Iterator[tuple[int, Fraction]]:
        """Yield the candidate sentences in the order of choice, each with the length of a summary up to it.

        They are ordered by decreasing count, ties by position. Sentences with a count of 0 are left out. The
        first has length 0, so that it is always chosen.
        """
        sizes = self.sizes(sentences)
        used = Fraction(0)
        for place, index in enumerate(_best_first(counts)):
            used += sizes[index]
            yield index, used if place else Fraction(0)

    def choose(self, sentences: Sequence[str], counts: Sequence[int]) -> Iterator[int]:
        """Yield the sentences of a summary in the order of choice; see `summarize`."""
        if self.fill is None:
            yield from (index for index, need in self.order(sentences, counts) if at_most(need, self.limit))
            return
        sizes, used = self.fill.sizes(sentences), Fraction(0)
        for place, index in enumerate(_best_first(counts)):
            if not place or at_most(used + sizes[index], self.fill.limit):
                used += sizes[index]
                yield index


def word_count(text: str) -> int:
    """Return the number of words of a text, split at white space."""
    return len(text.split())


def summarize(sentences: Sequence[str], counts: Sequence[int], budget: Budget) -> list[int]:
    """Return the indices of the sentences of a summary, in the order of the paper.

    Sentences are added by decreasing count, ties by position, until the next one would exceed the budget; a
    budget with `fill` passes over a sentence that would exceed it. The first is added even if it alone
    exceeds it. A sentence with a count of 0 is never added. Raises ValueError if the lengths differ.
    """
    if len(sentences) != len(counts):
        raise ValueError(f"{len(sentences)} sentences, {len(counts)} counts")
    return sorted(budget.choose(sentences, counts))


def _best_first(counts: Sequence[int]) -> list[int]:
    order = sorted(range(len(counts)), key=lambda index: (-counts[index], index))
    return [index for index in order if counts[index] > 0]


#: The length in words of the summaries in Lev et al. (2019), section 4.1.
WORDS = 150
#: [ours] The papers only say "non-redundant".
REDUNDANT = 0.5


class ChosenSummary(NamedTuple):
    """A summary that consists of chosen sentences."""

    sentences: list[str]
    """In printed order: sentences of the abstract first, then of the paper, each in document order."""
    positions: list[int]
    """Ascending indices of the paper's chosen sentences, which are the last `len(positions)` sentences."""

    @property
    def text(self) -> str:
        """The sentences joined by single spaces."""
        return " ".join(self.sentences)


def within(sentences: Sequence[str], order: Sequence[int], budget: Budget) -> list[int]:
    """Return the indices of the sentences chosen by rank up to a budget, in the order of the paper.

    This is the rule of TalkSumm's own summaries (section 4): stop when the next sentence would exceed the
    budget, but always take the first. Sentences missing from `order` are never taken. Raises ValueError for
    an index that occurs twice or is out of range.
    """
    return summarize(sentences, _ranks(order, len(sentences)), budget)


def only(
    sentences: Sequence[str], order: Sequence[int], words: int = WORDS, cut: bool = False
) -> ChosenSummary:
    """Return the summary of a paper's own sentences.

    With `cut`, the sentence that would exceed the limit is added too, but truncated, so that a long enough
    paper gives exactly `words` words. ROUGE's own length limit does the same to the sentence printed last;
    here it is the sentence ranked last. Raises ValueError like `within`.
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
    """Return the abstract followed by the paper's sentences by rank, without redundant ones.

    This follows "Hybrid 2" of Yasunaga et al. (2019). A sentence is redundant if it has no content words, or
    if the cosine between its content-word counts and those of any sentence already in the summary exceeds
    `redundant` [ours]. The abstract's sentences are added in order up to the same limit, and none of them is
    redundant. If they do not all fit, no sentence of the paper follows. Raises ValueError like `within`.
    """
    _ranks(order, len(sentences))
    begun = only(abstract, range(len(abstract)), words, cut)
    if len(begun.positions) < len(abstract):
        return ChosenSummary(begun.sentences, [])
    return _taken(begun.sentences, sentences, _fresh(abstract, sentences, order, redundant), words, cut)


def truncated(text: str, words: int) -> str:
    """Return the first `words` words of a text, split at white space."""
    return " ".join(text.split()[:words])


def _ranks(order: Sequence[int], units: int) -> list[int]:
    """Return for each unit a positive number, higher for better ranks; 0 for unranked units."""
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
    # Sentences that are in the summary already are ranked first, so that one rule covers both.
    ahead = len(begun)
    everything = [*begun, *sentences]
    ranked = list(range(ahead))
    room = words - sum(map(word_count, begun))
    for index in order:
        ranked.append(ahead + index)
        room -= word_count(sentences[index])
        if room < 0:
            break
    chosen = within(everything, ranked, Budget(words=words))
    if cut:
        # The first sentence is chosen even if it is too long on its own.
        room = words - sum(word_count(everything[index]) for index in chosen)
        following = ranked[len(chosen)] if len(chosen) < len(ranked) else None
        if room < 0:
            everything[chosen[0]] = truncated(everything[chosen[0]], words)
        elif room and following is not None:
            everything[following] = truncated(everything[following], room)
            chosen = sorted([*chosen, following])
    return ChosenSummary(
        [everything[index] for index in chosen], [index - ahead for index in chosen if index >= ahead]
    )


def _fresh(
    there: Sequence[str], sentences: Sequence[str], order: Sequence[int], redundant: float
) -> Iterable[int]:
    """Yield the ranked sentences that are not redundant given those before them."""
    taken = [counts for sentence in there if (counts := Counter(content_words(sentence)))]
    for index in order:
        counts = Counter(content_words(sentences[index]))
        if counts and all(_cosine(counts, counts_taken) <= redundant for counts_taken in taken):
            taken.append(counts)
            yield index


def _cosine(first: Counter[str], second: Counter[str]) -> float:
    shared = sum(count * second[word] for word, count in first.items())
    return shared / math.sqrt(sum(n * n for n in first.values()) * sum(n * n for n in second.values()))
