"""Calls and answers on their way: several in one message.

Belongs here: joining and parting them. Not here: what they hold (ahead.py, answers.py).
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import TypeAlias

#: A call or an answer; a view of a message costs no copy.
Piece: TypeAlias = bytes | memoryview

#: Bytes behind which no further answer goes into a message. What answers take beyond is their own bound.
TOGETHER = 2**23


def joined(pieces: Sequence[Piece]) -> bytes:
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
