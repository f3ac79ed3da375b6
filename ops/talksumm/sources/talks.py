"""Talks: transcripts in several formats, or recordings, with one table of metadata per folder.

Belongs here: the kinds of talk sources, matching rows of metadata with files, faults of a row, and the op
that parses records. Not here: parsing a transcript (transcripts.py, captions.py) or recognising a recording
(speech.py), walking the folder (ops/parse/files.py), matching talks with papers (ops/talksumm/matching.py).

A transcript and the only valid row that names it are one record. Anything else is a record with an error: a
file without a row, a row without a file, a file with several rows and each of these rows, transcripts with
the same stem, and files that are not transcripts.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from silverloom.ops.core.outcome import Outcome, Row
from silverloom.ops.parse.bounded import BoundedFormat, Bounds
from silverloom.ops.parse.decoding import check_texts
from silverloom.ops.parse.files import Found, content_of, find, obstacle
from silverloom.ops.parse.records import Record, read_each, row_of
from silverloom.ops.parse.source import Format, Only, ParseError, Raw, Source
from silverloom.ops.parse.table_files import Delimited, TableRow, delimited_columns, delimited_rows
from silverloom.ops.talksumm.paper_names import names_given
from silverloom.ops.talksumm.schemas import TALKS
from silverloom.ops.talksumm.sources import speech
from silverloom.ops.talksumm.sources.captions import (
    has_cues,
    read_clocked,
    read_srt,
    read_substation,
    read_webvtt,
)
from silverloom.ops.talksumm.sources.transcripts import Talk, Word, decoded_transcript, read_plain, read_timed


def _read_text(text: str) -> Sequence[Word]:
    return read_clocked(text) or (read_srt if has_cues(text) else read_plain)(text)


_READERS: Mapping[str, Callable[[str], Sequence[Word]]] = {
    ".ass": read_substation,
    ".json": read_timed,
    ".json3": read_timed,
    ".sbv": read_srt,
    ".srt": read_srt,
    ".ssa": read_substation,
    ".txt": _read_text,
    ".vtt": read_webvtt,
}

#: The companion with all options of a recording: as companions of their own, they could clash with columns.
_OPTIONS = "options of recordings"

#: Default limit on the bytes of a recording: 50 minutes in CD quality, five hours of MP3.
_LARGEST_RECORDING = 2**29
#: Recognition is faster than real time, and no talk lasts six hours.
_RECORDINGS = Bounds(seconds=6 * 3600, memory=2**30 + _LARGEST_RECORDING, patience=24 * 3600)


class _Transcripts:
    """Reads a folder of transcripts, in a format of _READERS by their endings, with `metadata.csv`."""

    any_encoding = True

    def split(self, folder_: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        return split_folder(folder_, source, _READERS.keys(), only)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return the talk's row of the metadata, including the user's own columns."""
        return raw.companions

    def parse(self, raw: Raw) -> Talk:
        words = self.words(raw)
        if not words:
            raise ParseError("no spoken words")
        row = raw.companions
        names = tuple(names_given({name: row[name] for name in row if name != _OPTIONS}))
        return Talk(row["title"], row["date"], row["url"], row["licence"], words, names)

    def words(self, raw: Raw) -> Sequence[Word]:
        """Return the spoken words."""
        return _READERS[PurePosixPath(raw.path).suffix.lower()](decoded_transcript(raw.content))


class _Recordings(_Transcripts):
    """Reads a folder of audio or video recordings with `metadata.csv`."""

    any_encoding = False
    slow = True
    #: Of 16-bit sound; compressed, it has fewer.
    bytes_a_character = 2_000

    options = speech.SpeechOptions

    def split(self, folder_: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        source = source.by_default(_LARGEST_RECORDING)
        options = self.options.model_validate(dict(source.options)).model_dump_json()
        for raw in split_folder(folder_, source, speech.ENDINGS, only):
            yield replace(raw, companions={**raw.companions, _OPTIONS: options})

    def words(self, raw: Raw) -> Sequence[Word]:
        options = speech.SpeechOptions.model_validate_json(raw.companions.get(_OPTIONS, "{}"))
        return speech.read(raw.content, options.model, options.language)


FORMATS: dict[str, Format[Talk]] = {
    "recordings": BoundedFormat(_Recordings(), _RECORDINGS, quick=True),
    "transcripts": BoundedFormat(_Transcripts(), quick=True),
}

#: How the metadata are written: the delimiter and the encoding are told or guessed, as of any table.
_DIALECT = Delimited(",", encoding="", quotes="")
_LARGEST_ROW = 2**20
#: Maximum line numbers listed in an error about lines that name one file.
_LISTED = 10

_SHARED_STEM = "another transcript differs from it in the extension only"

METADATA = "metadata.csv"
METADATA_COLUMNS = ("file", "title", "date", "url", "licence")
_NEEDED = ("file", "title", "date")


class MetadataRow(NamedTuple):
    """One row of the table, valid or not."""

    number: int
    """Its first line, from 1."""
    file: str
    """The path of its transcript with forward slashes; empty if it names none."""
    values: Mapping[str, str]
    """Its cells by column; none if it is broken."""
    error: str | None


def parse_talks(records: Sequence[Record]) -> Outcome:
    """Read raw transcripts into rows of TALKS; unreadable ones are rejected with their cause."""

    def rows(record: Record) -> list[Row]:
        return [_row(record, FORMATS[record.kind].parse(record.raw))]

    return read_each(records, TALKS, rows)


def split_folder(
    folder: Path, source: Source, extensions: Collection[str], only: Only = None
) -> Iterator[Raw]:
    """Yield the records of a folder by path; rows without a file come by line, in place of the metadata."""
    files = {file.path: file for file in find(folder, source, tuple(extensions))}
    rows, trouble = _metadata(folder, files.pop(METADATA, None))
    naming: dict[str, list[MetadataRow]] = defaultdict(list)
    for row in rows:
        naming[row.file].append(row)
    stems = Counter(_stem(path) for path, file in files.items() if file.error is None)

    for path in sorted([*files, METADATA]):
        if path == METADATA:
            if trouble is not None:
                yield Raw(path, path, b"", error=trouble)
            for row in rows:
                if cause := _against_row(row, naming[row.file], files):
                    cells = json.dumps(row.values, ensure_ascii=False).encode(errors="backslashreplace")
                    yield Raw(path, row.file, cells, row=row.number, error=cause)
            continue
        # A stem can be a document id only if it is unique.
        file, named = files[path], naming[path]
        unique = file.error is None and stems[_stem(path)] == 1
        cause = file.error or (None if unique else _SHARED_STEM) or _against_file(named, trouble)
        content = b""
        if cause is None and (only is None or path in only):
            try:
                content = content_of(file.file, source.max_bytes)
            except ParseError as error:
                cause = str(error)
        companions = named[0].values if len(named) == 1 else {}
        yield Raw(path, _stem(path) if unique else path, content, companions=companions, error=cause)


def _row(record: Record, talk: Talk) -> Row:
    return {
        **row_of(record, "talk"),
        "licence": talk.licence or record.licence,
        "document": record.raw.document,
        "title": talk.title,
        "date": talk.date,
        "month": record.month,
        "url": talk.url or None,
        "paper_names": [{"column": column, "name": name} for column, name in talk.paper_names],
        "words": [word._asdict() for word in talk.words],
    }


def _metadata(folder: Path, table: Found | None) -> tuple[Sequence[MetadataRow], str | None]:
    """Return the rows of the metadata table, or why they are missing. Other columns are allowed."""
    if table is None:
        return [], f"missing; it gives the {', '.join(METADATA_COLUMNS)} of every transcript"
    if (cause := obstacle(table.file, folder)) is not None:
        return [], cause
    try:
        names = delimited_columns(table.file, _DIALECT)
        if missing := [name for name in _NEEDED if name not in names]:
            return [], f"no column {', '.join(missing)}"
        return [_metadata_row(row) for row in delimited_rows(table.file, _DIALECT, _LARGEST_ROW)], None
    except (ParseError, OSError) as error:
        return [], str(error).replace(str(table.file), METADATA)


def _stem(path: str) -> str:
    return str(PurePosixPath(path).with_suffix(""))


def _against_file(rows: Sequence[MetadataRow], trouble: str | None) -> str | None:
    if trouble is not None:
        return f"no metadata: {METADATA}: {trouble}"
    if len(rows) == 1:
        return f"{_lines(rows)}: {rows[0].error}" if rows[0].error else None
    return f"{_lines(rows)} all name it" if rows else f"no row of {METADATA} that can be read names it"


def _against_row(row: MetadataRow, naming: Sequence[MetadataRow], files: Mapping[str, object]) -> str | None:
    if row.error is None and row.file not in files:
        return f"there is no file {row.file!r} in the folder"
    return row.error or (f"{_lines(naming)} all name {row.file!r}" if len(naming) > 1 else None)


def _lines(rows: Sequence[MetadataRow]) -> str:
    numbers = ", ".join(str(row.number) for row in rows[:_LISTED])
    return f"{METADATA}, line{'s' if len(rows) > 1 else ''} {numbers}{', ...' if len(rows) > _LISTED else ''}"


def _metadata_row(row: TableRow) -> MetadataRow:
    cells = {**dict.fromkeys(METADATA_COLUMNS, ""), **row.cells}
    values = {name: cell.strip() for name, cell in cells.items()}
    path = str(PurePosixPath(values["file"])) if values.get("file") else ""
    return MetadataRow(row.place, path, values, row.error or _fault(values))


def _fault(values: Mapping[str, str]) -> str | None:
    """Return what is wrong with a row, or None."""
    path = PurePosixPath(values["file"])
    if empty := [name for name in _NEEDED if not values[name]]:
        return f"no {' and no '.join(empty)}"
    if path.is_absolute() or ".." in path.parts:
        return f"the file name leaves the folder: {values['file']!r}"
    try:
        check_texts(values, "the row")
    except ParseError as error:
        return str(error)
    return None
