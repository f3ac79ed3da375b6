"""A pronoun with one candidate, and that candidate's rivals.

Belongs here: a candidate's mentions by where they stand, and counts over all candidates. Not here: features
(features.py), finding candidates (candidates.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ops.coreference.candidates import Candidate
from ops.coreference.clauses import SUBJECTS
from ops.coreference.mentions import Anaphor, Mention
from ops.coreference.tokens import Tokens


@dataclass(slots=True)
class Rivals:
    """All candidates together, and those that are nearer than the present one."""

    most: int
    """Mentions before the pronoun of the most mentioned candidate."""
    total: int
    """Mentions of all, behind it too."""
    best_fit: float
    nearer: int = 0
    subjects: int = 0
    persons: int = 0

    @classmethod
    def of(cls, candidates: Sequence[Candidate], fits: Sequence[float]) -> Rivals:
        """Count all candidates; none is nearer yet."""
        return cls(
            max((candidate.count for candidate in candidates), default=0),
            max(sum(candidate.count + candidate.following for candidate in candidates), 1),
            max(fits, default=0.0),
        )

    def passed(self, pair: Pair) -> None:
        """Count a candidate as nearer than those that follow."""
        if pair.only_after:
            return
        if pair.fit >= 0.4 and pair.candidate.entity.person >= 0.5:
            self.persons += 1
        if pair.fit >= 0.2:
            self.nearer += 1
            self.subjects += pair.nearest.role in SUBJECTS


@dataclass(frozen=True, slots=True)
class Pair:
    """A pronoun and a candidate, with the candidate's mentions by where they stand."""

    tokens: Tokens
    anaphor: Anaphor
    candidate: Candidate
    fit: float
    nearest: Mention
    in_sentence: list[Mention]
    """Before the pronoun in its sentence."""
    in_previous: list[Mention]
    """In the sentence before that."""

    @classmethod
    def of(cls, tokens: Tokens, anaphor: Anaphor, candidate: Candidate, fit: float) -> Pair:
        """Sort the candidate's mentions; `fit` is how well its gender is the pronoun's."""
        nearest = candidate.before[0] if candidate.before else candidate.after[0]
        sentence = anaphor.mention.sentence
        in_sentence = [mention for mention in candidate.before if mention.sentence == sentence]
        in_previous = [mention for mention in candidate.before if mention.sentence == sentence - 1]
        return cls(tokens, anaphor, candidate, fit, nearest, in_sentence, in_previous)

    @property
    def pronoun(self) -> Mention:
        """The pronoun's place and role."""
        return self.anaphor.mention

    @property
    def only_after(self) -> bool:
        """Whether all mentions stand behind the pronoun."""
        return not self.candidate.before

    @property
    def sentences_back(self) -> int:
        """Sentences from the nearest mention to the pronoun."""
        return self.pronoun.sentence - self.nearest.sentence

    @property
    def near(self) -> list[Mention]:
        """Mentions before the pronoun in its sentence and in the one before."""
        return self.in_sentence + self.in_previous

    @property
    def around(self) -> list[Mention]:
        """Mentions in the pronoun's sentence, before and behind it."""
        return self.in_sentence + self.candidate.after

    @property
    def subject_in_previous(self) -> bool:
        """Whether a mention is a subject in the sentence before."""
        return any(mention.role in SUBJECTS for mention in self.in_previous)
