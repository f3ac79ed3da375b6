"""Training examples of an entailment model: pairs, and edits of their sentences.

Belongs here: the examples made from a pair. Not here: the edits (edits.py), which pairs are used
(entailment.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ops.parasci.entailment.edits import CLAUSES, SENSE, Choices, edited

#: Half of the edits change the meaning; the other half drop or add a clause.
_SHARE_OF_SENSE = 0.5


class Entailed(NamedTuple):
    """Two texts, how they were made, and whether each says all that the other says."""

    kind: str
    first: str
    second: str
    forward: bool
    backward: bool

    def swapped(self) -> Entailed:
        """Return the example with the two texts swapped."""
        return Entailed(self.kind, self.second, self.first, self.backward, self.forward)


def of_pair(name: str, pair: tuple[str, str], other: str, seed: int = 0) -> Iterator[Entailed]:
    """Yield the examples of two equivalent sentences, drawn by seed and name.

    They are the pair itself, one sentence with an edit of the other, and a sentence with an edit of itself.
    `other` is a sentence with another meaning.
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


def of_mined(pair: tuple[str, str]) -> Entailed:
    """Return the example of two related sentences, neither of which entails the other."""
    return Entailed("mined", *pair, False, False)
