"""The files of a folder, and which of them may be read.

Belongs here: walking the folder, links, odd names, the limit on bytes.
Not here: what the files are for (folder.py).
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from ops.parse.source import ParseError

#: How Python writes the bytes of a file name that are not UTF-8.
_SURROGATE = re.compile("[\udc80-\udcff]")


def files(folder: Path) -> dict[str, str | None]:
    """Return every file below a folder by its path, each with why it cannot be read, or None.

    Names that begin with a dot are left out. A link is followed only to a file inside the folder.
    """
    inside = folder.resolve()
    found: dict[str, str | None] = {}

    def unreadable(error: OSError) -> None:
        found[_path(Path(error.filename), folder)] = f"cannot be listed: {error.strerror}"

    for parent, folders, names in os.walk(folder, onerror=unreadable):
        folders[:] = [name for name in folders if not name.startswith(".")]
        links = [name for name in folders if (Path(parent) / name).is_symlink()]
        for name in [*names, *links]:
            if not name.startswith("."):
                place = Path(parent) / name
                found[_path(place, folder)] = _obstacle(place, inside)
    return found


def read(place: Path, max_bytes: int | None = None) -> bytes:
    """Return the content of a file. Raises ParseError if it is larger than `max_bytes`, unread, or fails."""
    try:
        size = place.stat().st_size
        if max_bytes is not None and size > max_bytes:
            raise ParseError(f"{size} bytes, over the source's max_bytes of {max_bytes}")
        return place.read_bytes()
    except OSError as error:
        raise ParseError(f"cannot be read: {error.strerror}") from None


def _path(place: Path, folder: Path) -> str:
    path = place.relative_to(folder).as_posix()
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _obstacle(place: Path, inside: Path) -> str | None:
    if _SURROGATE.search(str(place)):
        return "its name is not UTF-8"
    if place.is_symlink():
        try:
            target = place.resolve(strict=True)
        except (OSError, RuntimeError):
            return "a link that leads nowhere"
        if not target.is_relative_to(inside):
            return "a link that leaves the folder: it is not followed"
        if target.is_dir():
            return "a link to a folder: it is not followed"
    return None if place.is_file() else "not a regular file"
