"""From tokens back to text.

Belongs here: the spacing of English punctuation. Not here: reading tokens (scirex.py).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_ENDINGS = ("s", "m", "re", "ve", "ll", "d")
_NO_SPACE_BEFORE = frozenset(
    (*",.;:?!)]}%’”…", "..", "...", "),", ").", ")-", "n't", "n’t", *("'" + ending for ending in _ENDINGS))
) | frozenset("’" + ending for ending in _ENDINGS)
_NO_SPACE_AFTER = frozenset((*"([{“‘$#§", ")-"))
_TIGHT = frozenset((*"-/_", "][", ")("))
_DIGITS = re.compile(r"\d+")
_THOUSANDS = re.compile(r"\d{3}")


def detokenised(tokens: Sequence[str]) -> str:
    """Return tokens as text: "Full - Resolution ( FRRN ) , 45 , 000" as "Full-Resolution (FRRN), 45,000".

    Straight quotation marks open and close in turn.
    """
    pieces: list[str] = []
    tight = True
    quoted = False
    for index, word in enumerate(tokens):
        links = word == "//" and index > 0 and tokens[index - 1].endswith(("http:", "https:"))
        before_is_number = index > 0 and _DIGITS.fullmatch(tokens[index - 1]) is not None
        closes = word == '"' and quoted
        if not (tight or closes or links or word in _NO_SPACE_BEFORE or word in _TIGHT):
            pieces.append(" ")
        pieces.append(word)
        thousands = (
            word == ","
            and before_is_number
            and index + 1 < len(tokens)
            and _THOUSANDS.fullmatch(tokens[index + 1]) is not None
        )
        if word == '"':
            quoted = not quoted
            tight = quoted
        else:
            tight = links or word in _NO_SPACE_AFTER or word in _TIGHT or thousands
    return "".join(pieces)
