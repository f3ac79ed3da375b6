"""Which characters are text: one rule for every format.

Belongs here: the rule, and refusing or showing what breaks it. Not here: decoding (decoding.py).

Control characters are no text, apart from tabs, line feeds, carriage returns and form feeds. Nor are halves
of surrogate pairs: UTF-8 cannot hold them, but JSON can ("\\ud800").
"""

from __future__ import annotations

import re

from ops.parse.source import ParseError

_NO_TEXT = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\ud800-\udfff]")


def check_characters(text: str, what: str) -> None:
    """Raise ParseError if `text` holds a control character or half a surrogate pair."""
    if found := _NO_TEXT.search(text):
        before = text[: found.start()]
        place = f"line {before.count(chr(10)) + 1}, column {found.start() - before.rfind(chr(10))}"
        raise ParseError(f"{what} holds the character U+{ord(found.group()):04X}, which is no text ({place})")
