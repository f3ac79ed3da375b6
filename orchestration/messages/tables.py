"""Text of any origin as Markdown that shows it as it is, and nothing else; rows as a table in a terminal.

Belongs here: escaping, and tables. Not here: what is shown.

The Dagster UI renders descriptions and tables as GitHub's Markdown: an image in the text of a row would be
fetched from wherever it points as soon as the page is opened.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

_WIDTH = 60
_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
#: A _ within a word emphasises nothing. An address is parted where it would be read before the backslashes
#: in it: it may become a link all the same, to just what is shown.
_ACTIVE = re.compile(r"[\\`*\[\]~|]|!(?=\[)|(?<![^\W_])_|_(?![^\W_])|:(?=//)|(?<=www)\.")
_BEGINNING = re.compile(r"^(\d{0,9})([-#+=.)])(?!\d)")


def escaped(text: str) -> str:
    """Return a text, on one line, so that Markdown shows its letters and acts on none of them."""
    return _BEGINNING.sub(r"\1\\\2", _inline(" ".join(text.split())))


def table(header: list[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return a table, "" for no rows; long cells are cut."""
    if not rows:
        return ""
    lines = [header, ["---"] * len(header), *([_cell(value) for value in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cell(value: object) -> str:
    text = " ".join(str("" if value is None else value)[: 4 * _WIDTH].split())
    return _inline(text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…")


def _inline(text: str) -> str:
    return _ACTIVE.sub(lambda found: f"\\{found[0]}", text).translate(_HTML)


def aligned(rows: Sequence[Sequence[object]]) -> str:
    """Return rows, the header first, as lines in which columns are aligned: those of numbers to the right."""
    columns = []
    for column in zip(*rows, strict=True):
        align = str.rjust if isinstance(column[-1], int) else str.ljust
        cells = [str(cell) for cell in column]
        columns.append([align(cell, max(map(len, cells))) for cell in cells])
    return "\n".join("  ".join(cells).rstrip() for cells in zip(*columns, strict=True))
