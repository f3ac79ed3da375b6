"""Files as streams of bytes, unpacked where their names end in .gz or .zst.

Belongs here: opening, and what can go wrong. Not here: what is in them, and how much of it is read.
"""

from __future__ import annotations

import gzip
import io
import zlib
from pathlib import Path
from typing import IO, cast

from backports import zstd
from typing_extensions import Buffer

#: What reading a damaged file raises.
ERRORS = (OSError, EOFError, zlib.error, zstd.ZstdError)

#: Packed bytes that are read at once: what is behind a frame is copied for the next.
_CHUNK = 2**14
#: A file of Zstandard may have so many frames, and one more for so many bytes: an empty one takes 10 µs.
_ANY_FRAMES, _FRAME = 1_000, 256


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
        return cast("IO[bytes]", io.BufferedReader(_Frames(file)))
    return cast("IO[bytes]", gzip.open(file)) if name.endswith(".gz") else file.open("rb")


class _Frames(io.RawIOBase):
    """A file of Zstandard, frame by frame, of which it has as many as its size allows."""

    def __init__(self, file: Path) -> None:
        self._file = file.open("rb")
        self._size = file.stat().st_size
        self._most = _ANY_FRAMES + self._size // _FRAME
        self._frame = zstd.ZstdDecompressor()
        self._count, self._packed, self._at = 1, b"", 0

    def readable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Buffer) -> int:
        """Read unpacked bytes. Raises EOFError for a file that is cut short, ZstdError for a damaged one."""
        view = memoryview(buffer)
        while True:
            if self._frame.eof:
                self._packed = self._frame.unused_data or self._file.read(_CHUNK)
                if not self._packed:
                    return 0
                self._begin()
            elif self._frame.needs_input and not self._packed:
                self._packed = self._file.read(_CHUNK)
                if not self._packed:
                    raise EOFError("the file is cut short")
            content = self._frame.decompress(self._packed, len(view))
            self._packed = b""
            if content:
                view[: len(content)] = content
                self._at += len(content)
                return len(content)

    def close(self) -> None:
        self._file.close()
        super().close()

    def _begin(self) -> None:
        self._count += 1
        if self._count > self._most:
            raise zstd.ZstdError(f"more than {self._most:,} frames in {self._size:,} bytes")
        self._frame = zstd.ZstdDecompressor()
