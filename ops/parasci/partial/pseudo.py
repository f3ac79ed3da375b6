"""Training examples of PDBERT: sentences joined so that the span of a paraphrase is known.

Belongs here: the examples made from a pair. Not here: which pairs are used (pdbert.py).

Pseudo-labelled data, Dong et al. (2021), 4.1.1: one sentence of a pair is A and the other is B; C and D are
random sentences. Input 1 is A. Input 2 is C, B and D, each included with its own probability; C and B lose
their final punctuation.

At use, the wrong ends of a span are the clause ends of one long sentence about the same topic. Random
sentences have few of them, so some examples have such a sentence in place of C and D. [ours]
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from pydantic import Field

from silverloom.ops.core.params import Params
from silverloom.ops.core.sampling import place_of

_END = re.compile(r"[\s.!?:;,\u2026]+\Z")

#: Draws of a random sentence before giving up: in a tiny pool nearly all draws are sentences of the pair.
_ATTEMPTS = 100


class PseudoParams(Params):
    """How sentences are joined; the probabilities are the paper's."""

    draws: int = Field(4, ge=1, description="examples of each pair")
    before: float = Field(0.8, ge=0, le=1, description="probability of C, the sentence before B")
    paraphrase: float = Field(0.5, ge=0, le=1, description="probability of B, the paraphrase of A")
    behind: float = Field(0.8, ge=0, le=1, description="probability of D, the sentence behind B")
    seed: int = Field(0, ge=0)
    """Of all draws."""


class PseudoExample(NamedTuple):
    """Sentence A, the joined text, and the span of B in it in characters; None if B is left out."""

    first: str
    second: str
    span: tuple[int, int] | None


def without_end(sentence: str) -> str:
    """Return a sentence without the punctuation at its end."""
    return _END.sub("", sentence)


def put_together(
    before: str | None, paraphrase: str | None, behind: str | None
) -> tuple[str, tuple[int, int] | None]:
    """Return C, B and D as one text, and the span of B; None leaves a sentence out."""
    text, span = without_end(before or ""), None
    if paraphrase is not None:
        start = len(text) + bool(text)
        text = f"{text} {without_end(paraphrase)}".lstrip()
        span = start, len(text)
    return f"{text} {behind or ''}".strip(), span


def pseudo_examples(
    name: str, pair: tuple[str, str], pool: Sequence[str], params: PseudoParams
) -> Iterator[tuple[int, PseudoExample]]:
    """Yield the examples of a pair with their numbers, drawn by seed and the pair's name.

    A draw without any sentence gives no example, and neither does a B of punctuation only.
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


def _picked(pool: Sequence[str], avoided: Collection[str], draw: Sequence[object]) -> str | None:
    """Return a random sentence of the pool that is not in `avoided`; None if the draws find none."""
    for attempt in range(_ATTEMPTS if len(pool) else 0):
        text = pool[int(place_of(0, *draw, attempt) * len(pool))]
        if text not in avoided:
            return text
    return None
