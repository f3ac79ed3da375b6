"""What earlier pronouns say of a candidate.

Belongs here: pronouns that have been resolved, and numbers for the ranker. Not here: the other features
(features.py).
"""

from __future__ import annotations

from dataclasses import dataclass

from ops.coreference.candidates import Candidate
from ops.coreference.clauses import SUBJECTS
from ops.coreference.mentions import Anaphor, Mention


@dataclass(slots=True)
class Earlier:
    """A pronoun that has been resolved: how probable each entity, by its number, was found."""

    anaphor: Anaphor
    probabilities: dict[int, float]


def chain(candidate: Candidate, last: list[Earlier], own: Mention) -> list[float]:
    """Return what earlier pronouns of the same gender say: of whom one speaks, one goes on to speak."""
    if not last:
        return [0.0] * 9
    latest, number = last[-1], candidate.entity.number
    probability = latest.probabilities.get(number, 0.0)
    distance = own.sentence - latest.anaphor.mention.sentence
    nearest = candidate.before[0].start if candidate.before else -1
    between = sum(item.anaphor.mention.start > nearest for item in last)
    total = meant(candidate, last)
    same_role = latest.anaphor.mention.role == own.role
    subject = latest.anaphor.mention.role in SUBJECTS
    return [
        probability,
        probability * (distance == 0),
        probability * (distance == 1),
        probability * same_role,
        probability * subject,
        min(total, 3.0) / 3.0,
        total / len(last),
        min(between, 4) / 4.0,
        probability * (latest.anaphor.mention.verb == own.verb),
    ]


def meant(candidate: Candidate, items: list[Earlier]) -> float:
    """Return how many of earlier pronouns mean a candidate, by their probabilities."""
    return sum(item.probabilities.get(candidate.entity.number, 0.0) for item in items)
