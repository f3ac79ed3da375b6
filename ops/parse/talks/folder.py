"""A folder of transcripts with its metadata, split into records.

Belongs here: which row of the metadata goes with each transcript, and what has no partner.
Not here: walking the folder (listing.py), the table (metadata.py), the inside of a transcript.

A transcript and the one sound row that names it are one record. All else is a record of its own with the
cause as its error: a file without a row, a row without its file, every row and the file where several rows
name one file, transcripts of one stem, whatever is no transcript.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from ops.parse.source import Only, ParseError, Raw, Source
from ops.parse.talks import listing, metadata
from ops.parse.talks.metadata import Row

_SHARED_STEM = "another transcript differs from it in the extension only"


def split(folder: Path, source: Source, extensions: Collection[str], only: Only = None) -> Iterator[Raw]:
    """Yield the records of a folder by path; those of rows alone by line, in the place of the metadata."""
    obstacles = listing.files(folder)
    missing = f"missing; it gives the {', '.join(metadata.COLUMNS)} of every transcript"
    rows, trouble = _metadata(folder, obstacles.pop(metadata.NAME, missing))
    naming: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        naming[row.file].append(row)
    obstacles = {path: cause or _not_a_transcript(path, extensions) for path, cause in obstacles.items()}
    stems = Counter(_stem(path) for path, cause in obstacles.items() if cause is None)

    for path in sorted([*obstacles, metadata.NAME]):
        if path == metadata.NAME:
            if trouble is not None:
                yield Raw(path, path, b"", error=trouble)
            for row in rows:
                cause = _against_row(row, naming[row.file], obstacles)
                if cause is not None:
                    yield Raw(path, row.file, row.written.encode(), row=row.number, error=cause)
            continue
        # A stem that is not one file's alone cannot be its id.
        unique = obstacles[path] is None and stems[_stem(path)] == 1
        cause = obstacles[path] or (None if unique else _SHARED_STEM)
        cause = cause or _against_partners(naming[path], trouble)
        content = b""
        if cause is None and (only is None or path in only):
            try:
                content = listing.read(folder / path, source.max_bytes)
            except ParseError as error:
                cause = str(error)
        companions = naming[path][0].values if len(naming[path]) == 1 else {}
        yield Raw(path, _stem(path) if unique else path, content, companions=companions, error=cause)


def _metadata(folder: Path, obstacle: str | None) -> tuple[Sequence[Row], str | None]:
    if obstacle is not None:
        return [], obstacle
    try:
        return metadata.read(listing.read(folder / metadata.NAME)), None
    except ParseError as error:
        return [], str(error)


def _stem(path: str) -> str:
    return str(PurePosixPath(path).with_suffix(""))


def _not_a_transcript(path: str, extensions: Collection[str]) -> str | None:
    extension = PurePosixPath(path).suffix.lower()
    if extension in extensions:
        return None
    return f"unknown extension {extension!r}; transcripts are {', '.join(sorted(extensions))}"


def _against_partners(rows: Sequence[Row], trouble: str | None) -> str | None:
    if trouble is not None:
        return f"no metadata: {metadata.NAME}: {trouble}"
    if not rows:
        return f"no row of {metadata.NAME} names it"
    if len(rows) > 1:
        return f"{_lines(rows)} all name it"
    if rows[0].error is not None:
        return f"{_lines(rows)}: {rows[0].error}"
    return None


def _against_row(row: Row, naming: Sequence[Row], files: Mapping[str, object]) -> str | None:
    if row.error is not None:
        return row.error
    if row.file not in files:
        return f"there is no file {row.file!r} in the folder"
    return f"{_lines(naming)} all name {row.file!r}" if len(naming) > 1 else None


def _lines(rows: Sequence[Row]) -> str:
    numbers = ", ".join(str(row.number) for row in rows)
    return f"{metadata.NAME}, line{'s' if len(rows) > 1 else ''} {numbers}"
