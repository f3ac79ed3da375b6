"""Bytes of a file that may be packed by gzip, in one member or many, within bounds and past damage.

Belongs here: reading, skipping, going on behind damage. Not here: what the bytes are (records.py).
"""

from __future__ import annotations

import zlib
from collections import deque
from typing import IO

_CHUNK = 2**18
_MAGIC = b"\x1f\x8b\x08"
#: A file that unpacks to so many times its size is a bomb; the packed web, to ten times.
_UNPACKED = 200


class DamageError(Exception):
    """What is wrong with a record; reading can go on behind it."""


class BombError(Exception):
    """Why a file is not read any further."""


class Unpacked:
    """A stream of bytes that are unpacked as they are read: a chunk and a record are in memory.

    Its records begin with `mark`. A member that begins so ends the record before it, whatever its length was
    said to be.
    """

    def __init__(self, stream: IO[bytes], size: int, allowance: int, mark: bytes) -> None:
        """Read a stream of `size` bytes, which may unpack to a multiple of these and `allowance`."""
        self._stream, self._size, self._mark = stream, size, mark
        self._most = size * _UNPACKED + allowance
        self._packed = b""
        self._buffer = bytearray()
        self._member: zlib._Decompress | None = None
        self._fresh = False
        """Whether nothing was unpacked yet of the member."""
        self._is_gzip: bool | None = None
        self._starts: deque[int] = deque()
        """Where members begin that begin with a record, ahead of `place`."""
        self._damage: str | None = None
        self.place = 0
        """How many unpacked bytes were taken."""

    @property
    def ended(self) -> bool:
        """Whether nothing is left, not even damage."""
        return not self.peek(1) and self._damage is None

    def peek(self, count: int) -> bytes:
        """Return the next bytes, which stay; fewer at the end, and before damage."""
        while len(self._buffer) < count and self._fill():
            pass
        return bytes(self._buffer[:count])

    def read(self, count: int) -> bytes:
        """Take so many bytes. Raises DamageError where fewer are there, and then takes none."""
        pieces = bytearray()
        try:
            self._check(count)
            while len(pieces) < count:
                pieces += self._some(count - len(pieces))
        except DamageError:
            self.unread(bytes(pieces))
            raise
        return bytes(pieces)

    def skip(self, count: int) -> None:
        """Take so many bytes and keep none. Raises DamageError where fewer are there."""
        self._check(count)
        while count:
            count -= len(self._some(count))

    def unread(self, taken: bytes) -> None:
        """Put back what was taken last."""
        self._buffer[:0] = taken
        self.place -= len(taken)

    def line(self, longest: int) -> bytes:
        """Take a line, its end included. Raises DamageError for one that is longer, or has no end."""
        while (end := self._buffer.find(b"\n", 0, longest)) < 0:
            if len(self._buffer) >= longest:
                raise DamageError(f"a line of its head is longer than {longest} bytes")
            if not self._fill():
                raise DamageError(self._damage or "the file is cut short within the head of a record")
        return self._take(end + 1)

    def blank_lines(self) -> None:
        """Take the ends of lines that are next."""
        while self.peek(1) in (b"\r", b"\n"):
            self._take(1)

    def recover(self) -> None:
        """Go on at the next record that can be told: at a line of its own, or in the next member."""
        self._take(min(1, len(self._buffer)))
        while True:
            if self._starts:
                self._take(self._starts[0] - self.place)
                return
            if (place := self._buffer.find(b"\n" + self._mark)) >= 0:
                self._take(place + 1)
                return
            self._take(max(0, len(self._buffer) - len(self._mark)))
            if not self._fill():
                self._take(len(self._buffer))
                if self._damage is None:
                    return
                self._next_member()

    def _check(self, count: int) -> None:
        if self._is_gzip is False and count > self._size - self.place:
            raise DamageError(f"its Content-Length is wrong, or the file is cut short: {count} is too much")

    def _some(self, most: int) -> bytes:
        """Take bytes of a record: as many as are there. Raises DamageError where it ends before."""
        if not self._buffer and not self._fill():
            raise DamageError(self._damage or "the file is cut short")
        if self._starts:
            most = min(most, self._starts[0] - self.place)
            if not most:
                raise DamageError("its Content-Length is wrong: another record begins before")
        return self._take(most)

    def _take(self, count: int) -> bytes:
        taken = bytes(self._buffer[:count])
        del self._buffer[:count]
        self.place += len(taken)
        while self._starts and self._starts[0] < self.place:
            self._starts.popleft()
        return taken

    def begin(self) -> None:
        """Say that a record begins here: the member that begins so is its own."""
        while self._starts and self._starts[0] <= self.place:
            self._starts.popleft()

    def _fill(self) -> bool:
        """Unpack some more; tell whether there was any. Raises BombError."""
        while self._damage is None:
            if not self._packed:
                self._packed = self._stream.read(_CHUNK)
            if self._is_gzip is None:
                self._is_gzip = self._packed.startswith(_MAGIC[:2])
            found = self._unpack() if self._is_gzip else self._packed
            if found:
                if not self._is_gzip:
                    self._packed = b""
                self._add(found)
                return True
            if not self._packed and self._member is None:
                return False
        return False

    def _add(self, found: bytes) -> None:
        end = self.place + len(self._buffer)
        if self._fresh and found.startswith(self._mark):
            self._starts.append(end)
        self._fresh = False
        self._buffer += found
        if end + len(found) > self._most:
            raise BombError(f"it unpacks to more than {_UNPACKED} times its size")

    def _unpack(self) -> bytes:
        """Return what comes next of the packed bytes; nothing, too, where there is damage."""
        if self._member is None:
            self._packed = self._packed.lstrip(b"\0")
            if not self._packed:
                return b""
            self._member, self._fresh = zlib.decompressobj(31), True
        ended = not self._packed
        try:
            found = self._member.decompress(self._packed, _CHUNK)
        except zlib.error as error:
            self._damage = f"damaged: {error}"
            return b""
        if self._member.eof:
            self._packed, self._member = self._member.unused_data, None
        else:
            self._packed = self._member.unconsumed_tail
            if ended and not found:
                self._damage = "the file is cut short within a packed record"
        return found

    def _next_member(self) -> None:
        """Drop what is damaged, up to what looks like the next member."""
        self._damage, self._member = None, None
        packed = self._packed[1:]
        while (place := packed.find(_MAGIC)) < 0:
            more = self._stream.read(_CHUNK)
            if not more:
                self._packed = b""
                return
            packed = packed[-2:] + more
        self._packed = packed[place:]
