"""The inner loops that give words numbers, compiled by numba.

Belongs here: loops over bytes, nothing else; callers check their input. Not here: what a word is
(word_numbers.py). Imported when first needed: numba takes a third of a second.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ops.core.compiled import compiled

#: What a character is: between words, in a word, or a word by itself.
SPACE, LETTER, SIGN = 0, 1, 2

_FNV_OFFSET, _FNV_PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)
_ASCII = np.uint8(0x80)


@compiled
def divide(
    data: NDArray[np.uint8],
    start: int,
    end: int,
    kinds: NDArray[np.uint8],
    firsts: NDArray[np.int64],
    lasts: NDArray[np.int64],
    hashes: NDArray[np.uint64],
) -> tuple[int, int]:
    """Write first byte, byte after the last, and hash of the words of a text; return how many, and the place.

    The text is `data[start:end]`, in UTF-8; `kinds` has what each code point is. It ends early where there
    is no more room for words.
    """
    total, place = 0, start
    while place < end and total < len(firsts):
        first, value = place, _FNV_OFFSET
        while place < end:
            byte = data[place]
            if byte < _ASCII:
                if kinds[byte] != LETTER:
                    break
                value = (value ^ np.uint64(byte)) * _FNV_PRIME
                place += 1
                continue
            code, width = code_point(data, place)
            if kinds[code] != LETTER:
                break
            for offset in range(width):
                value = (value ^ np.uint64(data[place + offset])) * _FNV_PRIME
            place += width
        if place > first:
            firsts[total], lasts[total], hashes[total] = first, place, value
            total += 1
        elif data[place] < _ASCII:
            place += 1
            if kinds[data[first]] == SIGN:
                firsts[total], lasts[total] = first, place
                hashes[total] = (value ^ np.uint64(data[first])) * _FNV_PRIME
                total += 1
        else:
            place += code_point(data, place)[1]
    return total, place


@compiled
def number(
    data: NDArray[np.uint8],
    words: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint64]],
    slots: NDArray[np.int32],
    known: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint64]],
    distinct: int,
    growing: bool,
    numbers: NDArray[np.int32],
) -> tuple[int, int]:
    """Write the number of each word; return how many were looked at, and how many distinct words there are.

    `words` and `known` are first bytes, bytes after the last and hashes; `slots` has the numbers of known
    words by hash. A word that is not known becomes so while `growing`, else its number is -1. It ends early
    where half of the slots are taken.
    """
    firsts, lasts, hashes = words
    known_firsts, known_lasts, known_hashes = known
    mask = np.uint64(len(slots) - 1)
    for index in range(len(firsts)):
        first, size, value = firsts[index], lasts[index] - firsts[index], hashes[index]
        slot = value & mask
        found = slots[slot]
        while found >= 0:
            if known_hashes[found] == value and known_lasts[found] - known_firsts[found] == size:
                other, offset = known_firsts[found], 0
                while offset < size and data[other + offset] == data[first + offset]:
                    offset += 1
                if offset == size:
                    break
            slot = (slot + np.uint64(1)) & mask
            found = slots[slot]
        if found < 0 and growing:
            if 2 * distinct >= len(slots):
                return index, distinct
            found = np.int32(distinct)
            slots[slot] = found
            known_firsts[distinct], known_lasts[distinct] = first, lasts[index]
            known_hashes[distinct] = value
            distinct += 1
        numbers[index] = found
    return len(firsts), distinct


@compiled
def fill(slots: NDArray[np.int32], hashes: NDArray[np.uint64]) -> None:
    """Put the numbers of known words into empty slots."""
    mask = np.uint64(len(slots) - 1)
    for number in range(len(hashes)):
        slot = hashes[number] & mask
        while slots[slot] >= 0:
            slot = (slot + np.uint64(1)) & mask
        slots[slot] = number


@compiled
def code_point(data: NDArray[np.uint8], place: int) -> tuple[np.int64, int]:
    """Return the code point beyond ASCII that begins at a place, and how many bytes it has."""
    byte = np.int64(data[place])
    if byte >= 0xF0:
        high = ((byte & 7) << 18) | (np.int64(data[place + 1] & 63) << 12)
        return high | (np.int64(data[place + 2] & 63) << 6) | np.int64(data[place + 3] & 63), 4
    if byte >= 0xE0:
        return ((byte & 15) << 12) | (np.int64(data[place + 1] & 63) << 6) | np.int64(data[place + 2] & 63), 3
    return ((byte & 31) << 6) | np.int64(data[place + 1] & 63), 2
