"""Where an input is cut, and what of a lead stands in it.

Belongs here: the same cut as in wikisum/examples, in the order of any ranker. Not here: the orders
(article.py), making examples (ops/wikisum/examples.py).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from tokenizers import Tokenizer

from ops.rank.tokens import words
from ops.text.word_numbers import normalised

#: Words of a lead that a page holds.
MOST_WORDS = 2_000

#: Of each word of a lead: not in the input, in it, in it beside the same neighbour.
NOWHERE, WORD, BIGRAM = "0", "1", "2"

_WORD = re.compile(r"([^\W_]+)")


class Cut(NamedTuple):
    """The end of an input."""

    paragraphs: int
    """That stand in it, the last one maybe cut."""
    characters: int | None
    """Of the last one that stand in it; None where all do, or there is none."""


class Lead:
    """A lead, to be looked for in inputs. Its words are those that equation 1 counts bigrams of."""

    def __init__(self, text: str):
        self._words = words(text)
        self._pairs = set(pairwise(self._words))
        self.pieces = _WORD.split(text)[: 2 * MOST_WORDS + 1]
        """What stands between words, a word, and so on."""

    @property
    def words(self) -> int:
        """How many there are, also of those that a page does not hold."""
        return len(self._words)

    def marks(self, found: Sequence[str]) -> str:
        """Return a sign for each word that a page holds: whether it stands among the words of an input."""
        there, pairs = set(found), self._pairs & set(pairwise(found))
        in_pairs = [pair in pairs for pair in pairwise(self._words)]
        around = zip([False, *in_pairs], [*in_pairs, False], strict=True)
        marks = (
            BIGRAM if any(pair) else WORD if word in there else NOWHERE
            for word, pair in zip(self._words, around, strict=False)
        )  # fmt: skip
        return "".join(marks)[:MOST_WORDS]

    def recall(self, found: Sequence[str]) -> float:
        """Return the share of the lead's distinct bigrams that the words of an input have."""
        return len(self._pairs & set(pairwise(found))) / max(len(self._pairs), 1)


class Paragraphs:
    """The paragraphs of one article, each divided once, whatever the number of orders."""

    def __init__(self, title: str, texts: Sequence[str], pieces: Tokenizer):
        self._texts, self._pieces = texts, pieces
        # behind the title stands the sign of its end
        self._title = len(pieces.encode(normalised(title), add_special_tokens=False).ids) + 1
        self._ends: dict[int, list[int]] = {}
        self._words: dict[int, list[str]] = {}

    def cut(self, order: Sequence[int], most: int) -> Cut:
        """Return where the input of an order ends, given the most sub-words, those of the title included."""
        left = most - self._title
        for place, index in enumerate(order):
            if left <= 0:
                return Cut(place, None)
            ends = self._sub_words(index)
            if len(ends) > left:
                return Cut(place + 1, ends[left - 1])
            left -= len(ends)
        return Cut(len(order), None)

    def words(self, order: Sequence[int], cut: Cut) -> list[str]:
        """Return the words of an input, without those of the title."""
        found = [word for index in order[: cut.paragraphs] for word in self._divided(index)]
        if cut.characters is None:
            return found
        last = order[cut.paragraphs - 1]
        whole = len(found) - len(self._divided(last))
        return [*found[:whole], *words(self._texts[last][: cut.characters])]

    def _sub_words(self, index: int) -> list[int]:
        """Return behind which character of a paragraph each of its sub-words ends."""
        if index not in self._ends:
            found = self._pieces.encode(self._texts[index], add_special_tokens=False)
            self._ends[index] = [end for _, end in found.offsets]
        return self._ends[index]

    def _divided(self, index: int) -> list[str]:
        if index not in self._words:
            self._words[index] = words(self._texts[index])
        return self._words[index]
