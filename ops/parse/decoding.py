"""From bytes to text and JSON, with errors for people.

Belongs here: decoding. Not here: which characters are text (characters.py), what the text or the object must
hold (the formats).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ops.parse.source import ParseError


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


def json_object(content: bytes) -> Mapping[str, Any]:
    """Return a JSON object. Raises ParseError if it is none, is malformed or nested too deeply."""
    try:
        found = json.loads(decoded(content))
    except RecursionError:
        raise ParseError("JSON nested too deeply") from None
    except json.JSONDecodeError as error:
        raise ParseError(f"malformed JSON: {error.msg} (line {error.lineno}, column {error.colno})") from None
    except ParseError:
        raise
    except ValueError as error:
        raise ParseError(f"malformed JSON: {error}") from None
    if not isinstance(found, dict):
        raise ParseError(f"expected a JSON object, found {kind_of(found)}")
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
