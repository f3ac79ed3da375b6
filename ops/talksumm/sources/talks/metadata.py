"""The metadata of a folder of talks: one row of `metadata.csv` for each transcript.

Belongs here: reading the table, and what is wrong with each of its rows.
Not here: joining rows and files (folder.py).
"""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from ops.parse.characters import check_characters
from ops.parse.source import ParseError

NAME = "metadata.csv"
COLUMNS = ("file", "title", "date", "url", "licence")
_NEEDED = ("file", "title", "date")


@dataclass(frozen=True)
class Row:
    """One row of the table, sound or not."""

    number: int
    """The line that it begins at, from 1."""
    written: str
    """The row as it stands in the file; a byte that is not UTF-8 is half of a surrogate pair (PEP 383)."""
    file: str
    """The transcript that it names, as a path with forward slashes; empty where it names none."""
    values: Mapping[str, str]
    error: str | None = None


def read(content: bytes) -> Sequence[Row]:
    """Return the rows of the table, blank lines left out.

    Raises ParseError where no row can be told: a header that is no text, or lacks one of `COLUMNS` (more of
    them, in any order, are welcome).
    """
    if not content:
        raise ParseError("the file is empty")
    table = _table(content.removeprefix(codecs.BOM_UTF8).decode(errors="surrogateescape"))
    _, _, header, error = next(table, (1, "", [], None))
    names = [name.strip() for name in header]
    missing = [name for name in COLUMNS if name not in names]
    if error is not None or missing:
        raise ParseError(f"line 1: {error or 'no column ' + ', '.join(missing)}")
    if len(set(names)) < len(names):
        raise ParseError("line 1: two columns have the same name")
    return [_row(names, *entry) for entry in table]


def _table(text: str) -> Iterator[tuple[int, str, Sequence[str], str | None]]:
    """Yield (first line, text, cells, error) of every row; reading goes on behind a broken one."""
    lines = list(io.StringIO(text, newline=""))
    reader = csv.reader(lines, strict=True)
    while (done := reader.line_num) < len(lines):
        cells: Sequence[str] = []
        error = None
        try:
            cells = next(reader, [])
        except csv.Error as broken:
            error = f"not CSV: {broken}"
        written = "".join(lines[done : reader.line_num])
        if error is None:
            error = _no_text(written)
        if written.strip():
            yield done + 1, written, cells, error


def _no_text(written: str) -> str | None:
    """Return what is wrong with the characters of a row."""
    try:
        written.encode()
        check_characters(written, "the row")
    except UnicodeEncodeError as error:
        return f"not UTF-8: the byte 0x{ord(written[error.start]) - 0xDC00:02x}"
    except ParseError as error:
        return str(error)
    return None


def _row(names: Sequence[str], number: int, written: str, cells: Sequence[str], error: str | None) -> Row:
    values = {name: cell.strip() for name, cell in zip(names, cells, strict=False)}
    file = values.get("file", "")
    path = PurePosixPath(file)
    if error is None and len(cells) != len(names):
        error = f"{len(cells)} columns where the header has {len(names)}"
    empty = [name for name in _NEEDED if not values.get(name)]
    if error is None and empty:
        error = f"no {' and no '.join(empty)}"
    if error is None and (path.is_absolute() or ".." in path.parts):
        error = f"the file name leaves the folder: {file!r}"
    return Row(number, written, str(path) if file else "", values, error)
