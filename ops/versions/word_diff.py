"""What changed between two values, short enough to read.

Belongs here: how much is shown around a change. Not here: the comparison word by word
(ops/text/words.py), which values differ (difference.py).
"""

from __future__ import annotations

import json
import re
from typing import Any

from ops.text.words import Piece, difference

#: Words shown around a change, and characters of one piece.
_AROUND, _LONGEST = 6, 400


def pieces(old: Any, new: Any) -> list[Piece]:
    """Return what changed between two values, with a few words around each change.

    Values that are no texts are written as JSON. Where long texts differ at length, the change is one piece.
    """
    found = difference(written(old), written(new))
    return [_short(piece, at == 0, at == len(found) - 1) for at, piece in enumerate(found)]


def written(value: Any) -> str:
    """Return a value as a text."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=repr)


def _short(piece: Piece, first: bool, last: bool) -> Piece:
    text = piece.text
    words = re.findall(r"\s*\S+\s*", text)
    if piece.sign != "=":
        text = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    elif len(words) > 2 * _AROUND + 1:
        before = "" if first else "".join(words[:_AROUND])[:_LONGEST]
        after = "" if last else "".join(words[-_AROUND:])[-_LONGEST:]
        text = f"{before}… {after}" if after else f"{before}…"
    elif len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2]}…{text[-_LONGEST // 2 :]}"
    return Piece(piece.sign, text)
