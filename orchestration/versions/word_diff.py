"""Two values side by side, word by word.

Belongs here: differences inside a value, short enough to read. Not here: which values differ (difference.py).
"""

from __future__ import annotations

import json
import re
from difflib import SequenceMatcher
from typing import Any, Literal, NamedTuple

#: Words shown around a change, characters of one piece, and words up to which a change is looked into.
_AROUND, _LONGEST, _WORDS = 6, 400, 1_500


class Piece(NamedTuple):
    """A run of words that both values have (=), only the old one (-) or only the new one (+)."""

    sign: Literal["=", "-", "+"]
    text: str


def pieces(old: Any, new: Any) -> list[Piece]:
    """Return what changed between two values, with a few words around each change.

    Values that are no texts are written as JSON. Where long texts differ at length, the change is one piece.
    """
    one, other = _words(old), _words(new)
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    end = 0
    while end < min(len(one), len(other)) - start and one[-1 - end] == other[-1 - end]:
        end += 1
    head, tail = one[:start], one[len(one) - end :]
    found: list[Piece] = [Piece("=", "".join(head))] if head else []
    found += _inside(one[start : len(one) - end], other[start : len(other) - end])
    found += [Piece("=", "".join(tail))] if tail else []
    return [_short(piece, at == 0, at == len(found) - 1) for at, piece in enumerate(found)]


def written(value: Any) -> str:
    """Return a value as a text."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=repr)


def _words(value: Any) -> list[str]:
    return re.findall(r"\s+|[^\s]+", written(value))


def _inside(one: list[str], other: list[str]) -> list[Piece]:
    if max(len(one), len(other)) > _WORDS:
        return [Piece("-", "".join(one)), Piece("+", "".join(other))]
    found = []
    for kind, i, j, k, m in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if kind == "equal":
            found.append(Piece("=", "".join(one[i:j])))
            continue
        if j > i:
            found.append(Piece("-", "".join(one[i:j])))
        if m > k:
            found.append(Piece("+", "".join(other[k:m])))
    return found


def _short(piece: Piece, first: bool, last: bool) -> Piece:
    text = piece.text
    if piece.sign != "=":
        return Piece(piece.sign, text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…")
    words = re.findall(r"\s*\S+\s*", text)
    if len(words) <= 2 * _AROUND + 1:
        return Piece(
            "=", text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]}…{text[-_LONGEST // 2 :]}"
        )
    before = "" if first else "".join(words[:_AROUND])[:_LONGEST]
    after = "" if last else "".join(words[-_AROUND:])[-_LONGEST:]
    return Piece("=", f"{before}… {after}" if after else f"{before}…")
