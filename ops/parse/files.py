"""The files of a source's folder, as records or opened.

Belongs here: which files belong to a source, size limits, links, duplicate names. Not here: what is in the
files (the formats), decompressing them (unpacked.py).
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from silverloom.ops.parse.decoding import one_line
from silverloom.ops.parse.page_bytes import not_text
from silverloom.ops.parse.source import Only, ParseError, Raw, Source
from silverloom.ops.parse.unpacked import DamageError, Unpacked

#: The end of the error for a file over the limit.
_TO_READ_IT = "raise max_bytes of its source in params.yaml"

#: A file in a cache of DVC. Its path contains the MD5 of its bytes, so nobody can give away a corpus with a
#: link to a file whose content is secret.
_CACHED = re.compile(r".*/files/md5/[0-9a-f]{2}/[0-9a-f]{30}", re.DOTALL)


class ForeignFile(str):
    """The error of a file whose name is not one of the format."""


class Found(NamedTuple):
    """A file of a source: its path within the folder, its location, and why it cannot be read, if so."""

    path: str
    file: Path
    error: str | None = None


def find(folder: Path, source: Source, suffixes: tuple[str, ...], passing: bool = False) -> Iterator[Found]:
    """Yield the files below `folder`, sorted by path; hidden files and folders are skipped.

    Files that do not match the pattern `source.files` (such as `*/source.html`) are skipped as well.

    A file with none of the suffixes is yielded with an error, or skipped if `passing` (for corpora that keep
    other files with the papers). Links to folders, and links to files outside of `folder` that are not in
    DVC's cache, are not followed but yielded with an error. Anything else that cannot be read is yielded with
    an error, too, and also a folder with one of the suffixes (files inside it are read). Raises
    FileNotFoundError if the folder does not exist.
    """
    if not folder.is_dir():
        raise FileNotFoundError(f"no such folder: {folder.name}")
    for file in sorted(_walk(folder, suffixes), key=lambda file: file.relative_to(folder).parts):
        path = file.relative_to(folder).as_posix()
        if not fnmatchcase(path, source.files):
            continue
        named = file.name.lower().endswith(suffixes)
        error = obstacle(file, folder)
        if passing and not named and not os.path.isdir(file):  # noqa: PTH112  Path's raises
            continue
        if error is None and not named:
            error = ForeignFile(
                f"not a file of this source: its name does not end in {' or '.join(suffixes)}"
            )
        yield Found(shown(path), file, _against_name(path) or error)


def obstacle(file: Path, folder: Path) -> str | None:
    """Return why a file of `folder` must not be read, or None."""
    try:
        link = stat.S_ISLNK(file.lstat().st_mode)
        inside = not link or Path(os.path.realpath(file)).is_relative_to(os.path.realpath(folder))
        if not (inside or is_cached(file)):
            return "a link that leads out of the source's folder; it is not followed"
        mode = file.stat().st_mode
    except OSError as error:
        causes = {errno.ENOENT: "a link that leads nowhere", errno.ELOOP: "a link that leads to itself"}
        return causes.get(error.errno or 0, f"cannot be read: {error.strerror}")
    if stat.S_ISREG(mode):
        return None
    if not stat.S_ISDIR(mode):
        return "not a file, but a pipe, a socket or a device"
    if link:
        return "a link to a folder; it is not followed"
    if not os.access(file, os.R_OK | os.X_OK, effective_ids=True):
        return "a folder that cannot be read"
    return "a folder with the name of a file; what is in it is read"


def is_cached(link: Path) -> bool:
    """Return whether a link leads into a cache of DVC, which links files to it if `cache.type` is symlink."""
    return _CACHED.fullmatch(os.path.realpath(link)) is not None


def shown(path: str) -> str:
    """Return a path as one line of text, so that different paths stay different.

    Characters that are not text are escaped. If a path needs this or seems to contain an escape, its
    backslashes are escaped, too.
    """
    if one_line(path) == path and "\\x" not in path and "\\u" not in path:
        return path
    return one_line(path.replace("\\", "\\\\"))


def _against_name(path: str) -> str | None:
    if any("\udc80" <= sign <= "\udcff" for sign in path):
        return "its name is not UTF-8"
    return None if one_line(path) == path else "its name holds a line break or a control character"


def stem(path: str) -> str:
    """Return the file name without its extension: the document id in most sources."""
    return Path(path).stem


def whole_files(
    folder: Path,
    source: Source,
    suffixes: tuple[str, ...],
    only: Only = None,
    passing: bool = False,
    document: Callable[[str], str] = stem,
) -> Iterator[Raw]:
    """Yield every file as one record, with a document id derived from its path in `folder`; see `find`.

    A file over source.max_bytes is yielded unread, with an error. One that is not in `only` is yielded
    unread.
    """
    files = find(folder, source, suffixes, passing)
    return once(_read(file, document(file.path), source.max_bytes, only) for file in files)


def with_options(records: Iterable[Raw], source: Source) -> Iterator[Raw]:
    """Yield the records with the source's options among their companions, where parsers find them."""
    return (replace(raw, companions={**raw.companions, **source.options}) for raw in records)


def once(records: Iterable[Raw]) -> Iterator[Raw]:
    """Yield the records; of several with one document id, all but the first sound one get an error."""
    first: dict[str, str] = {}
    for raw in records:
        place = raw.path if raw.row is None else f"{raw.path}, line {raw.row}"
        if raw.error is None and raw.document in first:
            taken = f"its document id {raw.document!r} is already that of {first[raw.document]}"
            yield replace(raw, error=taken)
            continue
        if raw.error is None:
            first[raw.document] = place
        yield raw


def too_large(max_bytes: int) -> str:
    """Return the error of a record over the limit."""
    return f"larger than max_bytes = {max_bytes}; it was not read"


def is_too_large(error: str) -> bool:
    """Return whether a record was rejected because its file is over the limit, by the end of its error."""
    return error.endswith(_TO_READ_IT)


def content_of(file: Path, max_bytes: int) -> bytes:
    """Return the content of a file. Raises ParseError if it is larger than `max_bytes` or cannot be read."""
    try:
        with file.open("rb") as stream:
            if os.fstat(stream.fileno()).st_size <= max_bytes:
                content = stream.read(max_bytes + 1)
                if len(content) <= max_bytes:
                    return content
    except OSError as error:
        raise ParseError(f"cannot be read: {error.strerror}") from None
    raise ParseError(f"{too_large(max_bytes)}: {_TO_READ_IT}")


def _read(file: Found, document: str, max_bytes: int, only: Only) -> Raw:
    if file.error is not None:
        return Raw(file.path, document, b"", error=file.error)
    if only is not None and file.path not in only:
        return Raw(file.path, document, b"")
    try:
        return Raw(file.path, document, content_of(file.file, max_bytes))
    except ParseError as error:
        return Raw(file.path, document, b"", error=str(error))


def _walk(folder: Path, suffixes: tuple[str, ...]) -> set[Path]:
    """Return the files, and those folders that are links, unreadable or named like files."""
    paths: set[Path] = set()
    for place, folders, files in os.walk(folder, onerror=lambda error: paths.add(Path(error.filename))):
        here = Path(place)
        folders[:] = [name for name in folders if not name.startswith(".")]
        links = (name for name in folders if os.path.islink(here / name))  # noqa: PTH114  Path's raises
        named = (name for name in folders if name.lower().endswith(suffixes))
        paths.update(here / name for name in (*links, *named, *files) if not name.startswith("."))
    return paths


def packings(*suffixes: str) -> tuple[str, ...]:
    """Return file suffixes, each plain and compressed."""
    return tuple(f"{suffix}{packed}" for suffix in suffixes for packed in ("", ".gz", ".zst"))


#: Suffixes of files with a JSON object on every line.
JSON_LINES = packings(".jsonl", ".ndjson")


def opened(file: Path, max_bytes: int) -> Unpacked:
    """Open a file for reading, decompressed. Raises OSError if it cannot be opened, or is damaged.

    A file may be plain despite its name: some clients decompress what they fetch.
    """
    stream = file.open("rb")
    unpacked = Unpacked(stream, os.fstat(stream.fileno()).st_size, max_bytes)
    start = unpacked.peek(1)
    binary = not_text(start) if start else "empty"
    if binary and not unpacked.is_compressed and file.name.lower().endswith((".gz", ".zst")):
        unpacked.close()
        raise DamageError(f"it is not compressed, but {binary}")
    return unpacked
