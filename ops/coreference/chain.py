"""What earlier pronouns say of a candidate.

Belongs here: pronouns that have been resolved, and numbers for the ranker. Not here: the other features
(features.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ops.coreference.candidates import Candidate
from ops.coreference.clauses import SUBJECTS
from ops.coreference.mentions import Anaphor, Mention


@dataclass(slots=True)
class Earlier:
    """A pronoun that has been resolved: how probable each entity, by its number, was found."""

    anaphor: Anaphor
    probabilities: dict[int, float]


class Chain(NamedTuple):
    """How probably earlier pronouns of the same gender mean the entity: who is spoken of stays spoken of."""

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
    """By the pronouns of the other gender."""


def chain(candidate: Candidate, last: list[Earlier], opposite: list[Earlier], own: Mention) -> Chain:
    """Return what earlier pronouns say, those of the same gender (`last`) and those of the other."""
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


def meant(candidate: Candidate, items: list[Earlier]) -> float:
    """Return how many of earlier pronouns mean a candidate, by their probabilities."""
    return sum(item.probabilities.get(candidate.entity.number, 0.0) for item in items)
