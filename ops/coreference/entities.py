"""The entities of a document, and those near a pronoun, found before any pronoun is resolved.

Belongs here: grouping the mentions of one name by their words, and the window of entities near a pronoun.
Not here: choosing among them (ranker.py), "it" and "they" (neuter_pronouns.py), nominals (nominals.py).
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field

from silverloom.ops.coreference.lexicon import first_names, without_titles
from silverloom.ops.coreference.mentions import Anaphor, Mention, anaphors, names, nouns
from silverloom.ops.coreference.tokens import DocumentTokens


@dataclass(slots=True)
class Reading:
    """A document's pronouns, names and noun phrases."""

    tokens: DocumentTokens
    anaphors: list[Anaphor]
    names: list[Mention]
    nouns: list[Mention]
    people: list[Entity]
    """Entities of names and of nouns for people: the possible antecedents of "he" and "she"."""

    @classmethod
    def of(cls, tokens: DocumentTokens) -> Reading:
        """Return the pronouns, names and noun phrases of a document; no pronoun is resolved yet."""
        named = names(tokens)
        common = nouns(tokens, named)
        people = sorted(
            [*named, *(noun for noun in common if noun.person == 1.0)], key=lambda mention: mention.start
        )
        return cls(tokens, anaphors(tokens), named, common, entities(tokens, people))


@dataclass(slots=True)
class Entity:
    """The mentions of one name or noun in order, and the properties of them all."""

    number: int
    mentions: list[Mention] = field(default_factory=list)
    words: tuple[str, ...] = ()
    """The words of the longest mention, without titles."""
    female: float = 0.5
    person: float = 0.5

    def add(self, mention: Mention, words: tuple[str, ...]) -> None:
        """Add a mention. Gender is that of the most certain mention, personhood the highest of all."""
        self.mentions.append(mention)
        if len(words) > len(self.words):
            self.words = words
        if abs(mention.female - 0.5) > abs(self.female - 0.5):
            self.female = mention.female
        self.person = max(self.person, mention.person) if len(self.mentions) > 1 else mention.person


def entities(tokens: DocumentTokens, mentions: list[Mention]) -> list[Entity]:
    """Return the entities of mentions, which come in order.

    A name joins the latest entity with the same words, or the latest one whose surname or first name it is,
    unless both have different first names. Each noun phrase is an entity of its own.
    """
    joined: list[Entity] = []
    exact: dict[tuple[str, ...], Entity] = {}
    surnames: dict[str, Entity] = {}
    given: dict[str, Entity] = {}
    for mention in mentions:
        if not mention.name:
            entity = Entity(len(joined))
            entity.add(mention, ())
            joined.append(entity)
            continue
        words = without_titles(tokens.words[mention.start : mention.end])
        same = exact.get(words) or _partial(words, mention, surnames, given)
        if same is None:
            same = Entity(len(joined))
            joined.append(same)
        same.add(mention, words)
        exact[words] = same
        if len(words) > 1:
            surnames[words[-1]] = same
            given[words[0]] = same
        elif words[0] not in surnames:
            surnames[words[0]] = same
    return joined


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


#: Limits before the pronoun: sentences, mentions, entities. They keep time linear in the length of a
#: document, whatever the length of its sentences.
SENTENCES, MENTIONS, ENTITIES = 6, 60, 16
#: Limit of mentions after a pronoun in its sentence: "In his youth, Smith ..."
LATER = 6
#: Limit of mentions after a pronoun in which its candidates are counted.
FOLLOWING = 24


@dataclass(slots=True)
class Antecedent:
    """An entity near a pronoun: mentions before it, latest first, and after it in the same sentence."""

    entity: Entity
    before: list[Mention]
    after: list[Mention]
    count: int
    """The entity's mentions from the document's first token to the pronoun."""
    following: int
    """The entity's mentions after the pronoun, among the next `FOLLOWING` mentions."""


class Window:
    """The mentions of a document by position."""

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

    def before(self, anaphor: Anaphor) -> list[Antecedent]:
        """Return the entities near a pronoun: those before it, latest first, then those only after it."""
        pronoun = anaphor.mention
        here = bisect_left(self._starts, pronoun.start)
        antecedents: dict[int, Antecedent] = {}
        for order, mention, entity in reversed(self._placed[max(0, here - MENTIONS) : here]):
            if pronoun.sentence - mention.sentence > SENTENCES:
                break
            if mention.end > pronoun.start:
                continue
            candidate = antecedents.get(entity.number)
            if candidate is None:
                if len(antecedents) >= ENTITIES:
                    continue
                antecedents[entity.number] = Antecedent(entity, [mention], [], order + 1, 0)
            else:
                candidate.before.append(mention)
        for _, mention, entity in self._placed[here : here + LATER]:
            if mention.sentence != pronoun.sentence:
                break
            if entity.number in antecedents:
                antecedents[entity.number].after.append(mention)
            elif len(antecedents) < ENTITIES:
                antecedents[entity.number] = Antecedent(entity, [], [mention], 0, 0)
        for _, mention, entity in self._placed[here : here + FOLLOWING]:
            if mention.sentence > pronoun.sentence + 2:
                break
            if entity.number in antecedents:
                antecedents[entity.number].following += 1
        return list(antecedents.values())
