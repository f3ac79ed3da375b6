"""What the JSON formats of papers have in common: paragraphs with spans in them, each with its section.

Belongs here: reading spans and paragraphs with errors for people. Not here: the formats (s2orc.py,
unarxive.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ops.parse.decoding import kind_of, list_at
from ops.parse.source import ParseError


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
