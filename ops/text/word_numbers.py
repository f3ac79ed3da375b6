"""Words as numbers: many texts divided at once, for callers that only count words.

Belongs here: dividing lower-cased texts into words, in compiled code. A word is a run of letters and digits,
as `ops.rank.rankers.words` finds them. Not here: what is counted.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

_SIGNS = re.compile(f"([{re.escape(string.punctuation)}])")


_WORDS_AT_ONCE = 1 << 20
_FEW = 1 << 10


@dataclass(frozen=True)
class WordNumbers:
    """The words of N texts, T in all, of which V distinct ones have a number from 0."""

    numbers: NDArray[np.int32]
    """Of each word, text after text (T); -1 of one that has none."""
    ends: NDArray[np.int64]
    """Where each text begins in `numbers`, and where the last one ends (N + 1)."""
    firsts: NDArray[np.int64]
    lasts: NDArray[np.int64]
    data: bytes
    """All texts; the numbered words are `data[firsts[i]:lasts[i]]` (V)."""

    @property
    def distinct(self) -> int:
        """V."""
        return len(self.firsts)

    @property
    def texts(self) -> NDArray[np.int64]:
        """The text that each word stands in (T)."""
        return np.repeat(np.arange(len(self.ends) - 1), np.diff(self.ends))

    def word(self, number: int) -> str:
        """Return the word of a number."""
        return self.data[self.firsts[number] : self.lasts[number]].decode(errors="surrogatepass")


def number_words(texts: Sequence[str], known: str | None = None) -> WordNumbers:
    """Number the words of texts, which are lower-cased first, in the order in which they first occur.

    With a text `known`, only its words have numbers. Beside the texts it takes 4 bytes a word.
    """
    data, ends = joined([known or "", *texts])
    data, ends = data.lower(), ends[1:]
    vocabulary = _Vocabulary(data, kinds())
    vocabulary.number(0, int(ends[0]) - 1, growing=True)
    found = vocabulary.number(int(ends[0]), len(data), growing=known is None)
    numbers = np.concatenate([found_numbers for found_numbers, _ in found] or [np.empty(0, np.int32)])
    counts = sum((np.searchsorted(firsts, ends) for _, firsts in found), np.zeros(len(ends), np.int64))
    firsts, lasts = vocabulary.places()
    return WordNumbers(numbers, counts, firsts, lasts, data)


class _Vocabulary:
    """Words that have numbers, found by their keys."""

    def __init__(self, data: bytes, kinds: NDArray[Any]) -> None:
        self._data, self._kinds = np.frombuffer(data, np.uint8), kinds
        self._known = _places(_FEW)
        self._slots = np.full(2 * _FEW, -1, np.int32)
        self._distinct = 0

    def number(self, start: int, end: int, growing: bool) -> list[tuple[NDArray[Any], NDArray[Any]]]:
        """Return the numbers and first bytes of the words of some bytes, piece after piece."""
        from ops.text.word_kernels import number

        pieces = []
        while start < end:
            most = min(_WORDS_AT_ONCE, end - start)
            firsts, numbers = np.empty(most, np.int64), np.empty(most, np.int32)
            total, start, self._distinct = number(
                self._data,
                start,
                end,
                self._kinds,
                self._slots,
                self._known,
                self._distinct,
                growing,
                firsts,
                numbers,
            )
            pieces.append((numbers[:total], firsts[:total]))
            if growing and 2 * self._distinct >= len(self._slots):
                self._grow()
        return pieces

    def places(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return first byte, and byte after the last, of each word that has a number."""
        return self._known[0][: self._distinct], self._known[1][: self._distinct]

    def _grow(self) -> None:
        from ops.text.word_kernels import fill

        firsts, lasts, keys = (np.concatenate([column, np.empty_like(column)]) for column in self._known)
        self._known = firsts, lasts, keys
        self._slots = np.full(2 * len(self._slots), -1, np.int32)
        fill(self._slots, self._known[2][: self._distinct])


def joined(texts: Sequence[str]) -> tuple[bytes, NDArray[np.int64]]:
    """Return N texts in UTF-8, each with a line end behind it, and where each begins, and all end (N + 1).

    What is not ASCII is lower-cased: bytes of ASCII can be so all at once.
    """
    whole = "\n".join(texts)
    sizes: Iterable[int] = map(len, texts)
    if not whole.isascii():
        texts = [text if text.isascii() else text.lower() for text in texts]
        whole = "\n".join(texts)
        sizes = (len(_bytes(text)) for text in texts)
    ends = np.zeros(len(texts) + 1, np.int64)
    np.cumsum(np.fromiter(sizes, np.int64, len(texts)) + 1, out=ends[1:])
    return _bytes(whole), ends


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogatepass")


def _places(size: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint64]]:
    return np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.uint64)


def normalised(text: str) -> str:
    """Return a text lower-cased, with one space round every sign of ASCII, and nowhere more than one.

    What the released code of WikiSum does before it reads a text (tensor2tensor, wikisum.py).
    """
    return " ".join(_SIGNS.sub(r" \1 ", text.lower()).split())


@cache
def kinds() -> NDArray[Any]:
    """Return of each code point whether it belongs in words, as the kernels have it (0x110000)."""
    from ops.text.word_kernels import LETTER, SPACE

    points = range(0x110000)
    letters = np.fromiter((chr(point).isalnum() for point in points), bool, len(points))
    return np.where(letters, LETTER, SPACE).astype(np.uint8)
