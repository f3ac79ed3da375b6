"""A folder of transcripts with its metadata, split into records.

Belongs here: which row of the metadata goes with each transcript, and what has no partner.
Not here: walking the folder (ops/parse/files.py), the table (metadata.py), the inside of a transcript.

A transcript and the one sound row that names it are one record. All else is a record of its own with the
cause as its error: a file without a row, a row without its file, every row and the file where several rows
name one file, transcripts of one stem, whatever is no transcript.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from ops.parse.files import Found, content_of, find, obstacle
from ops.parse.source import Only, ParseError, Raw, Source
from ops.talksumm.sources.talks import metadata
from ops.talksumm.sources.talks.metadata import MetadataRow

#: Bytes; a row takes about 150.
_LARGEST_TABLE = 2**28
#: Of lines that all name one file, so many are listed.
_LISTED = 10

_SHARED_STEM = "another transcript differs from it in the extension only"


def split(folder: Path, source: Source, extensions: Collection[str], only: Only = None) -> Iterator[Raw]:
    """Yield the records of a folder by path; those of rows alone by line, in the place of the metadata."""
    files = {found.path: found for found in find(folder, source, tuple(extensions))}
    rows, trouble = _metadata(folder, files.pop(metadata.NAME, None))
    naming: dict[str, list[MetadataRow]] = defaultdict(list)
    for row in rows:
        naming[row.file].append(row)
    stems = Counter(_stem(path) for path, found in files.items() if found.error is None)

    for path in sorted([*files, metadata.NAME]):
        if path == metadata.NAME:
            if trouble is not None:
                yield Raw(path, path, b"", error=trouble)
            for row in rows:
                cause = _against_row(row, naming[row.file], files)
                if cause is not None:
                    written = row.written.encode(errors="surrogateescape")
                    yield Raw(path, row.file, written, row=row.number, error=cause)
            continue
        # A stem that is not one file's alone cannot be its id.
        found = files[path]
        unique = found.error is None and stems[_stem(path)] == 1
        cause = found.error or (None if unique else _SHARED_STEM)
        cause = cause or _against_partners(naming[path], trouble)
        content = b""
        if cause is None and (only is None or path in only):
            try:
                content = content_of(found.file, source.max_bytes)
            except ParseError as error:
                cause = str(error)
        companions = naming[path][0].values if len(naming[path]) == 1 else {}
        yield Raw(path, _stem(path) if unique else path, content, companions=companions, error=cause)


def _metadata(folder: Path, found: Found | None) -> tuple[Sequence[MetadataRow], str | None]:
    """Return the rows of the table of metadata, or why there are none."""
    if found is None:
        return [], f"missing; it gives the {', '.join(metadata.COLUMNS)} of every transcript"
    if (cause := obstacle(found.file, folder)) is not None:
        return [], cause
    try:
        return metadata.read(content_of(found.file, _LARGEST_TABLE)), None
    except ParseError as error:
        return [], str(error)


def _stem(path: str) -> str:
    return str(PurePosixPath(path).with_suffix(""))


def _against_partners(rows: Sequence[MetadataRow], trouble: str | None) -> str | None:
    if trouble is not None:
        return f"no metadata: {metadata.NAME}: {trouble}"
    if not rows:
        return f"no row of {metadata.NAME} names it"
    if len(rows) > 1:
        return f"{_lines(rows)} all name it"
    if rows[0].error is not None:
        return f"{_lines(rows)}: {rows[0].error}"
    return None


def _against_row(row: MetadataRow, naming: Sequence[MetadataRow], files: Mapping[str, object]) -> str | None:
    if row.error is not None:
        return row.error
    if row.file not in files:
        return f"there is no file {row.file!r} in the folder"
    return f"{_lines(naming)} all name {row.file!r}" if len(naming) > 1 else None


def _lines(rows: Sequence[MetadataRow]) -> str:
    numbers = ", ".join(str(row.number) for row in rows[:_LISTED])
    more = f" and {len(rows) - _LISTED} more" if len(rows) > _LISTED else ""
    return f"{metadata.NAME}, line{'s' if len(rows) > 1 else ''} {numbers}{more}"
