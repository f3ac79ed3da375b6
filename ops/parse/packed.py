"""Files as streams of bytes, unpacked where their names end in .gz or .zst.

Belongs here: opening, and what can go wrong. Not here: what is in them, and how much of it is read.
"""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path
from typing import IO, cast

from backports import zstd

#: What reading a damaged file raises.
ERRORS = (OSError, EOFError, zlib.error, zstd.ZstdError)


def packings(*suffixes: str) -> tuple[str, ...]:
    """Return suffixes of files, each plain and packed."""
    return tuple(f"{suffix}{packed}" for suffix in suffixes for packed in ("", ".gz", ".zst"))


def is_packed(name: str) -> bool:
    """Say whether a file is packed, by its name."""
    return name.lower().endswith((".gz", ".zst"))


def opened(file: Path) -> IO[bytes]:
    """Return a file as it reads unpacked. Raises OSError where it cannot be opened."""
    name = file.name.lower()
    if name.endswith(".zst"):
        return cast("IO[bytes]", zstd.open(file, "rb"))
    return cast("IO[bytes]", gzip.open(file)) if name.endswith(".gz") else file.open("rb")
