"""Resolve the pronouns for women and men of a document from left to right.

Belongs here: what is known of a document before its pronouns are looked at, and the order of resolving. Not
here: features and network, "it" and "they" (neuter_pronouns.py), links (ranker.py).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from ops.coreference.candidates import Candidate, Window
from ops.coreference.chain import Earlier
from ops.coreference.entities import Entity, entities
from ops.coreference.features import features
from ops.coreference.mentions import Anaphor, Mention, anaphors, names, nouns
from ops.coreference.network import Floats, Network
from ops.coreference.tokens import Tokens

#: Pronouns before one that are remembered.
_MEMORY = 12


@dataclass(slots=True)
class Reading:
    """A document's pronouns, names and noun phrases."""

    tokens: Tokens
    anaphors: list[Anaphor]
    names: list[Mention]
    nouns: list[Mention]
    people: list[Entity]
    """Entities of the names and of the nouns for people: what "he" and "she" may mean."""

    @classmethod
    def of(cls, tokens: Tokens) -> Reading:
        """Return what a document says before any pronoun is resolved."""
        named = names(tokens)
        common = nouns(tokens, named)
        people = sorted(
            [*named, *(noun for noun in common if noun.person == 1.0)], key=lambda mention: mention.start
        )
        return cls(tokens, anaphors(tokens), named, common, entities(tokens, people))


@dataclass(frozen=True, slots=True)
class Resolved:
    """A pronoun with its C candidates, their rows (one more for "none") and C + 1 probabilities."""

    anaphor: Anaphor
    candidates: list[Candidate]
    rows: list[list[float]]
    probabilities: Floats


def resolve(reading: Reading, network: Network) -> Iterator[Resolved]:
    """Yield each pronoun for a woman or a man in order; what was found for one is read by those after it."""
    window = Window(reading.people)
    earlier: deque[Earlier] = deque(maxlen=_MEMORY)
    for anaphor in reading.anaphors:
        if anaphor.pronoun.gender not in "fm":
            continue
        candidates = window.before(anaphor)
        rows = features(reading.tokens, anaphor, candidates, list(earlier))
        probabilities = network.probabilities(rows)
        numbers = [candidate.entity.number for candidate in candidates]
        earlier.append(Earlier(anaphor, dict(zip(numbers, probabilities[:-1].tolist(), strict=True))))
        yield Resolved(anaphor, candidates, rows, probabilities)
