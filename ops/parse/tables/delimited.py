"""CSV and TSV as tables, plain or packed, row by row: of a large file no more is held.

Belongs here: telling rows, header and broken rows apart. Not here: CSV that counts only as a whole
(ops/parse/csv_rows.py).
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

from ops.parse.characters import check_characters
from ops.parse.encodings import Guess, guessed
from ops.parse.file_encodings import guessed_in
from ops.parse.files import too_large
from ops.parse.lines import UNPACKED, unpacks_too_far
from ops.parse.packed import is_packed, opened
from ops.parse.source import ParseError
from ops.parse.tables.row import TableRow

DELIMITERS = {".csv": ",", ".tsv": "\t"}
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_LONGEST_HEADER = 2**20
_SURROGATE = re.compile("[\udc80-\udcff]")


class Delimited(NamedTuple):
    """How a file is written."""

    delimiter: str
    encoding: str
    """Of rows that are not UTF-8; empty for a guess for each."""
    quotes: str
    """csv: cells may stand in them, also over lines; none: they are signs like others; empty: as is usual."""

    @property
    def quoting(self) -> Literal[0, 3]:
        """The same, as `csv` has it."""
        return csv.QUOTE_NONE if self.quotes == "none" else csv.QUOTE_MINIMAL

    @property
    def ambiguous(self) -> bool:
        """Whether a quote may be a mere sign: TSV is written both ways."""
        return not self.quotes and self.delimiter == "\t"


def rows(file: Path, form: Delimited, max_bytes: int) -> Iterator[TableRow]:
    """Yield the rows below the header; blank lines are none.

    Of a row over several lines that is broken, the first line is: the others are read anew, since a quote
    that is none may have taken them in. Then each of them is a row by itself or broken, but for the last:
    from there a row may go on. So no line is read more than twice.

    Raises ParseError for what ends the reading, what `packed.ERRORS` names for a damaged file.
    """
    with closing(_Lines(file, form, max_bytes)) as lines:
        reader = csv.reader(lines, delimiter=form.delimiter, quoting=form.quoting, strict=True)
        names: list[str] = []
        while True:
            lines.begin_row()
            fault: str | None
            try:
                cells = _next_row(reader, max_bytes)
                if cells is None:
                    return
                if not "".join(cells).strip() and (not names or len(cells) < 2):
                    continue
                guess = partial(guessed_in, file, lines.first, max_bytes=max_bytes)
                cells, read_as = _decoded(cells, form.encoding, guess)
            except (csv.Error, UnicodeError) as error:
                due = "CSV" if isinstance(error, csv.Error) else form.encoding or "utf-8"
                if not names:
                    raise ParseError(f"the header is not {due}: {error}") from None
                cells, read_as, fault = [], None, f"not {due}: {error}"
            else:
                fault = _fault(cells, names, lines.row, form)
            place = lines.first
            if not names:
                names = _header(cells)
            elif fault:
                lines.give_back()
                yield TableRow(place, {}, fault)
            else:
                yield TableRow(place, dict(zip(names, cells, strict=True)), None, read_as or lines.encoding)


def _fault(cells: Sequence[str], names: Sequence[str], lines: Sequence[str], form: Delimited) -> str | None:
    """Return why a row below a header is none."""
    if names and len(cells) != len(names):
        return f"{len(cells)} columns where the header has {len(names)}"
    each = {line.count(form.delimiter) + 1 for line in lines}
    if form.ambiguous and len(lines) > 1 and each == {len(names)}:
        return (
            f"a quote opens here and ends {len(lines) - 1} lines below, each of which could be a row;"
            " `quotes: none` or `quotes: csv` of the source tells which"
        )
    return None


def columns(file: Path, form: Delimited) -> list[str]:
    """Return the names of the columns. Raises ParseError, and what `packed.ERRORS` names."""
    with closing(_Lines(file, form, _LONGEST_HEADER)) as lines:
        try:
            for cells in csv.reader(lines, delimiter=form.delimiter, quoting=form.quoting):
                if any(cell.strip() for cell in cells):
                    return _header(_decoded(cells, form.encoding)[0])
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


def _decoded(cells: list[str], encoding: str, guess: Guess = guessed) -> tuple[list[str], str | None]:
    """Return the cells of a row without surrogates, and the encoding that they were in, if not UTF-8.

    Raises UnicodeError for a row that is not in the encoding that was declared, or in none that can be told.
    """
    if not any(map(_SURROGATE.search, cells)):
        return cells, None
    contents = [cell.encode("utf-8", "surrogateescape") for cell in cells]
    if not encoding:
        found = guess(b" ".join(contents))
        encoding = "utf-8" if found is None else found[1]
    return [content.decode(encoding) for content in contents], codecs.lookup(encoding).name


class _Lines:
    """The lines of a file as text; bytes that are not UTF-8 are surrogates."""

    def __init__(self, file: Path, form: Delimited, max_bytes: int) -> None:
        self.stream, self._max_bytes = opened(file), max_bytes
        self._packed = file.stat().st_size if is_packed(file.name) else None
        self.encoding = None if form.encoding else _utf_16(file)
        """What all of the file is in, if it says so."""
        self._text = io.TextIOWrapper(self.stream, "utf-16", newline="\n") if self.encoding else None
        self._again: deque[str] = deque()
        self.row: list[str] = []
        """The lines of the row so far."""
        self.first = 1
        """The number of the first of them, from 1."""
        self._taken = 0
        self._taken_in = 0
        """The number of the last line that a broken row took in."""

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        if self.row and self.first < self._taken_in:
            raise csv.Error("a quote opens here, within a broken row")
        line = self._again.popleft() if self._again else self._read()
        self._taken += len(line)
        if self._taken > self._max_bytes:  # one whose quotes never end could be all of the file
            if self.row:
                self._again.appendleft(line)
                raise csv.Error(f"{too_large(self._max_bytes)}, or a quote does not end")
            raise ParseError(f"{too_large(self._max_bytes)}; the rest of the file was not read")
        self.row.append(line)
        return line

    def begin_row(self) -> None:
        """Begin a row; the lines of the former one are done with."""
        self.first += len(self.row)
        self.row, self._taken = [], 0

    def give_back(self) -> None:
        """Read the lines of the row again, but for the first; see `rows`."""
        self._taken_in = max(self._taken_in, self.first + len(self.row) - 1)
        self._again.extendleft(reversed(self.row[1:]))
        del self.row[1:]

    def _read(self) -> str:
        if self._text is not None:
            line = self._line_of(self._text)
        else:
            line = self.stream.readline(self._max_bytes + 1).decode("utf-8", "surrogateescape")
        if not line:
            raise StopIteration
        if unpacks_too_far(self.stream.tell(), self._packed, self._max_bytes):
            raise ParseError(UNPACKED)
        return line.removeprefix("\ufeff") if self.first == 1 and not self.row else line

    def _line_of(self, text: io.TextIOWrapper) -> str:
        try:
            return text.readline(self._max_bytes + 1)
        except UnicodeError as error:
            raise ParseError(f"not {self.encoding}: {error}; the rest of the file was not read") from None

    def close(self) -> None:
        self.stream.close()


def _utf_16(file: Path) -> str | None:
    """Return "utf-16" for a file that begins as such, as spreadsheets write it."""
    with closing(opened(file)) as stream:
        return "utf-16" if stream.read(2) in _UTF_16 else None
