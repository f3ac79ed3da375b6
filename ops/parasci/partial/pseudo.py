"""Pseudo-labelled data: sentences put together, of which one paraphrases another sentence.

Belongs here: what Dong et al. (2021), 4.1.1, put together, and where the paraphrase stands in it. Not here:
which pairs are paraphrases, and training (pdbert.py).

Of a pair, one is sentence A and the other B; C and D are any sentences. Input 1 is A. Input 2 is C, B and D,
each there with its probability, C and B without the punctuation at their ends.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple, Protocol

from pydantic import Field

from ops.core.sampling import place_of
from ops.params import Params

_END = re.compile(r"[\s.!?:;,\u2026]+\Z")

#: Draws of a sentence before none is taken, where nearly all sentences are those of the pair.
_ATTEMPTS = 100


class PseudoParams(Params):
    """How sentences are put together; the probabilities are the paper's."""

    draws: int = Field(4, ge=1, description="examples of each pair")
    before: float = Field(0.8, ge=0, le=1, description="probability of C, the sentence before B")
    paraphrase: float = Field(0.5, ge=0, le=1, description="probability of B, the paraphrase of A")
    behind: float = Field(0.8, ge=0, le=1, description="probability of D, the sentence behind B")
    seed: int = Field(0, ge=0)


class SentencePool(Protocol):
    """All sentences, by number."""

    def __len__(self) -> int:
        """Return how many there are."""
        ...

    def __getitem__(self, index: int, /) -> str:
        """Return a sentence."""
        ...


class PseudoExample(NamedTuple):
    """A, what was put together, and the characters of B in it; None where B is not."""

    first: str
    second: str
    span: tuple[int, int] | None


def without_end(sentence: str) -> str:
    """Return a sentence without the punctuation at its end."""
    return _END.sub("", sentence)


def put_together(
    before: str | None, paraphrase: str | None, behind: str | None
) -> tuple[str, tuple[int, int] | None]:
    """Return C, B and D as one text, and the characters of B; what is None is not there."""
    text, span = without_end(before or ""), None
    if paraphrase is not None:
        start = len(text) + bool(text)
        text = f"{text} {without_end(paraphrase)}".lstrip()
        span = start, len(text)
    return f"{text} {behind or ''}".strip(), span


def pseudo_examples(
    name: str, pair: tuple[str, str], pool: SentencePool, params: PseudoParams
) -> Iterator[tuple[int, PseudoExample]]:
    """Yield the examples of a pair with their numbers, drawn by seed and the pair's name.

    A draw of no sentence at all is no example. Neither is a pair whose B is all punctuation.
    """
    for number in range(params.draws):
        draw = (params.seed, name, number)
        first, second = pair if place_of(*draw, "order") < 0.5 else pair[::-1]
        if not without_end(second):
            continue
        before, behind = (
            _picked(pool, pair, (*draw, role)) if place_of(*draw, role, "there") < share else None
            for role, share in (("before", params.before), ("behind", params.behind))
        )
        there = place_of(*draw, "paraphrase") < params.paraphrase
        text, span = put_together(before, second if there else None, behind)
        if text:
            yield number, PseudoExample(first, text, span)


def _picked(pool: SentencePool, avoided: Collection[str], draw: Sequence[object]) -> str | None:
    """Return a sentence of the pool that is not to be avoided; None where hardly any is."""
    for attempt in range(_ATTEMPTS if len(pool) else 0):
        text = pool[int(place_of(0, *draw, attempt) * len(pool))]
        if text not in avoided:
            return text
    return None
