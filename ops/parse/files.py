"""The files of a source's folder as records.

Belongs here: what counts as a file of the source, bounds, links, names that are there twice.
Not here: what is in the files (the formats).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from ops.parse.source import Only, Raw, Source


class Found(NamedTuple):
    """A file of a source: its path inside the folder, where it is, and why it is not to be read."""

    path: str
    file: Path
    error: str | None = None


def find(folder: Path, suffixes: tuple[str, ...], passing: bool = False) -> Iterator[Found]:
    """Yield the files below `folder` sorted by path; hidden files and folders are none.

    A file with none of the suffixes is yielded with an error, or passed over if `passing` (corpora that
    keep other files beside the papers). Links to folders, and links to files outside of `folder`, are
    not followed: they are yielded with an error. Raises FileNotFoundError if there is no such folder.
    """
    if not folder.is_dir():
        raise FileNotFoundError(f"no such folder: {folder.name}")
    home = os.path.realpath(folder)
    for file in sorted(_walk(folder), key=lambda file: file.relative_to(folder).parts):
        path = file.relative_to(folder).as_posix().encode("utf-8", "backslashreplace").decode()
        named = file.name.lower().endswith(suffixes)
        if file.is_symlink() and not Path(os.path.realpath(file)).is_relative_to(home):
            yield Found(path, file, "a link that leads out of the source's folder; it is not followed")
        elif file.is_dir():
            link = "a link to a folder; it is not followed"
            yield Found(path, file, link if file.is_symlink() else "a folder that cannot be read")
        elif not named and passing:
            continue
        elif not named:
            known = " or ".join(suffixes)
            yield Found(path, file, f"not a file of this source: its name does not end in {known}")
        elif not file.is_file():
            yield Found(path, file, "not a regular file, or a link that leads nowhere")
        else:
            yield Found(path, file)


def stem(path: str) -> str:
    """Return the name of a file without its extension: the document of most sources."""
    return Path(path).stem


def whole_files(
    folder: Path,
    source: Source,
    suffixes: tuple[str, ...],
    only: Only = None,
    passing: bool = False,
    document: Callable[[str], str] = stem,
) -> Iterator[Raw]:
    """Yield every file as one record, whose document is told by its path in `folder`; see `find`.

    A file over source.max_bytes is yielded unread, with an error; one that is not in `only`, unread.
    """
    found = find(folder, suffixes, passing)
    return once(_read(file, document(file.path), source.max_bytes, only) for file in found)


def once(records: Iterable[Raw]) -> Iterator[Raw]:
    """Yield the records; of those with one document id, all but the first sound one get an error."""
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
    """Return the error of a record over the bound."""
    return f"larger than max_bytes = {max_bytes}; it was not read"


def _read(found: Found, document: str, max_bytes: int, only: Only) -> Raw:
    if found.error is not None:
        return Raw(found.path, document, b"", error=found.error)
    if only is not None and found.path not in only:
        return Raw(found.path, document, b"")
    try:
        with found.file.open("rb") as stream:
            content = stream.read(max_bytes + 1)
    except OSError as error:
        return Raw(found.path, document, b"", error=f"cannot be read: {error.strerror}")
    if len(content) > max_bytes:
        return Raw(found.path, document, b"", error=too_large(max_bytes))
    return Raw(found.path, document, content)


def _walk(folder: Path) -> Iterator[Path]:
    closed: list[Path] = []
    for place, folders, files in os.walk(folder, onerror=lambda error: closed.append(Path(error.filename))):
        here = Path(place)
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (here / name for name in folders if (here / name).is_symlink())
        yield from (here / name for name in files if not name.startswith("."))
    yield from closed
