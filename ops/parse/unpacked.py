"""The bytes of a WARC file, decompressed if it is gzip, within limits and past damage.

Belongs here: reading, skipping, recovering from damage. Not here: interpreting the bytes (warc.py).

Bytes are never put back, so that time is linear in the decompressed size, whatever lengths the records
declare.
"""

from __future__ import annotations

import re
import zlib
from collections import deque
from typing import IO

#: Bytes read at once, and decompressed at once. Each gzip member copies the rest of the bytes read.
_READ, _CHUNK = 2**15, 2**18
_MAGIC = b"\x1f\x8b\x08"
#: A file that decompresses to this many times its size is a bomb; web pages reach ten times.
_UNPACKED = 200
#: Minimum size that a record counts for, so that many tiny ones are a bomb, too: one per five bytes of the
#: file.
_LEAST = 1000
#: Bytes after a record in which its blank lines must end and the next record begin; or all are blank lines.
_BEHIND = 100
_BLANK_LINES = re.compile(rb"[\r\n]*")
#: The end of a head: a blank line. Some writers double its carriage returns.
_HEAD_END = re.compile(rb"\n\r{0,3}\n")
_CUT_HEAD = "the file is cut short within the head of a record"
_BEGUN = "its Content-Length is wrong: another record begins before"


class DamageError(Exception):
    """A record is damaged; reading can continue after it."""


class BombError(Exception):
    """A file may be a decompression bomb; reading stops."""


class Unpacked:
    """A byte stream decompressed on reading, with one chunk and one record in memory.

    Its records begin with `mark`. A gzip member that begins with it ends the previous record, whatever its
    declared length.
    """

    def __init__(self, stream: IO[bytes], size: int, allowance: int, mark: bytes) -> None:
        """Read a stream of `size` bytes, which may decompress to a multiple of this plus `allowance`."""
        self._stream, self._size, self._mark = stream, size, mark
        self._most = size * _UNPACKED + allowance
        self._packed = b""
        self._buffer = bytearray()
        self._member: zlib._Decompress | None = None
        self._fresh = False
        """Whether nothing of the member has been decompressed yet."""
        self._is_gzip: bool | None = None
        self._starts: deque[int] = deque()
        """Positions from `place` on where a member starts with a record."""
        self._damage: str | None = None
        self._records = self._begun = 0
        """The number of records begun, and the position of the last one."""
        self.place = 0
        """Position: the number of decompressed bytes taken."""

    @property
    def ended(self) -> bool:
        """Whether nothing is left, not even damage."""
        return not self.peek(1) and self._damage is None

    def peek(self, count: int) -> bytes:
        """Return the next bytes without taking them; fewer at the end, and before damage."""
        while len(self._buffer) < count and self._fill():
            pass
        return bytes(self._buffer[:count])

    def read(self, count: int) -> bytes:
        """Take the content of a record. Raises DamageError, and takes nothing, if it does not end there.

        The bytes in a wrong length stay in memory, and are searched for the next record.
        """
        self._check(count)
        self._look_ahead(count)
        if self._starts and self._starts[0] - self.place < count:
            raise DamageError(_BEGUN)
        if len(self._buffer) < count:
            raise DamageError(self._damage or "the file is cut short")
        self._check_end(count, count)
        return self._take(count)

    def skip(self, count: int) -> None:
        """Take the content of a record and discard it. Raises DamageError if it does not end there."""
        self._check(count)
        left = count
        while left:
            left -= self._drop_some(left)
        self._look_ahead(0)
        self._check_end(0, count)

    def first_line(self, longest: int) -> bytes:
        """Return the next line without taking it. Raises DamageError if it is too long or has no end."""
        while (end := self._buffer.find(b"\n", 0, longest)) < 0:
            if len(self._buffer) >= longest:
                raise DamageError(f"a line of its head is longer than {longest} bytes")
            if not self._fill():
                raise DamageError(self._damage or _CUT_HEAD)
        return bytes(self._buffer[: end + 1])

    def head(self, longest: int) -> bytes:
        """Take all lines up to a blank one. Raises DamageError unless it comes within `longest` bytes."""
        searched = 0
        while (found := _HEAD_END.search(self._buffer, searched, longest)) is None:
            if len(self._buffer) >= longest:
                self._drop(max(0, self._buffer.rfind(b"\n", 0, longest)) or longest)
                raise DamageError(f"its head is longer than {longest} bytes")
            searched = max(0, len(self._buffer) - 4)
            if not self._fill():
                raise DamageError(self._damage or _CUT_HEAD)
        return self._take(found.end())

    def blank_lines(self) -> None:
        """Take all line ends that come next."""
        while found := _BLANK_LINES.match(self._buffer):
            self._drop(found.end())
            if self._buffer or not self._fill():
                return

    def recover(self) -> None:
        """Go to the next recognisable record: one at the start of a line, or of the next member."""
        if self.place > self._begun and self.peek(len(self._mark)) == self._mark:
            return  # directly after the head of the damaged record
        while True:
            start = self._starts[0] - self.place if self._starts else len(self._buffer)
            if (place := self._buffer.find(b"\n" + self._mark, 0, start)) >= 0:
                self._drop(place + 1)
                return
            if self._starts:
                self._drop(start)
                return
            self._drop(max(0, len(self._buffer) - len(self._mark)))
            if not self._fill():
                self._drop(len(self._buffer))
                if self._damage is None:
                    return
                self._next_member()

    def _check(self, count: int) -> None:
        if self._is_gzip is False and count > self._size - self.place:
            raise DamageError(f"its Content-Length is wrong, or the file is cut short: {count} is too much")

    def _look_ahead(self, count: int) -> None:
        """Decompress this many bytes and enough to see whether a record ends there; stops at a new member."""
        while len(self._buffer) < count + _BEHIND and not self._starts and self._fill():
            pass

    def _check_end(self, at: int, count: int) -> None:
        """Raise DamageError unless blank lines are followed by a record or the end of the file."""
        behind = self._buffer[at : at + _BEHIND].lstrip(b"\r\n")[: len(self._mark)]
        if not self._mark.startswith(behind):
            raise DamageError(f"its Content-Length is wrong: no record starts {count} bytes after its header")

    def _drop_some(self, most: int) -> int:
        """Take available bytes of a record; return how many. Raises DamageError if the record ends early."""
        if not self._buffer and not self._fill():
            raise DamageError(self._damage or "the file is cut short")
        if self._starts:
            most = min(most, self._starts[0] - self.place)
            if not most:
                raise DamageError(_BEGUN)
        count = min(most, len(self._buffer))
        self._drop(count)
        return count

    def _take(self, count: int) -> bytes:
        with memoryview(self._buffer) as view:
            taken = bytes(view[:count])
        self._drop(len(taken))
        return taken

    def _drop(self, count: int) -> None:
        del self._buffer[:count]
        self.place += count
        while self._starts and self._starts[0] < self.place:
            self._starts.popleft()

    def begin(self) -> None:
        """Mark the start of a record here; a member that starts here is its own. Raises BombError."""
        self._records += 1
        self._begun = self.place
        if self.place + self._records * _LEAST > self._most:
            raise BombError(f"it unpacks to more than a record for {_LEAST // _UNPACKED} bytes of its size")
        while self._starts and self._starts[0] <= self.place:
            self._starts.popleft()

    def _fill(self) -> bool:
        """Decompress more; return whether there was any. Raises BombError."""
        while self._damage is None:
            ended = False
            if not self._packed:
                self._packed = self._stream.read(_READ)
                ended = not self._packed
            if self._is_gzip is None:
                self._is_gzip = self._packed.startswith(_MAGIC[:2])
            found = self._unpack() if self._is_gzip else self._packed
            if found:
                if not self._is_gzip:
                    self._packed = b""
                self._add(found)
                return True
            if ended and self._member is None:  # otherwise this block was only padding
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
        """Return the next decompressed bytes; none if there is damage."""
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
        """Discard damaged bytes up to what looks like the next member."""
        self._damage, self._member = None, None
        packed = self._packed[1:]
        while (place := packed.find(_MAGIC)) < 0:
            more = self._stream.read(_READ)
            if not more:
                self._packed = b""
                return
            packed = packed[-2:] + more
        self._packed = packed[place:]
