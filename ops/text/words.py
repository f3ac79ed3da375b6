"""White space between words, stop words, numbers that others wrote, and two texts word by word.

Not here: how many words texts have (ops/core/measures.py), the tokens that talks and papers are aligned by
(ops/talksumm/align/emission.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

_LINES = Path(__file__).with_name("stop_words.txt").read_text(encoding="utf-8").splitlines()

#: `stopwords.words("english")`, the 179 words that TalkSumm's released code removed.
STOP_WORDS = frozenset(line for line in _LINES if not line.startswith("#"))


def fold(text: str) -> str:
    """Return the words of `text` with one space between them and none around."""
    return " ".join(text.split())


_FEW_DIGITS = re.compile(r"[0-9]{1,18}")


def whole_number(text: object) -> int:
    """Return a number that is written in up to 18 digits. Raises ValueError for anything else."""
    if _FEW_DIGITS.fullmatch(str(text) if isinstance(text, str | int) else "") is None:
        raise ValueError(f"{text!r:.80} is no number of up to 18 digits")
    return int(str(text))


#: Words of one text times words of the other, up to which a change is looked into: 12 MB of bits.
_MOST = 100_000_000

_TOKEN = re.compile(r"\s+|[\w'’]+|[^\s\w]")


class Piece(NamedTuple):
    """A run of words that both texts have (=), only the old one (-) or only the new one (+)."""

    sign: str
    text: str


def word_difference(old: str, new: str) -> list[Piece]:
    """Return the pieces of two texts by a longest common subsequence of their words and what is between.

    Where texts differ at great length, all between their common beginning and end is one change.
    """
    from rapidfuzz.distance import Indel  # late: where a model is served, it is not installed

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
