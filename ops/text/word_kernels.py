"""Inner loops that number words, compiled by numba.

Belongs here: loops over bytes. Callers check their input. Not here: what a word is (word_numbers.py). Import
this module only when needed: numba takes a third of a second.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from silverloom.ops.core.compiled import compiled

#: Kinds of characters: separator, or part of a word.
SPACE, LETTER = 0, 1

#: Words up to this many bytes have unique keys.
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
    """Write start and number of each word of a text; return the word count, the end, and the vocabulary size.

    The text is `data[start:end]`, in UTF-8, and `kinds` has the kind of each code point. `known` has the
    start, the end (exclusive) and the key of each numbered word; `slots` is the hash table from keys to their
    numbers. If `growing`, a new word gets the next number; otherwise its number is -1. The loop stops early
    when the output is full or half of the slots are used; the returned end says where to continue.
    """
    known_firsts, known_lasts, known_keys = known
    mask = np.uint64(len(slots) - 1)
    total, place = 0, start
    while place < end and total < len(firsts):
        first, key = place, np.uint64(0)
        while place < end:
            byte = data[np.uint64(place)]  # unsigned: the check for negative indices costs a fifth
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
        entry = slots[slot]
        while entry >= 0:
            if known_keys[entry] == key and known_lasts[entry] - known_firsts[entry] == size:
                other, offset = known_firsts[entry], 0 if size > _BYTES else size
                while offset < size and data[other + offset] == data[first + offset]:
                    offset += 1
                if offset == size:
                    break
            slot = (slot + np.uint64(1)) & mask
            entry = slots[slot]
        if entry < 0 and growing:
            if 2 * distinct >= len(slots):
                return total, first, distinct
            entry = np.int32(distinct)
            slots[slot] = entry
            known_firsts[distinct], known_lasts[distinct], known_keys[distinct] = first, place, key
            distinct += 1
        firsts[total], numbers[total] = first, entry
        total += 1
    return total, place, distinct


@compiled
def _with(key: np.uint64, byte: np.uint8) -> np.uint64:
    """Return the key of a word with one more byte."""
    return ((key << np.uint64(8)) | (key >> np.uint64(56))) ^ np.uint64(byte)


@compiled
def _slot(key: np.uint64, mask: np.uint64) -> np.uint64:
    """Return the first slot to look for a key."""
    mixed = (key ^ (key >> np.uint64(32))) * _MIX
    return (mixed >> np.uint64(32)) & mask


@compiled
def fill(slots: NDArray[np.int32], keys: NDArray[np.uint64]) -> None:
    """Insert the numbers of known words into empty slots."""
    mask = np.uint64(len(slots) - 1)
    for number in range(len(keys)):
        slot = _slot(keys[number], mask)
        while slots[slot] >= 0:
            slot = (slot + np.uint64(1)) & mask
        slots[slot] = number


@compiled
def code_point(data: NDArray[np.uint8], place: int) -> tuple[np.int64, int]:
    """Return the non-ASCII code point that starts at a byte, and its length in bytes."""
    byte = np.int64(data[place])
    if byte >= 0xF0:
        high = ((byte & 7) << 18) | (np.int64(data[place + 1] & 63) << 12)
        return high | (np.int64(data[place + 2] & 63) << 6) | np.int64(data[place + 3] & 63), 4
    if byte >= 0xE0:
        return ((byte & 15) << 12) | (np.int64(data[place + 1] & 63) << 6) | np.int64(data[place + 2] & 63), 3
    return ((byte & 31) << 6) | np.int64(data[place + 1] & 63), 2
