"""Whether two sentences agree in what word similarity misses: numbers, negation, names, comparisons.

Belongs here: finding numbers, negations, names and directions of comparison in a sentence, and how far two
sentences agree in them, 0 to 1. Not here: BERTScore, lengths, shared words (scored.py), the combined score
(scorer.py).

If one sentence says "up by 3 points" and the other "down by 4 points", they share nearly all words, and their
embeddings hardly differ. A reader sees the difference at once. [ours]
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

_DIGITS = re.compile(r"(?<![\w.])(?<![A-Za-z]-)\d+(?:,\d{3})*(?:\.\d+)?")
#: "One" is left out: it is a pronoun more often than a number.
NUMBER_WORDS = {
    word: str(number)
    for number, word in enumerate(
        ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"], start=2
    )
} | {"twice": "2", "half": "1/2"}
_WORD = re.compile(r"[^\W\d_]+(?:['’][a-z]+)?")

_NEGATIONS = frozenset((
    "not", "no", "never", "neither", "nor", "none", "nothing", "without", "cannot", "hardly",
    "barely", "unable", "fail", "fails", "failed", "failing", "lack", "lacks", "lacked", "lacking",
    "absence", "ignore", "ignores", "ignored", "ignoring",
))  # fmt: skip
_NOT = re.compile(r"(?:n['’]t|\bnon-)")

_UP = frozenset((
    "more", "higher", "better", "greater", "larger", "longer", "faster", "stronger", "increase",
    "increases", "increased", "increasing", "outperform", "outperforms", "outperformed", "improve",
    "improves", "improved", "improvement", "rise", "rises", "rose", "gain", "gains", "best",
    "highest", "most", "positive", "positively", "easier", "easy", "advantage", "above",
))  # fmt: skip
_DOWN = frozenset((
    "less", "lower", "worse", "fewer", "smaller", "shorter", "slower", "weaker", "decrease",
    "decreases", "decreased", "decreasing", "underperform", "underperforms", "degrade", "degrades",
    "degraded", "decline", "declines", "drop", "drops", "dropped", "reduce", "reduces", "reduced",
    "reduction", "worst", "lowest", "least", "negative", "negatively", "harder", "hard",
    "difficult", "disadvantage", "below",
))  # fmt: skip

#: A word with a capital inside ("SemCor", "BLEU", "IBM4"), or one that begins with a capital mid-sentence.
NAME = re.compile(r"\b[\w]*[A-Z][\w]*(?:-\w+)*")


class Agreement(NamedTuple):
    """How far two sentences agree: 1 if they agree, and 1 if neither has anything of the kind."""

    numbers: float
    negation: float
    names: float
    direction: float


def agreement(first: str, second: str) -> Agreement:
    """Return how far two sentences agree; their order does not matter.

    Numbers and names: how many both have, divided by how many at least one has (Jaccard coefficient).
    Negation: 1 if both deny something, or neither does. Direction: 0 if one says more, higher, better and the
    other less, lower, worse.
    """
    ways = [directions(side) for side in (first, second)]
    return Agreement(
        _share(numbers(first), numbers(second)),
        float(negated(first) == negated(second)),
        _share(names(first), names(second)),
        float({frozenset({"up"}), frozenset({"down"})} != set(ways)),
    )


def numbers(sentence: str) -> set[str]:
    """Return the numbers of a sentence, in digits or words: {"1200", "3.5", "2"}."""
    digits = {figure.replace(",", "") for figure in _DIGITS.findall(sentence)}
    return digits | {NUMBER_WORDS[word] for word in _WORD.findall(sentence.lower()) if word in NUMBER_WORDS}


def negated(sentence: str) -> bool:
    """Return whether a sentence denies something."""
    words = _WORD.findall(sentence.lower())
    return any(word in _NEGATIONS for word in words) or _NOT.search(sentence.lower()) is not None


def names(sentence: str) -> set[str]:
    """Return the names in a sentence, lower-cased, without hyphens and plural s.

    The first word is a name only if it has a capital after its first letter. A lower-case text has no names.
    """
    words = set()
    for match in NAME.finditer(sentence):
        word = match.group()
        if any(sign.isupper() for sign in word[1:]) or (match.start() and len(word) > 1):
            words.add(word.lower().replace("-", "").removesuffix("s"))
    return words


def directions(sentence: str) -> frozenset[str]:
    """Return the directions of a sentence's comparisons: "up", "down", both or neither."""
    words = set(_WORD.findall(sentence.lower()))
    return frozenset(way for way, its in (("up", _UP), ("down", _DOWN)) if words & its)


def _share(first: Collection[str], second: Collection[str]) -> float:
    """Return the Jaccard coefficient of two sets; 1 if both are empty."""
    one, other = set(first), set(second)
    return len(one & other) / len(one | other) if one or other else 1.0
