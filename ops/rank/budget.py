"""Summaries of a length: the best sentences of a document up to a budget.

Belongs here: budgets, and taking sentences by their scores. Not here: the scores, and orders (choose.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from pydantic import Field, model_validator

from ops.params import Params
from ops.thresholds import at_most


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
