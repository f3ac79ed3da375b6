"""Two texts against each other, word by word.

Belongs here: what both have in common, in order. Not here: how much of it is shown (orchestration).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any, NamedTuple

from rapidfuzz.distance import Indel

#: Words of one text times words of the other, up to which a change is looked into: 12 MB of bits.
_MOST = 100_000_000

_TOKEN = re.compile(r"\s+|[\w'’]+|[^\s\w]")


class Piece(NamedTuple):
    """A run of words that both texts have (=), only the old one (-) or only the new one (+)."""

    sign: str
    text: str


def difference(old: str, new: str) -> list[Piece]:
    """Return the pieces of two texts by a longest common subsequence of their words and what is between.

    Where texts differ at great length, all between their common beginning and end is one change.
    """
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    shorter = min(len(before), len(after))
    start = next((at for at in range(shorter) if before[at] != after[at]), shorter)
    rest = range(1, shorter - start + 1)
    end = next((at - 1 for at in rest if before[-at] != after[-at]), shorter - start)
    found = [Piece("=", "".join(before[:start]))]
    removed, added = before[start : len(before) - end], after[start : len(after) - end]
    if len(removed) * len(added) > _MOST:
        found += [Piece("-", "".join(removed)), Piece("+", "".join(added))]
    else:
        steps: Any = Indel.opcodes(removed, added)
        for kind, i, j, k, m in steps:
            if kind == "equal":
                found.append(Piece("=", "".join(removed[i:j])))
            else:
                found += [Piece("-", "".join(removed[i:j])), Piece("+", "".join(added[k:m]))]
    found.append(Piece("=", "".join(before[len(before) - end :])))
    return list(_joined(found))


def _joined(found: list[Piece]) -> Iterator[Piece]:
    """Yield the pieces without empty ones; in the place of a change first what is gone, then what is new."""
    for equal, run in groupby(found, lambda piece: piece.sign == "="):
        pieces = list(run)
        for sign in ("=",) if equal else ("-", "+"):
            if text := "".join(piece.text for piece in pieces if piece.sign == sign):
                yield Piece(sign, text)
