"""Decode bytes to text, and text to JSON values and CSV rows, with readable errors.

Belongs here: decoding, which characters count as text, typed access to JSON values, the rows of a CSV file
that is either read as a whole or refused. Not here: detecting an encoding (encodings.py), tables that are
used even if some rows are bad (tables.py), what the text or the object must contain (the formats).

Control characters other than tab, line feed, carriage return and form feed are not text. Neither are lone
surrogates: UTF-8 cannot encode them, but JSON ("\\ud800") and Python's file names can hold them.

U+007F to U+009F also control a terminal, but they stay in texts: if Windows-1252 was decoded as Latin-1, they
are its quotes and dashes (in one of 37 abstracts of the ACL Anthology). They are escaped for terminal output.
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

from silverloom.ops.parse.encodings import wide_encoding
from silverloom.ops.parse.source import ParseError

#: A text with no more brackets than this cannot be nested too deeply: pydantic's JSON parser takes 200
#: levels.
_FEW_BRACKETS = 200

#: No character needs more than seven digits, and Python refuses to parse numbers with thousands of digits.
_LONG_REFERENCE = re.compile(r"&#([0-9]{8,})")


def decoded(content: bytes) -> str:
    """Decode UTF-8 and remove a byte order mark. Raises ParseError with the byte offset."""
    if wide := wide_encoding(content):
        raise ParseError(f"not UTF-8: it is in {wide.upper()}; convert it to UTF-8")
    if not content.strip():
        raise ParseError("the file is empty")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # After a byte order mark, the decoder sees only the bytes behind it.
        offset = error.start + len(content) - len(error.object)
        cause = f"byte 0x{content[offset]:02x} at byte offset {offset} ({error.reason})"
        raise ParseError(f"not UTF-8: {cause}") from None


def unescaped(text: str) -> str:
    """Return `text` with HTML character references replaced; references beyond Unicode become U+FFFD."""
    return html.unescape(_LONG_REFERENCE.sub(lambda match: f"&#{match[1].lstrip('0')[:8] or 0}", text))


def json_value(content: bytes) -> Any:
    """Return a JSON value. Raises ParseError if it is malformed or too deeply nested, or repeats a key."""
    text = decoded(content)
    if _nested_too_deeply(text):
        raise ParseError("JSON nested too deeply")
    try:
        return json.loads(text, object_pairs_hook=unique_object)
    except json.JSONDecodeError as error:
        raise ParseError(f"malformed JSON: {error.msg} (line {error.lineno}, column {error.colno})") from None
    except ParseError:
        raise
    except ValueError as error:
        raise ParseError(f"malformed JSON: {error}") from None


def _nested_too_deeply(text: str) -> bool:
    """Say whether JSON is nested too deeply. (Python's own limit depends on the call stack.)"""
    if text.count("[") + text.count("{") <= _FEW_BRACKETS:
        return False
    try:
        from_json(text, cache_strings="none")
    except ValueError as error:
        return "recursion limit" in str(error)
    return False


def json_object(content: bytes) -> Mapping[str, Any]:
    """Return a JSON object. Raises ParseError like `json_value`, and if the value is not an object."""
    value = json_value(content)
    if not isinstance(value, dict):
        raise ParseError(f"expected a JSON object, found {kind_of(value)}")
    return value


def unique_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object. Raises ParseError for a repeated key, since one of its values would be lost."""
    members = dict(pairs)
    if len(members) < len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise ParseError(f"malformed JSON: the key {twice!r:.80} occurs twice in an object")
    return members


def text_at(value: Any, where: str) -> str:
    """Return `value` if it is a string, "" if it is null. Otherwise raises ParseError that names `where`."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ParseError(f"{where} must be text, found {kind_of(value)}")
    return value


def list_at(value: Any, where: str) -> list[Any]:
    """Return `value` if it is a list. Otherwise raises ParseError that names `where`."""
    if not isinstance(value, list):
        raise ParseError(f"{where} must be a list, found {kind_of(value)}")
    return value


def scalars(record: Mapping[str, Any]) -> dict[str, str]:
    """Return the short strings and numbers at the top level of a JSON object, for use in month rules."""
    return {
        str(key): str(value)
        for key, value in record.items()
        if isinstance(value, str | int | float) and not isinstance(value, bool) and len(str(value)) < 1000
    }


def kind_of(value: Any) -> str:
    """Return a readable name of a JSON value's type."""
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", int: "a number"}
    return names.get(type(value), "null" if value is None else "a number")


_NO_TEXT = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\ud800-\udfff]")
#: The same, plus other characters that control a terminal or break a line (U+0085 does both).
_NOT_IN_LINE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def check_characters(text: str, what: str) -> None:
    """Raise ParseError if `text` contains a control character or a lone surrogate."""
    if match := _NO_TEXT.search(text):
        before = text[: match.start()]
        place = f"line {before.count(chr(10)) + 1}, column {match.start() - before.rfind(chr(10))}"
        raise ParseError(f"{what} holds the character U+{ord(match.group()):04X}, which is no text ({place})")


def check_texts(value: object, what: str) -> None:
    """Check the characters of every string in nested values; dictionary keys name the place in the error."""
    if isinstance(value, str):
        check_characters(value, what)
    elif isinstance(value, dict):
        for name, inner in value.items():
            check_texts(inner, name)
    elif isinstance(value, list | tuple):
        for inner in value:
            check_texts(inner, what)


def one_line(text: str) -> str:
    """Return `text` with control characters, line breaks and lone surrogates written as escapes."""
    return _NOT_IN_LINE.sub(lambda match: _escape(match.group()), text)


def _escape(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # Python's surrogate escape of a byte that is not UTF-8
        code -= 0xDC00
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


#: What may separate the columns of CSV; spreadsheets of many countries write semicolons.
_DELIMITERS = ",;\t|"
_QUOTED = re.compile('"[^"]*"')
_DELIMITER_LINE = re.compile(r'\ufeff?"?sep=(.)"?[\r\n]*', re.IGNORECASE)


class Delimiter(NamedTuple):
    """What separates the columns of a CSV file."""

    sign: str
    told: bool
    """Whether the first line tells it, as Excel's `sep=;` does, and the second one is the header."""


def delimiter_of(line: str, quoted: bool = True) -> Delimiter:
    """Return the delimiter of a CSV file by its first line: what that has the most, outside of quotes."""
    if match := _DELIMITER_LINE.fullmatch(line):
        return Delimiter(match[1], True)
    return Delimiter(max(_DELIMITERS, key=(_QUOTED.sub("", line) if quoted else line).count), False)


def csv_rows(
    text: str, header: Callable[[Sequence[str], int], Sequence[str]]
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield line number and cells by column for every row below the header; blank lines are skipped.

    `header` turns the cells of the header line and its number into column names. Raises ParseError with the
    line number for invalid CSV and for a row that differs in length from the header.
    """
    delimiter = delimiter_of(text.lstrip("\r\n").split("\n", 1)[0])
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter.sign, strict=True)
    names: Sequence[str] = []
    end, told = 0, delimiter.told
    try:
        for cells in reader:
            line, end = end + 1, reader.line_num
            if told or not any(cell.strip() for cell in cells):
                told = told and not any(cells)
            elif not names:
                names = header(cells, line)
            elif len(cells) != len(names):
                raise ParseError(f"line {line}: {len(cells)} columns where the header has {len(names)}")
            else:
                yield line, dict(zip(names, cells, strict=True))
    except csv.Error as error:
        raise ParseError(f"line {end + 1}: not CSV: {error}") from None


def header_with(columns: Sequence[str]) -> Callable[[Sequence[str], int], Sequence[str]]:
    """Return a `header` for `csv_rows` of tables that have each of these columns once, and others."""

    def header(cells: Sequence[str], line: int) -> Sequence[str]:
        names = [cell.strip() for cell in cells]
        if missing := [name for name in columns if names.count(name) != 1]:
            raise ParseError(f"line {line}: the header needs one column {', '.join(missing)}")
        return names

    return header


class JsonSpan(NamedTuple):
    """A span of a text, with the id that it refers to ("" if none)."""

    start: int
    end: int
    ref: str


def object_at(value: Any, where: str) -> Mapping[str, Any]:
    """Return `value` if it is an object, {} if it is null. Otherwise raises ParseError."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ParseError(f"{where} must be an object, found {kind_of(value)}")
    return value


def objects_at(value: Any, where: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the path and value of each object in a list; null counts as an empty list. Raises ParseError."""
    for index, element in enumerate(list_at(value or [], where)):
        yield f"{where}[{index}]", object_at(element, f"{where}[{index}]")


def word_at(value: Any) -> str:
    """Return a string or an integer as text, and "" for anything else."""
    return str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""


def spans_at(value: Any, where: str, length: int, key: str = "ref_id") -> list[JsonSpan]:
    """Return the spans of a text of `length` characters, sorted. Raises ParseError for one out of range."""
    spans = []
    for place, span in objects_at(value, where):
        start, end = span.get("start"), span.get("end")
        if not (type(start) is int and type(end) is int and 0 <= start <= end <= length):
            raise ParseError(f"{place} = [{start!r:.20}, {end!r:.20}] is outside the {length} characters")
        spans.append(JsonSpan(start, end, word_at(span.get(key))))
    return sorted(spans)


def ids_of(*pairs: tuple[str, Any]) -> tuple[str, ...]:
    """Return `scheme:value` for every pair with a value; a list gives one for each of its values."""
    ids = []
    for scheme, value in pairs:
        for one in value if isinstance(value, list) else [value]:
            if word := word_at(one):
                ids.append(f"{scheme}:{word}")
    return tuple(dict.fromkeys(ids))
