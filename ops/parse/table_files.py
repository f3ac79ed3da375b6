"""Tables in files, row by row: CSV and TSV, plain or compressed, Parquet, and the Arrow of `datasets`.

Belongs here: finding rows, header and broken rows; which columns are read; damaged batches; cells as JSON
values. Not here: records made of the rows, and the child that reads them (tables.py), CSV files that are read
as a whole (decoding.py).

At most one row or batch of a file is in memory.
"""

from __future__ import annotations

import codecs
import csv
import io
import math
import re
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from ops.parse.decoding import check_characters
from ops.parse.encodings import Guess, guessed
from ops.parse.files import is_packed, opened, too_large
from ops.parse.lines import UNPACKED, guessed_in, unpacks_too_far
from ops.parse.source import ParseError


class TableRow(NamedTuple):
    """A row: its first line or its number, its cells, or why it cannot be read."""

    place: int
    cells: Mapping[str, Any]
    """Strings, numbers and booleans, by column."""
    error: str | None = None
    encoding: str | None = None
    """The original encoding of its text unless UTF-8."""


def id_of(column: str, cells: Mapping[str, Any]) -> str | None:
    """Return a row's own document id, if it is valid."""
    given = cells.get(column)
    if isinstance(given, int) and not isinstance(given, bool):
        return str(given)
    return given if isinstance(given, str) and given.isprintable() else None


DELIMITERS = {".csv": ",", ".tsv": "\t"}
#: What separates the columns of files named .csv; spreadsheets of many countries write semicolons.
_SEPARATORS = ",;\t|"
_QUOTED = re.compile('"[^"]*"')
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_LONGEST_HEADER = 2**20
_SURROGATE = re.compile("[\udc80-\udcff]")


class Delimited(NamedTuple):
    """The dialect of a file."""

    delimiter: str
    encoding: str
    """Encoding of rows that are not UTF-8; empty to guess it for each row."""
    quotes: str
    """csv: cells may be quoted, also across lines; none: quotes are ordinary characters; empty: default."""

    @property
    def quoting(self) -> Literal[0, 3]:
        """The `csv` module's constant for it."""
        return csv.QUOTE_NONE if self.quotes == "none" else csv.QUOTE_MINIMAL

    @property
    def ambiguous(self) -> bool:
        """Whether a quote may be an ordinary character: TSV is written both ways."""
        return not self.quotes and self.delimiter == "\t"


def _of_header(form: Delimited, header: str) -> Delimited:
    """Return the dialect of a CSV file: its columns are separated by what gives its header the most."""
    if form.delimiter != ",":
        return form

    outside = header if form.quotes == "none" else _QUOTED.sub("", header)
    return form._replace(delimiter=max(_SEPARATORS, key=outside.count))


def delimited_rows(file: Path, form: Delimited, max_bytes: int) -> Iterator[TableRow]:
    """Yield the rows below the header; blank lines are skipped.

    If a row over several lines is broken, only its first line is reported, and the others are read again,
    since a stray quote may have swallowed them. Each of them is then a row by itself or broken; only the last
    may start another row over several lines. So no line is read more than twice.

    Raises ParseError if reading cannot go on, and the exceptions in `files.ERRORS` for a damaged file.
    """
    with closing(_Lines(file, form, max_bytes)) as lines:
        form = _of_header(form, lines.header())
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
                cause = str(error) if isinstance(error, _TooLargeError) else f"not {due}: {error}"
                cells, read_as, fault = [], None, cause
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
    """Return why a row is broken, or None."""
    if names and len(cells) != len(names):
        return f"{len(cells)} columns where the header has {len(names)}"
    each = {line.count(form.delimiter) + 1 for line in lines}
    if form.ambiguous and len(lines) > 1 and each == {len(names)}:
        return (
            f"a quote opens here and ends {len(lines) - 1} lines below, each of which could be a row;"
            " `quotes: none` or `quotes: csv` of the source decides"
        )
    return None


def delimited_columns(file: Path, form: Delimited) -> list[str]:
    """Return the names of the columns. Raises ParseError, and the exceptions in `files.ERRORS`."""
    with closing(_Lines(file, form, _LONGEST_HEADER)) as lines:
        form = _of_header(form, lines.header())
        try:
            for cells in csv.reader(lines, delimiter=form.delimiter, quoting=form.quoting):
                if any(cell.strip() for cell in cells):
                    return _header(_decoded(cells, form.encoding)[0])
        except (csv.Error, UnicodeError) as error:
            raise ParseError(f"the header cannot be read: {error}") from None
    return []


def _next_row(reader: Iterator[list[str]], max_bytes: int) -> list[str] | None:
    """Return the next row without the csv module's (global) limit on cells: `_Lines` limits whole rows."""
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
        raise ParseError(f"the column {name!r:.80} is repeated in the header")
    return names


def _decoded(cells: list[str], encoding: str, guess: Guess = guessed) -> tuple[list[str], str | None]:
    """Return the cells of a row without surrogates, and their original encoding unless UTF-8.

    Raises UnicodeError for a row that is not in the declared encoding, or whose encoding cannot be guessed.
    """
    if not any(map(_SURROGATE.search, cells)):
        return cells, None
    contents = [cell.encode("utf-8", "surrogateescape") for cell in cells]
    if not encoding:
        found = guess(b" ".join(contents))
        encoding = "utf-8" if found is None else found[1]
    return [content.decode(encoding) for content in contents], codecs.lookup(encoding).name


class _TooLargeError(csv.Error):
    """A line is over the limit, and was skipped."""


class _Lines:
    """The lines of a file as text, for the `csv` module. Bytes that are not UTF-8 become surrogates."""

    def __init__(self, file: Path, form: Delimited, max_bytes: int) -> None:
        self._stream, self._max_bytes = opened(file), max_bytes
        self._packed = file.stat().st_size if is_packed(file.name) else None
        self.encoding = None if form.encoding else _utf_16(file)
        """The encoding of the whole file, if a byte order mark declares it."""
        known = (self.encoding, "strict") if self.encoding else ("utf-8", "surrogateescape")
        self._text = io.TextIOWrapper(self._stream, *known, newline="\n")
        self._again: deque[str] = deque()
        """Lines that are read again: the header, and what a broken row has swallowed."""
        self.first = 1
        """The number of the row's first line, from 1."""
        self.row: list[str] = []
        """The lines of the current row so far."""
        self._size = 0
        self._swallowed = 0
        """The number of the last line that a broken row swallowed."""

    def header(self) -> str:
        """Return the first line, which stays to be read."""
        line = self._read().removeprefix("\ufeff")
        if line:
            self._again.append(line)
        return line

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        if self.row and self.first < self._swallowed:
            raise csv.Error("a quote opens here, within a broken row")
        line = self._again.popleft() if self._again else self._read()
        if not line:
            raise StopIteration
        self._size += len(line)
        if (
            self._size > self._max_bytes and self.row
        ):  # a quote without end could swallow the rest of the file
            self._again.appendleft(line)
            raise csv.Error(f"{too_large(self._max_bytes)}, or a quote does not end")
        self.row.append(line)
        if self._size > self._max_bytes:
            self._skip(line)
            raise _TooLargeError(too_large(self._max_bytes))
        return line

    def begin_row(self) -> None:
        """Start the next row."""
        self.first += len(self.row)
        self.row, self._size = [], 0

    def give_back(self) -> None:
        """Read all lines of the row but the first again; see `delimited_rows`."""
        self._swallowed = max(self._swallowed, self.first + len(self.row) - 1)
        self._again.extendleft(reversed(self.row[1:]))
        del self.row[1:]

    def _skip(self, line: str) -> None:
        """Skip what is left of a line that has begun."""
        while line and not line.endswith("\n"):
            line = self._read()

    def _read(self) -> str:
        """Return the next line, or the beginning of one over the limit; empty at the end of the file."""
        try:
            line = self._text.readline(self._max_bytes + 1)
        except UnicodeError as error:
            raise ParseError(f"not {self.encoding}: {error}; the rest of the file was not read") from None
        if line and unpacks_too_far(self._stream.tell(), self._packed, self._max_bytes):
            raise ParseError(UNPACKED)
        return line

    def close(self) -> None:
        self._stream.close()


def _utf_16(file: Path) -> str | None:
    """Return "utf-16" if a file starts with its byte order mark, as spreadsheets write it."""
    with closing(opened(file)) as stream:
        return "utf-16" if stream.read(2) in _UTF_16 else None


_ROWS = 64
#: Bytes of a Parquet column that are read at once.
_BUFFER = 2**20
#: Exceptions of pyarrow for damaged files: invalid text, times beyond the calendar, duplicate columns.
_UNREADABLE = (pa.ArrowException, OSError, ValueError, ArithmeticError, LookupError)


def columnar_rows(file: Path, most: int) -> Iterator[TableRow]:
    """Yield the rows, without columns of lists, structs and bytes.

    Raises ParseError if no column remains, or the file declares more than `most` rows.
    """
    with _batches(file) as (names, told, batches):
        if told > most:
            raise ParseError(f"it claims {told:,} rows in {file.stat().st_size:,} bytes; it was not read")
        number = 0
        for batch in batches:
            for cells in _rows_of(batch.select(names)):
                number += 1
                if isinstance(cells, str):
                    yield TableRow(number, {}, cells)
                else:
                    yield TableRow(number, {name: _plain(value) for name, value in cells.items()})


def columnar_columns(file: Path) -> list[str]:
    """Return the names of the columns that are read. Raises ParseError."""
    with _batches(file) as (names, *_):
        return names


def _rows_of(batch: pa.RecordBatch, sound: bool = False) -> Iterator[dict[str, Any] | str]:
    """Yield the rows of a batch, or why a row cannot be read; `validate` finds offsets out of bounds."""
    few = batch.num_rows <= _ROWS
    try:
        if not sound:
            batch.validate(full=True)
        cells = batch.to_pylist() if few else []
    except MemoryError:  # pyarrow's own is a subclass
        raise
    except _UNREADABLE as error:
        if batch.num_rows == 1:
            yield f"no row of Parquet or Arrow: {error}"
            return
        sound, few, step = False, False, batch.num_rows // 2
    else:
        sound, step = True, _ROWS
    if few:
        yield from cells
        return
    for start in range(0, batch.num_rows, step):
        yield from _rows_of(batch.slice(start, step), sound)


@contextmanager
def _batches(file: Path) -> Iterator[tuple[list[str], int, Iterator[pa.RecordBatch]]]:
    """Yield the columns to read, the declared number of rows (0 for Arrow), and the batches."""
    try:
        if file.suffix.lower() == ".parquet":
            with pq.ParquetFile(file, buffer_size=_BUFFER) as parquet:
                names = _readable(parquet.schema_arrow)
                batches = parquet.iter_batches(_ROWS, columns=names, use_threads=False)
                yield names, parquet.metadata.num_rows, batches
        else:  # not memory-mapped: mapping a large file needs more address space than the child may have
            with pa.OSFile(str(file)) as stream, _arrow(stream) as (schema, batches):
                yield _readable(schema), 0, batches
    except (MemoryError, ParseError):
        raise
    except _UNREADABLE as error:
        cause = str(error).replace(str(file), file.name)
        raise ParseError(f"cannot be read as Parquet or Arrow: {cause:.300}") from None


@contextmanager
def _arrow(stream: pa.NativeFile) -> Iterator[tuple[pa.Schema, Iterator[pa.RecordBatch]]]:
    if stream.read(6) == b"ARROW1":
        with pa.ipc.open_file(stream) as reader:
            yield reader.schema, (reader.get_batch(index) for index in range(reader.num_record_batches))
    else:
        stream.seek(0)
        with pa.ipc.open_stream(stream) as reader:
            yield reader.schema, iter(reader)


def _readable(schema: pa.Schema) -> list[str]:
    """Return the columns with strings, numbers, booleans or times."""
    return [field.name for field in schema if not _nested(field.type)]


def _nested(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        return _nested(kind.value_type)
    types = pa.types
    binary = (types.is_binary, types.is_large_binary, types.is_binary_view, types.is_fixed_size_binary)
    return any(same(kind) for same in (types.is_nested, *binary))


def _plain(value: Any) -> Any:
    """Return a cell as a JSON value: times as ISO 8601, whole floats as integers, non-finite ones as None."""
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        return int(value) if value.is_integer() else value
    return value if value is None or isinstance(value, str | int) else str(value)
