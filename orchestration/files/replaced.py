"""Noticing that files are replaced while they are read, for readers without a lock.

Belongs here: the stamps of files, compared before and after. Not here: whether files are what was published
(execute/inputs.py).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from orchestration.files.identity import FileStamp, file_stamp, folder_files

Stamps: TypeAlias = Mapping[Path, FileStamp | None]


class InputReplacedError(RuntimeError):
    """A file is not what it was when it was opened; the text names it. It may be gone at the next try."""


def stamps_of(paths: Iterable[Path]) -> dict[Path, FileStamp | None]:
    """Return what tells whether files are replaced later; of a folder, all files below it."""
    return {
        path: file_stamp(path)
        for place in paths
        for path in (folder_files(place).values() if place.is_dir() else [place])
    }


def check_unreplaced(stamps: Stamps) -> None:
    """Raise InputReplacedError where a file is not what it was when its stamp was taken."""
    for path, stamp in stamps.items():
        if file_stamp(path) != stamp:
            raise InputReplacedError(f"an input was replaced while it was read: {path}; run again")


@contextlib.contextmanager
def unreplaced(stamps: Stamps) -> Iterator[None]:
    """Raise InputReplacedError behind a block in which a file was replaced, also where the block raised.

    Half of what the block read may be of the former version and half of the new one: what it gives counts for
    nothing, and what it failed at may be just that.
    """
    try:
        yield
    except Exception as error:
        try:
            check_unreplaced(stamps)
        except InputReplacedError as replaced:
            raise replaced from error
        raise
    check_unreplaced(stamps)
