"""Entities: mentions of one name put together by their words.

Belongs here: which names are the same name. Not here: pronouns and nominals (features.py, nominals.py).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ops.coreference.first_names import first_names
from ops.coreference.lexicon import without_titles
from ops.coreference.mentions import Mention
from ops.coreference.tokens import Tokens


@dataclass(slots=True)
class Entity:
    """The mentions of one name or noun in order, and what they say together."""

    number: int
    mentions: list[Mention] = field(default_factory=list)
    words: tuple[str, ...] = ()
    """Of the longest mention, without titles."""
    female: float = 0.5
    person: float = 0.5

    def add(self, mention: Mention, words: tuple[str, ...]) -> None:
        """Take a mention in: the surest of the mentions tells gender and personhood."""
        self.mentions.append(mention)
        if len(words) > len(self.words):
            self.words = words
        if abs(mention.female - 0.5) > abs(self.female - 0.5):
            self.female = mention.female
        self.person = max(self.person, mention.person) if len(self.mentions) > 1 else mention.person


def entities(tokens: Tokens, mentions: list[Mention]) -> list[Entity]:
    """Return the entities of mentions that are given in order.

    A name joins the latest entity of the same words; or of which it is the surname or the first name, unless
    both have first names that differ. A noun phrase is an entity of its own.
    """
    found: list[Entity] = []
    exact: dict[tuple[str, ...], Entity] = {}
    surnames: dict[str, Entity] = {}
    given: dict[str, Entity] = {}
    for mention in mentions:
        if not mention.name:
            entity = Entity(len(found))
            entity.add(mention, ())
            found.append(entity)
            continue
        words = without_titles(tokens.words[mention.start : mention.end])
        same = exact.get(words) or _partial(words, mention, surnames, given)
        if same is None:
            same = Entity(len(found))
            found.append(same)
        same.add(mention, words)
        exact[words] = same
        if len(words) > 1:
            surnames[words[-1]] = same
            given[words[0]] = same
        elif words[0] not in surnames:
            surnames[words[0]] = same
    return found


def _partial(
    words: tuple[str, ...], mention: Mention, surnames: dict[str, Entity], given: dict[str, Entity]
) -> Entity | None:
    if len(words) == 1:
        by_surname, by_given = surnames.get(words[0]), given.get(words[0])
        if words[0].lower() in first_names() and by_given is not None:
            return by_given
        return by_surname or by_given
    namesake = surnames.get(words[-1])
    if namesake is None:
        return None
    if len(namesake.words) == 1 or set(words) <= set(namesake.words) or set(namesake.words) <= set(words):
        return namesake
    return None
