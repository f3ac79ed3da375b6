"""Which file an error of the disk is about.

Python and Arrow name a file that cannot be opened, but not one that then cannot be read, written or synced.
Belongs here: finding its name in what the failing code had open. Not here: wording (messages.py).
"""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from traceback import walk_tb
from typing import Any

#: Errors of disks; other errors, such as those of a network, are about no file.
_DISK = {
    errno.EIO,
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EROFS,
    errno.EACCES,
    errno.EPERM,
    errno.EFBIG,
    errno.ENXIO,
    errno.ENODEV,
    errno.ESTALE,
    errno.EUCLEAN,
}

#: Characters of a path: Linux takes no longer one.
_LONGEST = 4096


def name_file(error: BaseException) -> str | None:
    """Return the file that an error is about, or None; an error without a name gets it.

    Without a name, that is what the innermost function with a file or path worked on: if there are several,
    such as those of a copy, all are named. Call this in the process that caught the error: the name is still
    there when the error arrives in another process, its functions are not.
    """
    if not isinstance(error, OSError):
        return None
    if names := [str(name) for name in (error.filename, error.filename2) if _is_name(name)]:
        return " to ".join(names)
    if error.errno not in _DISK:
        return None
    frames = [frame for frame, _ in walk_tb(error.__traceback__)]
    for frame in reversed(frames):
        if names := list(dict.fromkeys(_names(frame.f_locals))):
            error.filename = joined = ", ".join(names)
            return joined
    return None


def _is_name(name: object) -> bool:
    return isinstance(name, (str, bytes, os.PathLike))


def _names(values: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names of the files among the variables of a function, or else its paths."""
    files = [getattr(value, "name", None) for value in values.values() if isinstance(value, io.IOBase)]
    names = [name for name in files if isinstance(name, str)]
    paths = (os.fspath(value) for value in values.values() if isinstance(value, (str, PurePath)))
    yield from names or (path for path in paths if _is_path(path))


def _is_path(text: str) -> bool:
    """Return whether a text names a file that exists, or could: other texts begin with a slash, too."""
    if not text.startswith("/") or len(text) > _LONGEST or "\0" in text:
        return False
    folder = str(PurePath(text).parent)
    # Unlike these, Path raises an error for a name that is too long.
    return os.path.lexists(text) or (folder != "/" and os.path.isdir(folder))  # noqa: PTH112
