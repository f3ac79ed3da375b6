"""A row of a table, whatever file it is in.

Belongs here: what a reader of a file gives. Not here: the readers (delimited.py, columnar.py), records
(__init__.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class TableRow(NamedTuple):
    """A row: the line that it begins in, or its number; its cells, or why it cannot be read."""

    place: int
    cells: Mapping[str, Any]
    """By column: texts, numbers and truths."""
    error: str | None = None
    encoding: str | None = None
    """What its text was in, where that was not UTF-8."""


def id_of(column: str, cells: Mapping[str, Any]) -> str | None:
    """Return the document id that a row gives itself, if it can be one."""
    given = cells.get(column)
    if isinstance(given, int) and not isinstance(given, bool):
        return str(given)
    return given if isinstance(given, str) and given.isprintable() else None
