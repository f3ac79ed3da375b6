"""Inner loops over numbers of words, compiled by numba.

Belongs here: only loops over arrays; callers check their input. Not here: the meaning of the numbers
(clones.py, rank.py). Import this on first use: importing numba takes a third of a second.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from silverloom.ops.core.compiled import compiled
from silverloom.ops.text.word_kernels import LETTER, code_point

_ASCII = np.uint8(0x80)
#: The bit that differs between an ASCII capital and its small letter.
_CASE = np.uint8(0x20)
#: Number of bytes per block.
_BLOCK = 1 << 12
_MIX = np.uint64(0x9E3779B97F4A7C15)


@compiled
def number_shingles(
    numbers: NDArray[np.int32], ends: NDArray[np.int64], known: int, size: int
) -> tuple[NDArray[np.int32], int]:
    """Return the number of the shingle that begins at each place, and the count of numbered shingles.

    Text i has the words `numbers[ends[i]:ends[i + 1]]`. Shingles of the first `known` texts are numbered in
    the order in which they first occur. Places where another shingle begins, or none, have -1.
    """
    capacity = 2
    while capacity < 2 * ends[known]:
        capacity *= 2
    mask = np.uint64(capacity - 1)
    slots = np.full(capacity, -1, np.int32)
    firsts = np.empty(ends[known], np.int64)
    shingles = np.full(len(numbers), -1, np.int32)
    distinct = 0
    for text in range(len(ends) - 1):
        run = 0  # consecutive numbered words up to here
        for end in range(ends[text], ends[text + 1]):
            run = run + 1 if numbers[end] >= 0 else 0
            if run < size:
                continue
            place = end - size + 1
            key = np.uint64(0)
            for offset in range(size):
                key = (key ^ np.uint64(numbers[place + offset])) * _MIX
                key ^= key >> np.uint64(32)
            slot = key & mask
            number = slots[slot]
            while number >= 0:
                same = True
                for offset in range(size):
                    same &= numbers[firsts[number] + offset] == numbers[place + offset]
                if same:
                    break
                slot = (slot + np.uint64(1)) & mask
                number = slots[slot]
            if number < 0 and text < known:
                number = np.int32(distinct)
                slots[slot] = number
                firsts[distinct] = place
                distinct += 1
            shingles[place] = number
    return shingles, distinct


@compiled
def greatest_recalls(
    numbers: NDArray[np.int32],
    ends: NDArray[np.int64],
    words: NDArray[np.int64],
    word_ends: NDArray[np.int64],
    distinct: int,
) -> NDArray[np.float64]:
    """Return, for every text, the largest share of any section's words (or shingles) that it contains.

    Section s has the words `words[word_ends[s]:word_ends[s + 1]]`, each once; all their numbers are less than
    `distinct`. No branch depends on a word, which avoids branch mispredictions.
    """
    recalls = np.zeros(len(ends) - 1)
    # The last element is for words without a number, -1.
    seen = np.full(distinct + 1, -1, np.int32)
    for text in range(len(recalls)):
        for place in range(ends[text], ends[text + 1]):
            seen[numbers[place]] = text
        for section in range(len(word_ends) - 1):
            shared = 0
            for place in range(word_ends[section], word_ends[section + 1]):
                shared += seen[words[np.uint64(place)]] == text
            if shared:
                recalls[text] = max(recalls[text], shared / (word_ends[section + 1] - word_ends[section]))
    return recalls


@compiled
def counts_of_words(
    data: NDArray[np.uint8],
    ends: NDArray[np.int64],
    kinds: NDArray[np.uint8],
    words: NDArray[np.uint8],
    word_ends: NDArray[np.int64],
) -> NDArray[np.int32]:
    """Return how often each word occurs in each text (N, words), ignoring case in ASCII.

    Text i is `data[ends[i] : ends[i + 1] - 1]` in UTF-8, with a newline after all but the last; word k is
    `words[word_ends[k] : word_ends[k + 1]]`; `kinds` classifies each code point. First finds, many at once,
    the places where the first and the last byte of a word occur at the right distance.
    """
    counts = np.zeros((len(ends) - 1, len(word_ends) - 1), np.int32)
    lowered = np.arange(256).astype(np.uint8)
    lowered[65:91] += _CASE
    likely = np.zeros(_BLOCK, np.uint8)
    eights = likely.view(np.uint64)
    for number in range(len(word_ends) - 1):
        word = words[word_ends[number] : word_ends[number + 1]]
        beyond = len(data) - len(word) + 1
        counts[:1, number] = beyond > 0 and _stands_at(data, 0, word, lowered, kinds)
        text = 0
        for start in range(1, beyond, _BLOCK):
            size = min(_BLOCK, beyond - start)
            likely[size:] = 0
            _compare(data[start - 1 :], word[0], data[start + len(word) - 1 :], word[-1], likely[:size])
            for eight in range((size + 7) // 8):
                if not eights[eight]:
                    continue
                for place in range(8 * eight, 8 * eight + 8):
                    if likely[place] and _stands_at(data, start + place, word, lowered, kinds):
                        while ends[text + 1] <= start + place:
                            text += 1
                        counts[text, number] += 1
    return counts


@compiled
def _compare(
    firsts: NDArray[np.uint8], first: int, lasts: NDArray[np.uint8], last: int, likely: NDArray[np.uint8]
) -> None:
    """Mark where both bytes match those of a word in any case, and no ASCII letter comes before.

    `firsts` begins one byte earlier.
    """
    for place in range(len(likely)):
        likely[place] = (
            ((firsts[place + 1] | _CASE) == (first | _CASE))
            & ((lasts[place] | _CASE) == (last | _CASE))
            & (np.uint8((firsts[place] | _CASE) - np.uint8(97)) >= 26)
        )


@compiled
def _stands_at(
    data: NDArray[np.uint8],
    place: int,
    word: NDArray[np.uint8],
    lowered: NDArray[np.uint8],
    kinds: NDArray[np.uint8],
) -> bool:
    """Return whether a word begins at `place` and ends at a word boundary."""
    for offset in range(len(word)):
        if lowered[data[place + offset]] != word[offset]:
            return False
    after = place + len(word)
    return (place == 0 or not _in_word(data, place - 1, kinds)) and (
        after == len(data) or not _in_word(data, after, kinds)
    )


@compiled
def _in_word(data: NDArray[np.uint8], place: int, kinds: NDArray[np.uint8]) -> bool:
    """Return whether the character that contains a byte is a word character."""
    while data[place] & 0xC0 == 0x80:
        place -= 1
    if data[place] < _ASCII:
        return bool(kinds[data[place]] == LETTER)
    return bool(kinds[code_point(data, place)[0]] == LETTER)
