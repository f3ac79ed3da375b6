"""What a command leaves for later ones, and each of them could make again: files in `.silverloom/cache`.

Belongs here: reading and replacing such a file. Not here: its content, and whether that is out of date.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path

STATE = ".silverloom"
FOLDER = f"{STATE}/cache"


def read_cache(root: Path, name: str) -> bytes | None:
    """Return what is cached under a name in a project; None if it is missing or damaged."""
    try:
        checksum, _, content = (root / FOLDER / name).read_bytes().partition(b"\n")
    except OSError:
        return None
    return content if checksum == _checksum(content) else None


def write_cache(root: Path, name: str, content: bytes) -> None:
    """Replace, whole, what is cached under a name in a project.

    Does nothing if that fails, such as on a full disk, or if the project was never set up.
    """
    path = root / FOLDER / name
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    with suppress(OSError):
        if not (root / STATE).is_dir():
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            temporary.write_bytes(b"\n".join([_checksum(content), content]))
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


def _checksum(content: bytes) -> bytes:
    return hashlib.md5(content, usedforsecurity=False).hexdigest().encode()
