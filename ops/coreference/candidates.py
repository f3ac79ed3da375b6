"""Which entities a pronoun may mean: those that are near it.

Belongs here: the window. Not here: which of them it means (network.py).
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from ops.coreference.entities import Entity
from ops.coreference.mentions import Anaphor, Mention

#: Sentences before the pronoun's that are looked at, mentions in all, entities in all: so time is linear in
#: the length of a document, and that of a sentence does not matter.
SENTENCES, MENTIONS, ENTITIES = 6, 60, 16
#: Mentions after a pronoun in its sentence: "In his youth, Smith ..."
LATER = 6
#: Mentions after a pronoun among which its candidates are counted.
FOLLOWING = 24


@dataclass(slots=True)
class Candidate:
    """An entity near a pronoun: its mentions before it, latest first, and those after it in its sentence."""

    entity: Entity
    before: list[Mention]
    after: list[Mention]
    count: int
    """Mentions of the entity from the document's first token to the pronoun."""
    following: int
    """Mentions after the pronoun, at most `FOLLOWING`."""


class Window:
    """The mentions of a document by place."""

    def __init__(self, entities: list[Entity]) -> None:
        placed = sorted(
            (
                (mention.start, order, mention, entity)
                for entity in entities
                for order, mention in enumerate(entity.mentions)
            ),
            key=lambda item: item[:2],
        )
        self._starts = [start for start, _, _, _ in placed]
        self._placed: list[tuple[int, Mention, Entity]] = [item[1:] for item in placed]

    def before(self, anaphor: Anaphor) -> list[Candidate]:
        """Return the entities near a pronoun, the latest mentioned first; then those that come later."""
        pronoun = anaphor.mention
        here = bisect_left(self._starts, pronoun.start)
        found: dict[int, Candidate] = {}
        for order, mention, entity in reversed(self._placed[max(0, here - MENTIONS) : here]):
            if pronoun.sentence - mention.sentence > SENTENCES:
                break
            if mention.end > pronoun.start:
                continue
            candidate = found.get(entity.number)
            if candidate is None:
                if len(found) >= ENTITIES:
                    continue
                found[entity.number] = Candidate(entity, [mention], [], order + 1, 0)
            else:
                candidate.before.append(mention)
        for _, mention, entity in self._placed[here : here + LATER]:
            if mention.sentence != pronoun.sentence:
                break
            if entity.number in found:
                found[entity.number].after.append(mention)
            elif len(found) < ENTITIES:
                found[entity.number] = Candidate(entity, [], [mention], 0, 0)
        for _, mention, entity in self._placed[here : here + FOLLOWING]:
            if mention.sentence > pronoun.sentence + 2:
                break
            if entity.number in found:
                found[entity.number].following += 1
        return list(found.values())
