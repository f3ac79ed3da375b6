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
import sys
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from silverloom.ops.parse.decoding import check_characters, delimiter_of
from silverloom.ops.parse.encodings import Guess, guessed
from silverloom.ops.parse.files import opened, too_large
from silverloom.ops.parse.lines import guessed_in
from silverloom.ops.parse.source import ParseError
from silverloom.ops.parse.unpacked import Unpacked


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
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_LONGEST_HEADER = 2**20
_SURROGATE = re.compile("[\udc80-\udcff]")

csv.field_size_limit(sys.maxsize)  # rows are limited below, as a whole


class Delimited(NamedTuple):
    """The dialect of a file."""

    delimiter: str
    encoding: str
    """Encoding of rows that are not UTF-8; empty to guess it."""
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


def delimited_rows(file: Path, form: Delimited, max_bytes: int) -> Iterator[TableRow]:
    """Yield the rows below the header; blank lines are skipped.

    If a row over several lines is broken, only its first line is reported, and the others are read again,
    since a stray quote may have swallowed them. Each of them is then a row by itself or broken; only the last
    may start another row over several lines. So no line is read more than twice.

    Raises ParseError or OSError if reading cannot go on.
    """
    guess = partial(guessed_in, file, max_bytes=max_bytes)
    with _delimited(file, form, max_bytes) as (table, names):
        while (row := table.next_row()) is not None:
            cells, fault, encoding = row.cells, row.fault, table.encoding
            if fault is None and not "".join(cells).strip() and len(cells) < 2:
                continue
            try:
                cells, read_as = _decoded(cells, form.encoding, guess)
                encoding = read_as or encoding
            except UnicodeError as error:
                fault = f"not {form.encoding or 'utf-8'}: {error}"
            fault = fault or _fault(cells, names, row.lines, table.form)
            if fault:
                table.give_back(row)
                yield TableRow(row.place, {}, fault)
            else:
                yield TableRow(row.place, dict(zip(names, cells, strict=True)), None, encoding)


def delimited_columns(file: Path, form: Delimited) -> list[str]:
    """Return the names of the columns. Raises ParseError or OSError."""
    with _delimited(file, form, _LONGEST_HEADER) as (_, names):
        return names


@contextmanager
def _delimited(file: Path, form: Delimited, max_bytes: int) -> Iterator[tuple[_DelimitedFile, list[str]]]:
    """Yield an open file that is read behind its header, and the names of its columns."""
    with opened(file, max_bytes) as stream:
        table = _DelimitedFile(stream, form, max_bytes)
        names: list[str] = []
        while not names and (row := table.next_row()) is not None:
            if row.fault:
                raise ParseError(f"the header cannot be read: {row.fault}")
            if any(cell.strip() for cell in row.cells):
                try:
                    names = _header(_decoded(row.cells, form.encoding)[0])
                except UnicodeError as error:
                    raise ParseError(f"the header is not {form.encoding or 'utf-8'}: {error}") from None
        yield table, names


def _fault(cells: Sequence[str], names: Sequence[str], lines: Sequence[str], form: Delimited) -> str | None:
    """Return why a row is broken, or None."""
    if len(cells) != len(names):
        return f"{len(cells)} columns where the header has {len(names)}"
    widths = {line.count(form.delimiter) + 1 for line in lines}
    if form.ambiguous and len(lines) > 1 and widths == {len(names)}:
        return (
            f"a quote opens here and ends {len(lines) - 1} lines below, each of which could be a row;"
            " `quotes: none` or `quotes: csv` of the source decides"
        )
    return None


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
        guessed_text = guess(b" ".join(contents))
        encoding = "utf-8" if guessed_text is None else guessed_text[1]
    return [content.decode(encoding) for content in contents], codecs.lookup(encoding).name


class _Lines(NamedTuple):
    """The lines of a row: the number of the first one, from 1, and its cells, or why it is broken."""

    place: int
    lines: list[str]
    cells: list[str]
    fault: str | None = None


class _DelimitedFile:
    """A file of which one row after the other is read. Bytes that are not UTF-8 become surrogates."""

    def __init__(self, stream: Unpacked, form: Delimited, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        start = stream.peek(2)
        utf_16 = not form.encoding and start[:2] in _UTF_16  # as spreadsheets write it
        self.encoding = "utf-16" if utf_16 else None
        """The encoding of the whole file, if a byte order mark declares it."""
        self._end = "\r" if b"\r" in start and b"\n" not in start else "\n"  # Excel's "CSV (Macintosh)"
        self._new = self._lines(stream)
        self._again: deque[str] = deque()
        """Lines that are read before new ones: the header, and what broken rows have swallowed."""
        self._alone = 0
        """How many of these are rows by themselves, or broken."""
        self._place = 1
        self.form = form
        if form.delimiter == ",":
            self.form = form._replace(delimiter=self._delimiter(form.quotes))

    def next_row(self) -> _Lines | None:
        """Return the next row; None at the end."""
        taken: list[str] = []
        form = self.form
        reader = csv.reader(self._taken(taken), delimiter=form.delimiter, quoting=form.quoting, strict=True)
        cells, fault = list[str](), None
        try:
            cells = next(reader, [])
        except csv.Error as error:
            fault = f"not CSV: {error}"
        except _TooLargeError:
            fault = too_large(self._max_bytes)
        row = _Lines(self._place, taken, cells, fault)
        self._place += len(taken)
        self._alone = max(0, self._alone - 1)
        return row if taken else None

    def give_back(self, row: _Lines) -> None:
        """Read all lines of the last row but the first again; see `delimited_rows`."""
        if len(row.lines) > 1:
            self._again.extendleft(reversed(row.lines[1:]))
            self._alone = len(row.lines) - 2
            self._place = row.place + 1

    def _taken(self, taken: list[str]) -> Iterator[str]:
        """Yield the lines that the `csv` module asks for, and add them to those of the row."""
        size = 0
        while line := self._again.popleft() if self._again else next(self._new, ""):
            size += len(line)
            if taken and (self._alone or size > self._max_bytes):
                self._again.appendleft(line)
                large = f"{too_large(self._max_bytes)}, or a quote does not end"
                raise csv.Error("a quote opens here, within a broken row" if self._alone else large)
            taken.append(line)
            if size > self._max_bytes:
                raise _TooLargeError
            yield line

    def _lines(self, stream: Unpacked) -> Iterator[str]:
        """Yield the lines; of one over the limit, just enough to see that."""
        known = (self.encoding, "strict") if self.encoding else ("utf-8", "surrogateescape")
        text = io.TextIOWrapper(stream, *known, newline=self._end)
        try:
            while line := text.readline(self._max_bytes + 1):
                yield line
                while line and not line.endswith(self._end):
                    line = text.readline(self._max_bytes)
        except UnicodeError as error:
            raise ParseError(f"not {self.encoding}: {error}; the rest of the file was not read") from None

    def _delimiter(self, quotes: str) -> str:
        """Return the delimiter of a CSV file; a header is read again, a line that tells it is not."""
        line = next(self._new, "").removeprefix("\ufeff")
        while line and not line.strip():
            self._place += 1
            line = next(self._new, "")
        delimiter = delimiter_of(line, quotes != "none")
        if delimiter.told:
            self._place += 1
        else:
            self._again.append(line)
        return delimiter.sign


class _TooLargeError(Exception):
    """A line is over the limit."""


_ROWS = 64
#: Bytes of a Parquet column that are read at once.
_BUFFER = 2**20
#: Exceptions of pyarrow for damaged files: invalid text, times beyond the calendar, duplicate columns.
_UNREADABLE = (pa.ArrowException, OSError, ValueError, ArithmeticError, LookupError)


def columnar_rows(file: Path) -> Iterator[TableRow]:
    """Yield the rows, without columns of lists, structs and bytes. Raises ParseError if no column remains."""
    with _batches(file) as (names, batches):
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
    with _batches(file) as (names, _):
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
def _batches(file: Path) -> Iterator[tuple[list[str], Iterator[pa.RecordBatch]]]:
    """Yield the columns to read, and the batches."""
    try:
        if file.suffix.lower() == ".parquet":
            with pq.ParquetFile(file, buffer_size=_BUFFER) as parquet:
                names = _readable(parquet.schema_arrow)
                yield names, parquet.iter_batches(_ROWS, columns=names, use_threads=False)
        else:  # not memory-mapped: mapping a large file needs more address space than the child may have
            with pa.OSFile(str(file)) as stream, _arrow(stream) as (schema, batches):
                yield _readable(schema), batches
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
