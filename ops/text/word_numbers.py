"""Words as numbers: split many texts at once, for callers that only count words.

Belongs here: splitting lower-cased texts into words, in compiled code. A word is a run of letters and digits,
as in `silverloom.ops.rank.rankers.words`. Not here: what is counted.
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

from silverloom.ops.text.words import visible

_SIGNS = re.compile(f"([{re.escape(string.punctuation)}])")


_WORDS_AT_ONCE = 1 << 20
_FEW = 1 << 10


@dataclass(frozen=True)
class WordNumbers:
    """The T words of N texts. V distinct words have numbers from 0."""

    numbers: NDArray[np.int32]
    """The number of each word, text after text (T); -1 without a number."""
    ends: NDArray[np.int64]
    """The start of each text in `numbers`, and the end of the last one (N + 1)."""
    firsts: NDArray[np.int64]
    lasts: NDArray[np.int64]
    data: bytes
    """All texts; the word with number i is `data[firsts[i]:lasts[i]]` (V)."""

    @property
    def distinct(self) -> int:
        """V."""
        return len(self.firsts)

    @property
    def texts(self) -> NDArray[np.int64]:
        """The index of each word's text (T)."""
        return np.repeat(np.arange(len(self.ends) - 1), np.diff(self.ends))

    def word(self, number: int) -> str:
        """Return the word with a number."""
        return self.data[self.firsts[number] : self.lasts[number]].decode(errors="surrogatepass")


def number_words(texts: Sequence[str], known: str | None = None) -> WordNumbers:
    """Lower-case texts and number their words by first occurrence.

    If `known` is given, only words of that text have numbers. Memory: the texts, and 4 bytes per word.
    """
    data, ends = joined([known or "", *texts])
    data, ends = data.lower(), ends[1:]
    vocabulary = _Vocabulary(data, kinds())
    vocabulary.number(0, int(ends[0]) - 1, growing=True)
    pieces = vocabulary.number(int(ends[0]), len(data), growing=known is None)
    numbers = np.concatenate([piece_numbers for piece_numbers, _ in pieces] or [np.empty(0, np.int32)])
    counts = sum((np.searchsorted(firsts, ends) for _, firsts in pieces), np.zeros(len(ends), np.int64))
    firsts, lasts = vocabulary.places()
    return WordNumbers(numbers, counts, firsts, lasts, data)


class _Vocabulary:
    """A hash table of numbered words."""

    def __init__(self, data: bytes, kinds: NDArray[Any]) -> None:
        self._data, self._kinds = np.frombuffer(data, np.uint8), kinds
        self._known = _places(_FEW)
        self._slots = np.full(2 * _FEW, -1, np.int32)
        self._distinct = 0

    def number(self, start: int, end: int, growing: bool) -> list[tuple[NDArray[Any], NDArray[Any]]]:
        """Return the numbers and start offsets of the words in a range of bytes, piece by piece."""
        from silverloom.ops.text.word_kernels import number

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
        """Return the start and the end (exclusive) of each numbered word."""
        return self._known[0][: self._distinct], self._known[1][: self._distinct]

    def _grow(self) -> None:
        from silverloom.ops.text.word_kernels import fill

        firsts, lasts, keys = (np.concatenate([column, np.empty_like(column)]) for column in self._known)
        self._known = firsts, lasts, keys
        self._slots = np.full(2 * len(self._slots), -1, np.int32)
        fill(self._slots, self._known[2][: self._distinct])


def joined(texts: Sequence[str]) -> tuple[bytes, NDArray[np.int64]]:
    """Return N texts as UTF-8, each with a line end, their starts, and the end of the last (N + 1).

    Texts that are not ASCII are lower-cased here; the caller lower-cases the ASCII bytes, all at once.
    """
    whole = "\n".join(texts)
    sizes: Iterable[int] = map(len, texts)
    if not whole.isascii():
        texts = [text if text.isascii() else visible(text).lower() for text in texts]
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
    """Lower-case a text, put spaces around every ASCII punctuation sign, and collapse white space.

    WikiSum's released code does the same before it reads a text (tensor2tensor, wikisum.py).
    """
    return " ".join(_SIGNS.sub(r" \1 ", visible(text).lower()).split())


@cache
def kinds() -> NDArray[Any]:
    """Return the kind of each code point for the kernels: LETTER or SPACE (0x110000)."""
    from silverloom.ops.text.word_kernels import LETTER, SPACE

    points = range(0x110000)
    letters = np.fromiter((chr(point).isalnum() for point in points), bool, len(points))
    return np.where(letters, LETTER, SPACE).astype(np.uint8)
