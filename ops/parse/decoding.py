"""From bytes to text and JSON, with errors for people.

Belongs here: decoding. Not here: which characters are text (characters.py), what the text or the object must
hold (the formats).
"""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from pydantic_core import from_json

from ops.parse.source import ParseError

#: Brackets in a text that cannot be nested too deeply: 200 levels are what pydantic's reader of JSON takes.
_FEW_BRACKETS = 200

#: Unicode has characters of seven digits; Python refuses to read a number of thousands of digits.
_LONG_REFERENCE = re.compile(r"&#([0-9]{8,})")


def decoded(content: bytes) -> str:
    """Return UTF-8 bytes as text, a byte order mark taken off. Raises ParseError with the byte offset."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ParseError("not UTF-8: it begins with the byte order mark of UTF-16; convert it to UTF-8")
    if not content.strip():
        raise ParseError("the file is empty")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # The decoder may have been given the bytes behind a byte order mark.
        offset = error.start + len(content) - len(error.object)
        cause = f"byte 0x{content[offset]:02x} at byte offset {offset} ({error.reason})"
        raise ParseError(f"not UTF-8: {cause}") from None


def unescaped(text: str) -> str:
    """Return `text` with the character references of HTML replaced; one beyond Unicode becomes U+FFFD."""
    return html.unescape(_LONG_REFERENCE.sub(lambda found: f"&#{found[1].lstrip('0')[:8] or 0}", text))


def json_value(content: bytes) -> Any:
    """Return a JSON value. Raises ParseError if it is malformed, nested too deeply, or a key stands twice."""
    text = decoded(content)
    if _nested_too_deeply(text):
        raise ParseError("JSON nested too deeply")
    try:
        return json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise ParseError(f"malformed JSON: {error.msg} (line {error.lineno}, column {error.colno})") from None
    except ParseError:
        raise
    except ValueError as error:
        raise ParseError(f"malformed JSON: {error}") from None


def _nested_too_deeply(text: str) -> bool:
    """Say whether JSON is nested too deeply; how deep Python's own reader goes depends on who calls it."""
    if text.count("[") + text.count("{") <= _FEW_BRACKETS:
        return False
    try:
        from_json(text, cache_strings="none")
    except ValueError as error:
        return "recursion limit" in str(error)
    return False


def json_object(content: bytes) -> Mapping[str, Any]:
    """Return a JSON object. Raises ParseError, see `json_value`, and if it is none."""
    found = json_value(content)
    if not isinstance(found, dict):
        raise ParseError(f"expected a JSON object, found {kind_of(found)}")
    return found


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON: of two values of one key, one would be lost."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise ParseError(f"malformed JSON: the key {twice!r:.80} stands twice in an object")
    return found


def text_at(value: Any, where: str) -> str:
    """Return `value` if it is text, "" if it is null. Raises ParseError that says where it stands."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ParseError(f"{where} must be text, found {kind_of(value)}")
    return value


def list_at(value: Any, where: str) -> list[Any]:
    """Return `value` if it is a list. Raises ParseError that says where it stands."""
    if not isinstance(value, list):
        raise ParseError(f"{where} must be a list, found {kind_of(value)}")
    return value


def scalars(record: Mapping[str, Any]) -> dict[str, str]:
    """Return the texts and numbers at the top of a JSON object: what a month rule may ask for."""
    return {
        str(key): str(value)
        for key, value in record.items()
        if isinstance(value, str | int | float) and not isinstance(value, bool) and len(str(value)) < 1000
    }


def kind_of(value: Any) -> str:
    """Return the name of a JSON value's type for people."""
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", int: "a number"}
    return names.get(type(value), "null" if value is None else "a number")
