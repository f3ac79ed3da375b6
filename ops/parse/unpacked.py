"""Compressed files as streams of bytes, within one limit for all kinds of compression.

Belongs here: recognising gzip, bzip2 and Zstandard by their first bytes; their members (bzip2: streams,
Zstandard: frames); deflate and Brotli, which HTTP declares; decompression bombs; reading on behind a damaged
member. Not here: what the bytes mean.
"""

from __future__ import annotations

import bz2
import io
import re
import zlib
from collections.abc import Callable
from functools import partial
from typing import IO, Any

import brotli
from backports import zstd

#: Bytes read at once, and decompressed at once. Each gzip member copies the rest of the bytes read.
_READ, _CHUNK = 2**15, 2**18
#: A file that decompresses to more than this many times its size is a bomb. Text compresses to a tenth, web
#: pages and repetitive lines to less.
_TIMES = 100
#: Bytes that a record counts for besides its own, so that a huge number of tiny ones is a bomb, too.
RECORD = 100

#: A frame of Zstandard without data. The second kind has the dictionary of all others (IIPC: Zstandard
#: compression for WARC files, "Dictionary").
_SKIPPABLE, _DICTIONARY = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18"), b"\x5d\x2a\x4d\x18"
_ZSTANDARD = b"\x28\xb5\x2f\xfd"
#: Exceptions of the decompressors.
_FAULTS = (zlib.error, OSError, zstd.ZstdError, brotli.error, ValueError)


class DamageError(OSError):
    """Compressed bytes are damaged or cut short; what is behind the damage can be read."""


class CutShortError(DamageError):
    """Compressed bytes end too early."""


class TrailingError(DamageError):
    """What follows the last member is none."""


class BombError(OSError):
    """A file may be a decompression bomb; reading stops."""


class UnpackingBudget:
    """The bytes that may come out of a file of `size` bytes: a multiple of these, or `allowance`."""

    def __init__(self, size: float, allowance: int) -> None:
        self._left = max(size * _TIMES, allowance)

    def spend(self, count: int) -> None:
        """Count bytes that came out. Raises BombError if they are too many."""
        self._left -= count
        if self._left < 0:
            least = f"where each record counts for {RECORD} bytes more"
            raise BombError(
                f"it unpacks to more than {_TIMES} times its size, {least}; the rest was not read"
            )


class _Zlib:
    """Decompresses one member of gzip or deflate in the terms of `bz2` and `zstd`."""

    def __init__(self, bits: int) -> None:
        self._member = zlib.decompressobj(bits)

    def __getattr__(self, name: str) -> Any:  # eof, unused_data
        return getattr(self._member, name)

    @property
    def needs_input(self) -> bool:
        return not self._member.unconsumed_tail

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return self._member.decompress(self._member.unconsumed_tail + data, max_length)


class _Brotli:
    """Decompresses Brotli in the same terms."""

    unused_data = b""

    def __init__(self) -> None:
        self._member = brotli.Decompressor()

    @property
    def eof(self) -> bool:
        return bool(self._member.is_finished())

    @property
    def needs_input(self) -> bool:
        return bool(self._member.can_accept_more_data())

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return bytes(self._member.process(data, output_buffer_limit=max_length))


#: How members begin, if that tells them, and what decompresses them, by name.
PACKINGS: dict[str, tuple[bytes, Callable[[], Any]]] = {
    "gzip": (b"\x1f\x8b\x08", partial(_Zlib, 31)),
    "bzip2": (b"BZh", bz2.BZ2Decompressor),
    "zstd": (_ZSTANDARD, zstd.ZstdDecompressor),
    "deflate": (b"", partial(_Zlib, 15)),
    "deflate without a head": (b"", partial(_Zlib, -15)),  # as many servers send it
    "br": (b"", _Brotli),
}


def packing_of(start: bytes) -> str | None:
    """Return the name of the packing that tells itself by its first bytes, or None."""
    return next((name for name, (magic, _) in PACKINGS.items() if magic and start.startswith(magic)), None)


class Unpacked(io.BufferedReader):
    """The bytes of a file, decompressed if they are compressed, as one stream.

    Reading raises DamageError and BombError. After damage, `proceed` leads to the next member. With `mark`,
    the stream seems to end before each member that begins with it, until `proceed` is called.
    """

    def __init__(
        self, stream: IO[bytes], size: int, allowance: int, mark: bytes = b"", packing: str | None = None
    ) -> None:
        """Read a stream of `size` bytes, which may decompress to a multiple of this, or to `allowance`.

        `packing` is one of PACKINGS, if that is known.
        """
        self._members = _Members(stream, size, allowance, mark, packing)
        super().__init__(self._members, _CHUNK)
        self.is_compressed = self._members.is_compressed

    def count_record(self) -> None:
        """Count a record that was read. Raises BombError if there are too many."""
        self._members.budget.spend(RECORD)

    def proceed(self) -> bool:
        """Go to the next member with a mark, or the next one at all behind damage; False if there is none."""
        return self._members.proceed()


class _Members(io.RawIOBase):
    def __init__(
        self, stream: IO[bytes], size: int, allowance: int, mark: bytes, packing: str | None
    ) -> None:
        self._stream, self._mark = stream, mark
        self._packed = stream.read(_READ)
        self._magic = b""
        self._new: Callable[[], Any] | None = None
        if name := packing or packing_of(self._packed):
            self._magic, self._new = PACKINGS[name]
        elif _SKIPPABLE.match(self._packed):
            self._magic, self._new = _ZSTANDARD, self._with_dictionary()
        self.is_compressed = self._new is not None
        self.budget = UnpackingBudget(size if self._new else float("inf"), allowance)
        self._member: Any = None
        self._ready = memoryview(b"")
        """Decompressed bytes that are not taken yet."""
        self._given = b""
        """The last compressed bytes that the member got; they begin in it."""
        self._fresh = self._marked = self._stopped = self._damaged = False
        self._fault = ""
        """Damage at the beginning of a member, which is no damage of what is before it."""
        self._any = False
        """Whether any bytes came out so far."""

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._stream.close()
        super().close()

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not (self._ready or self._stopped):
            if not self._fill():
                return 0
        if self._stopped:
            return 0
        count = min(len(buffer), len(self._ready))
        buffer[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count

    def proceed(self) -> bool:
        """See `Unpacked.proceed`."""
        if self._damaged:
            self._skip_to_member()
        self._damaged = self._stopped = False
        return bool(self._ready or self._packed or self._fault)

    def _with_dictionary(self) -> Callable[[], Any]:
        """Return what decompresses frames of Zstandard after a first frame that may have a dictionary."""
        if not self._packed.startswith(_DICTIONARY):
            return zstd.ZstdDecompressor
        size = int.from_bytes(self._packed[4:8], "little")
        self._packed += self._stream.read(max(0, min(size, _CHUNK) + 8 - len(self._packed)))
        content = self._packed[8 : 8 + size]
        try:
            if content.startswith(self._magic):
                content = zstd.ZstdDecompressor().decompress(content, _CHUNK)
            return partial(zstd.ZstdDecompressor, zstd.ZstdDict(content))
        except (ValueError, zstd.ZstdError) as error:
            raise DamageError(f"damaged: a dictionary of Zstandard that cannot be read: {error}") from None

    def _fill(self) -> bool:
        """Decompress more; return False at the end of the file."""
        if self._fault:
            return self._damage(self._fault)
        if self._new is None:
            self._ready, self._packed = memoryview(self._packed), self._stream.read(_READ)
            return bool(self._ready)
        if self._member is None:
            if self._any and not self._magic:
                return False
            while self._magic and not (packed := self._packed.lstrip(b"\0")):  # zeros are padding
                self._packed = self._stream.read(_READ)
                if not self._packed:
                    return False
            self._packed = packed if self._magic else self._packed
            self._member, self._fresh = self._new(), True
            self._marked = self._packed.startswith(self._magic)
        if not self._packed and self._member.needs_input:
            self._packed = self._stream.read(_READ)
        ended = not self._packed and self._member.needs_input
        self._given = self._packed or self._given
        try:
            chunk = self._member.decompress(self._packed, _CHUNK)
        except _FAULTS as error:
            is_other = self._any and self._fresh and not self._marked
            return self._damage(f"damaged: {error}", TrailingError if is_other else DamageError)
        self._packed = b""
        if ended and not chunk and not self._member.eof:
            return self._damage("the file is cut short within a compressed record", CutShortError)
        self._take(chunk)
        if self._member.eof:
            self._packed, self._member = self._member.unused_data, None
        return True

    def _take(self, chunk: bytes) -> None:
        self.budget.spend(len(chunk))
        if chunk:
            self._stopped = bool(self._any and self._fresh and self._mark and chunk.startswith(self._mark))
            self._any, self._fresh = True, False
        self._ready = memoryview(chunk)

    def _damage(self, cause: str, error: type[DamageError] = DamageError) -> bool:
        """Stop the reading. Raises DamageError, now or after `proceed`."""
        self._stopped = True
        if self._mark and self._any and self._fresh:
            self._fresh, self._fault = False, cause
            return True
        self._damaged, self._fault = True, ""
        raise error(cause)

    def _skip_to_member(self) -> None:
        """Discard bytes up to what looks like the next member."""
        self._member, self._packed = None, self._given[1:] if self._magic else b""
        while (place := self._packed.find(self._magic)) < 0:
            more = self._stream.read(_READ)
            if not more:
                self._packed = b""
                return
            self._packed = self._packed[-len(self._magic) :] + more
        self._packed = self._packed[place:]
