"""Calls and answers on their way: several in one message.

Belongs here: joining and parting them. Not here: which go together (ahead.py), what answers hold
(answers.py).

The content of a large record goes by a file in memory, which costs the processor less than a connection.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from typing import Any, NamedTuple, TypeAlias

from ops.parse.source import Raw

#: A function and its arguments.
Call: TypeAlias = tuple[Callable[..., Any], tuple[object, ...]]

#: A call or an answer; a view of a message costs no copy.
MessagePart: TypeAlias = bytes | memoryview

#: Bytes behind which no further answer goes into a message. What answers take beyond is their own bound.
TOGETHER = 2**23
#: Bytes of a record from which on its content goes by itself.
_LARGE = 2**16
#: No pieces, as `joined` counts them; seconds that are done, and of how many.
_PROGRESS = struct.Struct("<III")


class PackedCall(NamedTuple):
    """A call, pickled, without the contents of large records."""

    call: MessagePart
    contents: Sequence[bytes]

    @property
    def size(self) -> int:
        """Bytes of it all."""
        return len(self.call) + sum(map(len, self.contents))


def packed(call: Call) -> PackedCall:
    """Return a call that can be sent."""
    function, arguments = call
    apart = {
        place: argument
        for place, argument in enumerate(arguments)
        if isinstance(argument, Raw) and len(argument.content) >= _LARGE
    }
    if apart:
        arguments = tuple(
            replace(apart[place], content=b"") if place in apart else argument
            for place, argument in enumerate(arguments)
        )
    lengths = {place: len(raw.content) for place, raw in apart.items()}
    pickled = ForkingPickler.dumps((function, arguments, lengths))
    return PackedCall(pickled, [raw.content for raw in apart.values()])


def send_calls(connection: Connection, shared: int, calls: Sequence[PackedCall]) -> None:
    """Send some calls together; `shared` is the file of `new_shared`, which both sides have open."""
    os.ftruncate(shared, TOGETHER)  # what a larger record took is given back
    place = 0
    for call in calls:
        for content in call.contents:
            rest = memoryview(content)
            while rest:
                written = os.pwrite(shared, rest, place)
                rest, place = rest[written:], place + written
    connection.send_bytes(joined([call.call for call in calls]))


def received_calls(connection: Connection, shared: int) -> list[Call]:
    """Return the calls that were sent together. Raises EOFError where the other side has ended."""
    calls: list[Call] = []
    start = 0
    for piece in parted(connection.recv_bytes()):
        function, arguments, lengths = ForkingPickler.loads(piece)
        filled = list(arguments)
        for place, length in lengths.items():
            filled[place] = replace(filled[place], content=os.pread(shared, length, start))
            start += length
        calls.append((function, tuple(filled)))
    return calls


def progress_message(done: int, total: int) -> bytes:
    """Return a message that tells how far a call is: it has no answer."""
    return _PROGRESS.pack(0, done, total)


def progress_of(message: bytes) -> tuple[int, int] | None:
    """Return how far a call is, where a message tells that."""
    if len(message) != _PROGRESS.size or message[:4] != bytes(4):
        return None
    _, done, total = _PROGRESS.unpack(message)
    return done, total


def new_shared() -> int:
    """Return the descriptor of a file that lies in memory alone, for contents of large records."""
    return os.memfd_create("contents")


def joined(pieces: Sequence[MessagePart]) -> bytes:
    """Return one message of some pieces."""
    return struct.pack(f"<I{len(pieces)}Q", len(pieces), *map(len, pieces)) + b"".join(pieces)


def parted(message: bytes) -> list[memoryview]:
    """Return views of the pieces of a message. Raises ValueError for one that was not joined."""
    try:
        (count,) = struct.unpack_from("<I", message)
        start = 4 + 8 * count
        lengths = struct.unpack(f"<{count}Q", message[4:start])
    except struct.error as error:
        raise ValueError(f"{len(message)} bytes: {error}") from None
    ends = [*accumulate(lengths, initial=start)]
    if ends[-1] != len(message):
        raise ValueError(f"{len(message)} bytes where {ends[-1]} are told")
    whole = memoryview(message)
    return [whole[first:last] for first, last in pairwise(ends)]
