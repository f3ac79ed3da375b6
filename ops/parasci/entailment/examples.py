"""What a model of entailment learns from: pairs, and edits of their sentences.

Belongs here: the examples that are made of a pair. Not here: the edits (edits.py), which pairs these are
(entailment.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ops.parasci.entailment.edits import CLAUSES, SENSE, Choices, edited

#: Of two edits one changes the sense; the other one leaves a clause out, or adds one.
_SHARE_OF_SENSE = 0.5


class Entailed(NamedTuple):
    """Two texts, how they were made, and whether each says all that the other one says."""

    kind: str
    first: str
    second: str
    forward: bool
    backward: bool

    def swapped(self) -> Entailed:
        """Return the same with both texts in the other order."""
        return Entailed(self.kind, self.second, self.first, self.backward, self.forward)


def of_pair(name: str, pair: tuple[str, str], other: str, seed: int = 0) -> Iterator[Entailed]:
    """Yield examples of two sentences that say the same, drawn by seed and name.

    The pair itself; one sentence and an edit of the other one; a sentence and an edit of itself. `other` is a
    sentence that says something else.
    """
    draw = Choices(seed, name)
    first, second = pair if draw.place("order") < 0.5 else pair[::-1]
    yield Entailed("pair", first, second, True, True)
    for base, sentence in (("pair", second), ("same", first)):
        its = Choices(seed, name, base)
        kinds = SENSE if its.place("sense") < _SHARE_OF_SENSE else CLAUSES
        edit = edited(sentence, other, its, kinds) or edited(sentence, other, its, (*SENSE, *CLAUSES))
        if edit is not None:
            found = Entailed(f"{base}: {edit.kind}", first, edit.text, edit.forward, edit.backward)
            yield found if its.place("side") < 0.5 else found.swapped()


def of_unlike(pair: tuple[str, str]) -> Entailed:
    """Return the example of two sentences on one matter of which neither says what the other one says."""
    return Entailed("unlike", *pair, False, False)
