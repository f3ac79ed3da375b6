"""Inner loops over numbers of words, compiled by numba.

Belongs here: loops over arrays, nothing else; callers check their input. Not here: what is computed
(clones.py, rank.py). Imported when first needed: numba takes a third of a second.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ops.core.compiled import compiled
from ops.text.word_kernels import LETTER, code_point

_ASCII = np.uint8(0x80)


@compiled
def greatest_recalls(
    numbers: NDArray[np.int32],
    ends: NDArray[np.int64],
    sections: NDArray[np.int64],
    section_ends: NDArray[np.int64],
    sizes: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return of every text the greatest share of a section's words that it has.

    Word w stands in `sections[section_ends[w]:section_ends[w + 1]]`; section s has `sizes[s]` words.
    """
    recalls = np.zeros(len(ends) - 1)
    seen = np.full(len(section_ends) - 1, -1, np.int64)
    shared = np.zeros(len(sizes), np.int64)
    for text in range(len(recalls)):
        shared[:] = 0
        for place in range(ends[text], ends[text + 1]):
            word = numbers[place]
            if word < 0 or seen[word] == text:
                continue
            seen[word] = text
            for index in range(section_ends[word], section_ends[word + 1]):
                shared[sections[index]] += 1
        for section in np.flatnonzero(shared):
            recalls[text] = max(recalls[text], shared[section] / sizes[section])
    return recalls


@compiled
def counts_of_words(
    data: NDArray[np.uint8],
    ends: NDArray[np.int64],
    kinds: NDArray[np.uint8],
    words: NDArray[np.uint8],
    word_ends: NDArray[np.int64],
) -> NDArray[np.int32]:
    """Return how often each word stands in each text (N, words), in ASCII without regard to case.

    Text i is `data[ends[i] : ends[i + 1] - 1]`, in UTF-8, word k `words[word_ends[k] : word_ends[k + 1]]`;
    `kinds` has what each code point is. Words are looked at by their first byte, all others are passed over.
    """
    counts = np.zeros((len(ends) - 1, len(word_ends) - 1), np.int32)
    lowered = np.arange(256).astype(np.uint8)
    lowered[65:91] += np.uint8(32)
    # Of each byte: 1 where a word that is counted may begin with it, 2 where a word may begin behind it.
    signs = np.full(256, 2, np.uint8)
    signs[:128] = 2 * (kinds[:128] != LETTER)
    for byte in range(256):
        for first in word_ends[:-1]:
            signs[byte] |= np.uint8(lowered[byte] == words[first])
    for text in range(len(counts)):
        start, end = ends[text], ends[text + 1] - 1
        former = np.uint8(2)
        for index, byte in enumerate(data[start:end]):
            sign = signs[byte]
            begins = sign & (former >> 1)
            former = sign
            if not begins & 1:
                continue
            place = start + index
            if place == start or data[place - 1] < _ASCII or not _in_word(data, place - 1, kinds):
                for word in range(len(word_ends) - 1):
                    first, last = word_ends[word], word_ends[word + 1]
                    after = place + last - first
                    if words[first] != lowered[byte] or after > end:
                        continue
                    offset = 1
                    while first + offset < last and lowered[data[place + offset]] == words[first + offset]:
                        offset += 1
                    if first + offset == last and (after == end or not _in_word(data, after, kinds)):
                        counts[text, word] += 1
    return counts


@compiled
def _in_word(data: NDArray[np.uint8], place: int, kinds: NDArray[np.uint8]) -> bool:
    """Return whether the character that a byte is part of belongs in words."""
    while data[place] & 0xC0 == 0x80:
        place -= 1
    if data[place] < _ASCII:
        return bool(kinds[data[place]] == LETTER)
    return bool(kinds[code_point(data, place)[0]] == LETTER)
