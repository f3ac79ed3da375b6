"""Calls that are known before they are made: several are sent to the child, and answered, at once.

Belongs here: which calls go together, and answers that wait for theirs. Not here: sending and receiving
(child.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from ops.parse.bounded.messages import Call, PackedCall, packed

#: Calls, and bytes of these, that are sent at once.
_MOST, _MOST_BYTES = 32, 2**20


class Ahead:
    """Calls that will be made, in order, each known by its very arguments; another call goes by itself."""

    def __init__(self, calls: Iterable[Call] = ()) -> None:
        self._coming = {_key(call): call for call in calls}
        self._answers: dict[tuple[int, ...], tuple[Call, bytes]] = {}
        self._size = 1
        self._alone = 0

    def answer(self, call: Call) -> bytes | None:
        """Return the answer to a call where it was computed with one before."""
        found, answer = self._answers.pop(_key(call), (None, None))
        return answer if found == call else None

    def batch(self, call: Call) -> list[PackedCall]:
        """Return a call, packed, with some of those that come next: twice as many as were last answered."""
        if self._coming.get(_key(call)) != call:
            return [packed(call)]
        for key in list(self._coming):  # those before it were not made
            if key == _key(call):
                break
            del self._coming[key]
        batch: list[PackedCall] = []
        for coming in islice(self._coming.values(), 1 if self._alone else self._size):
            batch.append(packed(coming))
            if sum(call.size for call in batch) > _MOST_BYTES:
                break
        return batch

    def answered(self, call: Call, answers: Sequence[bytes]) -> None:
        """Keep the answers to the calls from `call` on."""
        if _key(call) not in self._coming:
            return
        for key, answer in zip(list(self._coming), answers, strict=False):
            self._answers[key] = (self._coming.pop(key), answer)
        self._alone = max(0, self._alone - len(answers))
        self._size = min(2 * len(answers), _MOST)

    def failed(self, calls: int) -> None:
        """Ask one by one for so many calls that together ended the child: one of them is to blame."""
        self._alone = calls


def _key(call: Call) -> tuple[int, ...]:
    return tuple(map(id, call[1]))
