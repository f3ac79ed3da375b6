"""A pronoun with one candidate: their positions, the candidate's rivals, earlier pronouns, and grammar.

Belongs here: a candidate's mentions by position, and counts over all candidates; resolved pronouns; binding,
and clauses that contain the pronoun and belong to the mention. Not here: features as numbers (features.py,
feature_names.py), finding candidates (entities.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from silverloom.ops.coreference.entities import Antecedent
from silverloom.ops.coreference.mentions import Anaphor, Mention
from silverloom.ops.coreference.tokens import DocumentTokens


@dataclass(slots=True)
class Rivals:
    """All candidates, and the number that are nearer than the current one."""

    most: int
    """Mentions before the pronoun of the most frequently mentioned candidate."""
    total: int
    """Mentions of all candidates, before and after the pronoun."""
    best_fit: float
    nearer: int = 0
    subjects: int = 0
    persons: int = 0

    @classmethod
    def of(cls, candidates: Sequence[Antecedent], fits: Sequence[float]) -> Rivals:
        """Count all candidates; at first, none is nearer."""
        return cls(
            max((candidate.count for candidate in candidates), default=0),
            max(sum(candidate.count + candidate.following for candidate in candidates), 1),
            max(fits, default=0.0),
        )

    def passed(self, pair: Pair) -> None:
        """Count a candidate as nearer than the following ones."""
        if pair.only_after:
            return
        if pair.fit >= 0.4 and pair.candidate.entity.person >= 0.5:
            self.persons += 1
        if pair.fit >= 0.2:
            self.nearer += 1
            self.subjects += pair.nearest.role in SUBJECTS


@dataclass(frozen=True, slots=True)
class Pair:
    """A pronoun and a candidate, with the candidate's mentions by position."""

    tokens: DocumentTokens
    anaphor: Anaphor
    candidate: Antecedent
    fit: float
    nearest: Mention
    in_sentence: list[Mention]
    """Those before the pronoun in its sentence."""
    in_previous: list[Mention]
    """Those in the preceding sentence."""

    @classmethod
    def of(cls, tokens: DocumentTokens, anaphor: Anaphor, candidate: Antecedent, fit: float) -> Pair:
        """Sort the candidate's mentions; `fit` is how well its gender fits the pronoun's."""
        nearest = candidate.before[0] if candidate.before else candidate.after[0]
        sentence = anaphor.mention.sentence
        in_sentence = [mention for mention in candidate.before if mention.sentence == sentence]
        in_previous = [mention for mention in candidate.before if mention.sentence == sentence - 1]
        return cls(tokens, anaphor, candidate, fit, nearest, in_sentence, in_previous)

    @property
    def pronoun(self) -> Mention:
        """The pronoun as a mention, with its position and role."""
        return self.anaphor.mention

    @property
    def only_after(self) -> bool:
        """Whether every mention follows the pronoun."""
        return not self.candidate.before

    @property
    def sentences_back(self) -> int:
        """Sentences from the nearest mention to the pronoun."""
        return self.pronoun.sentence - self.nearest.sentence

    @property
    def near(self) -> list[Mention]:
        """Mentions before the pronoun in its sentence and in the preceding one."""
        return self.in_sentence + self.in_previous

    @property
    def around(self) -> list[Mention]:
        """Mentions in the pronoun's sentence, before and after it."""
        return self.in_sentence + self.candidate.after

    @property
    def subject_in_previous(self) -> bool:
        """Whether a mention is a subject in the preceding sentence."""
        return any(mention.role in SUBJECTS for mention in self.in_previous)


@dataclass(slots=True)
class Earlier:
    """A resolved pronoun: the probability of each entity, by its number."""

    anaphor: Anaphor
    probabilities: dict[int, float]


class Chain(NamedTuple):
    """The probabilities that earlier pronouns of the same gender refer to the entity: topics persist."""

    latest: float = 0.0
    latest_same_sentence: float = 0.0
    latest_one_sentence_back: float = 0.0
    latest_same_role: float = 0.0
    latest_subject: float = 0.0
    all: float = 0.0
    mean: float = 0.0
    pronouns_since: float = 0.0
    latest_same_verb: float = 0.0
    other_gender: float = 0.0
    """From the pronouns of the other gender."""


def chain(candidate: Antecedent, last: list[Earlier], opposite: list[Earlier], own: Mention) -> Chain:
    """Return the evidence from earlier pronouns of the same gender (`last`) and of the other (`opposite`)."""
    other_gender = min(meant(candidate, opposite), 2.0) / 2.0
    if not last:
        return Chain(other_gender=other_gender)
    latest, number = last[-1], candidate.entity.number
    probability = latest.probabilities.get(number, 0.0)
    distance = own.sentence - latest.anaphor.mention.sentence
    nearest = candidate.before[0].start if candidate.before else -1
    between = sum(item.anaphor.mention.start > nearest for item in last)
    total = meant(candidate, last)
    same_role = latest.anaphor.mention.role == own.role
    subject = latest.anaphor.mention.role in SUBJECTS
    return Chain(
        latest=probability,
        latest_same_sentence=probability * (distance == 0),
        latest_one_sentence_back=probability * (distance == 1),
        latest_same_role=probability * same_role,
        latest_subject=probability * subject,
        all=min(total, 3.0) / 3.0,
        mean=total / len(last),
        pronouns_since=min(between, 4) / 4.0,
        latest_same_verb=probability * (latest.anaphor.mention.verb == own.verb),
        other_gender=other_gender,
    )


def meant(candidate: Antecedent, items: list[Earlier]) -> float:
    """Return the expected number of pronouns that refer to a candidate."""
    return sum(item.probabilities.get(candidate.entity.number, 0.0) for item in items)


SUBJECTS = ("subject", "passive")
OBJECTS = ("object", "oblique")
#: Limit of steps counted in a parse.
LONGEST = 12
#: Clauses that describe the name that they depend on.
_SAID_OF_NAMES = ("relcl", "acl", "advcl", "ccomp")


def violates_binding(tokens: DocumentTokens, anaphor: Anaphor, mention: Mention) -> bool:
    """Return whether grammar forbids that a pronoun refers to a mention in its own sentence.

    An object refers to its clause's subject only if it is reflexive. A possessive does not refer to the
    phrase that contains it ("her friend Pauline"), but a pronoun in a clause about a mention may refer to it
    ("Anna, who lost her job"). The members of a coordination differ ("Anna and her").
    """
    pronoun = anaphor.mention
    if mention.sentence != pronoun.sentence:
        return False
    above = _above(tokens, anaphor, mention)
    if above >= 0 and above != pronoun.verb:
        return not relates(tokens, anaphor, mention)
    if anaphor.possessive or anaphor.pronoun.reflexive:
        return False
    if mention.verb == pronoun.verb and pronoun.verb >= 0:
        if mention.role in SUBJECTS and pronoun.role == "object":
            return True
        if pronoun.role in SUBJECTS and mention.role in ("object", *SUBJECTS):
            return True
    return tokens.heads[pronoun.head] == mention.head or tokens.heads[mention.head] == pronoun.head


def relates(tokens: DocumentTokens, anaphor: Anaphor, mention: Mention) -> bool:
    """Return whether the pronoun is in a clause about the mention: "Anna, who lost her job".

    For a noun, only a relative clause counts: "the claim that it works" is not about the claim.
    """
    top = _above(tokens, anaphor, mention)
    if top < 0:
        return False
    speaking = _SAID_OF_NAMES if mention.name else ("relcl",)
    node = anaphor.mention.head
    while node != top:
        if tokens.dependencies[node] in speaking:
            return True
        node = tokens.heads[node]
    return False


def controls(tokens: DocumentTokens, anaphor: Anaphor, mention: Mention) -> bool:
    """Return whether the pronoun is an object in a complement clause: "Ann asked Eve to help her"."""
    verb = anaphor.mention.verb
    return (
        verb >= 0
        and not anaphor.possessive
        and anaphor.mention.role in OBJECTS
        and tokens.dependencies[verb] in ("xcomp", "ccomp")
        and tokens.heads[verb] == mention.verb
        and mention.role in ("object", *SUBJECTS)
    )


def commands(anaphor: Anaphor, mention: Mention) -> int:
    """Return how many clauses above the pronoun's own has the mention as subject; -1 if none has."""
    if mention.sentence != anaphor.mention.sentence or mention.role not in SUBJECTS:
        return -1
    return anaphor.verbs.index(mention.verb) if mention.verb in anaphor.verbs else -1


def is_main(tokens: DocumentTokens, mention: Mention) -> bool:
    """Return whether a mention is the subject of its sentence's main clause."""
    return mention.role in SUBJECTS and mention.verb >= 0 and tokens.heads[mention.verb] == mention.verb


def steps(tokens: DocumentTokens, anaphor: Anaphor, mention: Mention) -> int:
    """Return the edges from a mention up to its first ancestor shared with the pronoun; at most `LONGEST`."""
    node = mention.head
    for step in range(LONGEST):
        if node in anaphor.ancestors:
            return step
        if tokens.heads[node] == node:
            break
        node = tokens.heads[node]
    return LONGEST


def _above(tokens: DocumentTokens, anaphor: Anaphor, mention: Mention) -> int:
    """Return the head of the noun phrase that contains the pronoun, if it is the mention's; else -1."""
    head = mention.head
    if head in anaphor.ancestors:
        return head
    if tokens.dependencies[head] == "appos" and tokens.heads[head] in anaphor.ancestors:
        return tokens.heads[head]
    return -1
