"""From bytes to text, and from text to the values of JSON and CSV, with errors for people.

Belongs here: decoding, which characters are text, reading values of JSON by their type, the rows of a CSV
file that counts only as a whole. Not here: telling an encoding (encodings.py), tables of which the sound rows
are used (tables.py), what the text or the object must hold (the formats).

Control characters are no text, apart from tabs, line feeds, carriage returns and form feeds. Halves of
surrogate pairs are no text either: UTF-8 cannot hold them, but JSON can ("\\ud800"), and so can Python's
names of files.

U+007F to U+009F control a terminal, too, but stay in texts: where one was decoded as Latin-1 instead of
Windows-1252, they are its quotes and dashes (in one of 37 abstracts of the ACL Anthology). What is shown in a
terminal has them escaped.
"""

from __future__ import annotations

import csv
import html
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

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


def csv_rows(
    text: str, header: Callable[[Sequence[str], int], Sequence[str]], delimiter: str = ","
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the line and the cells, by column, of every row below the header; blank lines are none.

    `header` gives the names of the columns from the cells of the header and its line. Raises ParseError,
    naming the line, for what is no CSV and for a row of another length than the header.
    """
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    names: Sequence[str] = []
    end = 0
    try:
        for cells in reader:
            line, end = end + 1, reader.line_num
            if not any(cell.strip() for cell in cells):
                continue
            if not names:
                names = header(cells, line)
            elif len(cells) != len(names):
                raise ParseError(f"line {line}: {len(cells)} columns where the header has {len(names)}")
            else:
                yield line, dict(zip(names, cells, strict=True))
    except csv.Error as error:
        raise ParseError(f"line {end + 1}: not CSV: {error}") from None


class JsonSpan(NamedTuple):
    """A span of a text, with what it refers to ("" where it refers to nothing)."""

    start: int
    end: int
    ref: str


def object_at(value: Any, where: str) -> Mapping[str, Any]:
    """Return `value` if it is an object, an empty one if it is null. Raises ParseError."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ParseError(f"{where} must be an object, found {kind_of(value)}")
    return value


def objects_at(value: Any, where: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield where each object of a list stands, and the object; null is an empty list. Raises ParseError."""
    for index, found in enumerate(list_at(value or [], where)):
        yield f"{where}[{index}]", object_at(found, f"{where}[{index}]")


def word_at(value: Any) -> str:
    """Return a text or a number as text, "" for anything else."""
    return str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""


def spans_at(value: Any, where: str, length: int, key: str = "ref_id") -> list[JsonSpan]:
    """Return the spans of a text of `length` characters, sorted. Raises ParseError for one beyond its end."""
    spans = []
    for place, span in objects_at(value, where):
        start, end = span.get("start"), span.get("end")
        if not (type(start) is int and type(end) is int and 0 <= start <= end <= length):
            raise ParseError(
                f"{place} = [{start!r:.20}, {end!r:.20}] lies outside of the {length} characters"
            )
        spans.append(JsonSpan(start, end, word_at(span.get(key))))
    return sorted(spans)


def ids_of(*pairs: tuple[str, Any]) -> tuple[str, ...]:
    """Return `scheme:value` for every pair with a value; of a list, each of its values."""
    found = []
    for scheme, value in pairs:
        for one in value if isinstance(value, list) else [value]:
            if word := word_at(one):
                found.append(f"{scheme}:{word}")
    return tuple(dict.fromkeys(found))
