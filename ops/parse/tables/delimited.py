"""CSV and TSV as tables, plain or packed, row by row: of a large file no more is held.

Belongs here: telling rows, header and broken rows apart. Not here: CSV that counts only as a whole
(ops/parse/csv_rows.py).
"""

from __future__ import annotations

import codecs
import csv
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from ops.parse.characters import check_characters
from ops.parse.encodings import guessed
from ops.parse.files import too_large
from ops.parse.lines import UNPACKED, unpacks_too_far
from ops.parse.packed import is_packed, opened
from ops.parse.source import ParseError
from ops.parse.tables.row import TableRow

DELIMITERS = {".csv": ",", ".tsv": "\t"}
_LONGEST_HEADER = 2**20
_SURROGATE = re.compile("[\udc80-\udcff]")


def rows(file: Path, delimiter: str, max_bytes: int, encoding: str) -> Iterator[TableRow]:
    """Yield the rows below the header; blank lines are none.

    `encoding` is that of rows that are not UTF-8; empty for a guess for each. Raises ParseError for what ends
    the reading, what `packed.ERRORS` names for a damaged file.
    """
    with closing(_Lines(file, max_bytes)) as lines:
        reader = csv.reader(lines, delimiter=delimiter, strict=True)
        names: list[str] = []
        while True:
            place = reader.line_num + 1
            lines.taken = 0
            try:
                cells = _next_row(reader, max_bytes)
                if cells is None:
                    return
                if not "".join(cells).strip() and (not names or len(cells) < 2):
                    continue
                cells, read_as = _decoded(cells, encoding)
            except (csv.Error, UnicodeError) as error:
                due = "CSV" if isinstance(error, csv.Error) else encoding or "utf-8"
                if not names:
                    raise ParseError(f"the header is not {due}: {error}") from None
                yield TableRow(place, {}, f"not {due}: {error}")
                continue
            if not names:
                names = _header(cells)
            elif len(cells) != len(names):
                yield TableRow(place, {}, f"{len(cells)} columns where the header has {len(names)}")
            else:
                yield TableRow(place, dict(zip(names, cells, strict=True)), None, read_as)


def columns(file: Path, delimiter: str, encoding: str) -> list[str]:
    """Return the names of the columns. Raises ParseError, and what `packed.ERRORS` names."""
    with closing(_Lines(file, _LONGEST_HEADER)) as lines:
        try:
            for cells in csv.reader(lines, delimiter=delimiter):
                if any(cell.strip() for cell in cells):
                    return _header(_decoded(cells, encoding)[0])
        except (csv.Error, UnicodeError) as error:
            raise ParseError(f"the header cannot be read: {error}") from None
    return []


def _next_row(reader: Iterator[list[str]], max_bytes: int) -> list[str] | None:
    """Return the next row, whose cells may be large: `_Lines` bounds the row. The limit is the process's."""
    limit = csv.field_size_limit(max_bytes)
    try:
        return next(reader, None)
    finally:
        csv.field_size_limit(limit)


def _header(cells: list[str]) -> list[str]:
    names = [cell.strip() for cell in cells]
    check_characters(" ".join(names), "the header")
    name, count = Counter(names).most_common(1)[0]
    if count > 1:
        raise ParseError(f"the column {name!r:.80} stands twice in the header")
    return names


def _decoded(cells: list[str], encoding: str) -> tuple[list[str], str | None]:
    """Return the cells of a row without surrogates, and the encoding that they were in, if not UTF-8.

    Raises UnicodeError for a row that is not in the encoding that was declared, or in none that can be told.
    """
    if not any(map(_SURROGATE.search, cells)):
        return cells, None
    contents = [cell.encode("utf-8", "surrogateescape") for cell in cells]
    if not encoding:
        found = guessed(b" ".join(contents))
        encoding = "utf-8" if found is None else found[1]
    return [content.decode(encoding) for content in contents], codecs.lookup(encoding).name


class _Lines:
    """The lines of a file as text; bytes that are not UTF-8 are surrogates."""

    def __init__(self, file: Path, max_bytes: int) -> None:
        self.stream, self._max_bytes = opened(file), max_bytes
        self._packed = file.stat().st_size if is_packed(file.name) else None
        self._first = True
        self.taken = 0
        """Bytes of the row so far: one whose quotes never end could be all of the file."""

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        line = self.stream.readline(self._max_bytes + 1)
        if not line:
            raise StopIteration
        self.taken += len(line)
        if self.taken > self._max_bytes:
            raise ParseError(f"{too_large(self._max_bytes)}; the rest of the file was not read")
        if unpacks_too_far(self.stream.tell(), self._packed, self._max_bytes):
            raise ParseError(UNPACKED)
        text = line.decode("utf-8", "surrogateescape")
        text, self._first = text.removeprefix("\ufeff") if self._first else text, False
        return text

    def close(self) -> None:
        self.stream.close()
