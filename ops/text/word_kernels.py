"""The inner loops that give words numbers, compiled by numba.

Belongs here: loops over bytes, nothing else; callers check their input. Not here: what a word is
(word_numbers.py). Imported when first needed: numba takes a third of a second.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ops.core.numerics import compiled

#: What a character is: between words, or in a word.
SPACE, LETTER = 0, 1

#: Words of so many bytes have a key of their own.
_BYTES = 8
_MIX = np.uint64(0x9E3779B97F4A7C15)
_ASCII = np.uint8(0x80)


@compiled
def number(
    data: NDArray[np.uint8],
    start: int,
    end: int,
    kinds: NDArray[np.uint8],
    slots: NDArray[np.int32],
    known: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint64]],
    distinct: int,
    growing: bool,
    firsts: NDArray[np.int64],
    numbers: NDArray[np.int32],
) -> tuple[int, int, int]:
    """Write first byte and number of the words of a text; return how many, the place, and how many are known.

    The text is `data[start:end]`, in UTF-8; `kinds` has what each code point is. `known` has first byte, byte
    after the last, and key of the words that have numbers, `slots` their numbers by key. A word that is not
    known becomes so while `growing`, else its number is -1. It ends early where there is no more room for
    words, or half of the slots are taken.
    """
    known_firsts, known_lasts, known_keys = known
    mask = np.uint64(len(slots) - 1)
    total, place = 0, start
    while place < end and total < len(firsts):
        first, key = place, np.uint64(0)
        while place < end:
            byte = data[np.uint64(place)]  # never from the end, which costs a fifth more
            if byte < _ASCII:
                if kinds[byte] != LETTER:
                    break
                key = _with(key, byte)
                place += 1
                continue
            code, width = code_point(data, place)
            if kinds[code] != LETTER:
                break
            for offset in range(width):
                key = _with(key, data[place + offset])
            place += width
        if place == first:
            place += code_point(data, place)[1] if data[place] >= _ASCII else 1
            continue
        slot, size = _slot(key, mask), place - first
        found = slots[slot]
        while found >= 0:
            if known_keys[found] == key and known_lasts[found] - known_firsts[found] == size:
                other, offset = known_firsts[found], 0 if size > _BYTES else size
                while offset < size and data[other + offset] == data[first + offset]:
                    offset += 1
                if offset == size:
                    break
            slot = (slot + np.uint64(1)) & mask
            found = slots[slot]
        if found < 0 and growing:
            if 2 * distinct >= len(slots):
                return total, first, distinct
            found = np.int32(distinct)
            slots[slot] = found
            known_firsts[distinct], known_lasts[distinct], known_keys[distinct] = first, place, key
            distinct += 1
        firsts[total], numbers[total] = first, found
        total += 1
    return total, place, distinct


@compiled
def _with(key: np.uint64, byte: np.uint8) -> np.uint64:
    """Return the key of a word with a byte more."""
    return ((key << np.uint64(8)) | (key >> np.uint64(56))) ^ np.uint64(byte)


@compiled
def _slot(key: np.uint64, mask: np.uint64) -> np.uint64:
    """Return where a key is looked for first."""
    mixed = (key ^ (key >> np.uint64(32))) * _MIX
    return (mixed >> np.uint64(32)) & mask


@compiled
def fill(slots: NDArray[np.int32], keys: NDArray[np.uint64]) -> None:
    """Put the numbers of known words into empty slots."""
    mask = np.uint64(len(slots) - 1)
    for number in range(len(keys)):
        slot = _slot(keys[number], mask)
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
