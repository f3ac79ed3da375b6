"""Which characters are text: one rule for every format.

Belongs here: the rule, refusing what breaks it, and showing it. Not here: decoding (decoding.py).

Control characters are no text, apart from tabs, line feeds, carriage returns and form feeds. Nor are halves
of surrogate pairs: UTF-8 cannot hold them, but JSON can ("\\ud800"), and so can Python's names of files.

U+007F to U+009F control a terminal, too, but stay in texts: where one was decoded as Latin-1 instead of
Windows-1252, they are its quotes and dashes (in one of 37 abstracts of the ACL Anthology). What is shown in a
terminal has them escaped.
"""

from __future__ import annotations

import re

from ops.parse.source import ParseError

_NO_TEXT = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\ud800-\udfff]")
#: The same, what else controls a terminal, and what breaks a line (U+0085 does, too).
_NOT_IN_LINE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def check_characters(text: str, what: str) -> None:
    """Raise ParseError if `text` holds a control character or half a surrogate pair."""
    if found := _NO_TEXT.search(text):
        before = text[: found.start()]
        place = f"line {before.count(chr(10)) + 1}, column {found.start() - before.rfind(chr(10))}"
        raise ParseError(f"{what} holds the character U+{ord(found.group()):04X}, which is no text ({place})")


def check_texts(value: object, what: str) -> None:
    """Check the characters of every text in a row of a table, or beside others; names of columns tell it."""
    if isinstance(value, str):
        check_characters(value, what)
    elif isinstance(value, dict):
        for name, inner in value.items():
            check_texts(inner, name)
    elif isinstance(value, list | tuple):
        for inner in value:
            check_texts(inner, what)


def one_line(text: str) -> str:
    """Return `text` with what is no text, and what breaks a line, written as escapes."""
    return _NOT_IN_LINE.sub(lambda found: _escape(found.group()), text)


def _escape(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # how Python holds a byte that is not UTF-8
        code -= 0xDC00
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
