"""Orders that do not look at the words, and the order that scores give.

Belongs here: lead, random, best first. Not here: rankers that read (the other modules).
"""

from __future__ import annotations

from collections.abc import Sequence

from ops.core.sampling import drawn


def best_first(scores: Sequence[float]) -> list[int]:
    """Return the indices by falling score, ties to the lowest index. Raises ValueError for a NaN."""
    if any(score != score for score in scores):
        raise ValueError(
            f"the score of unit {next(i for i, s in enumerate(scores) if s != s)} is not a number"
        )
    return sorted(range(len(scores)), key=lambda index: -scores[index])


def lead(units: int) -> list[int]:
    """Return the order of the document itself: Lead over sentences, identity over paragraphs."""
    return list(range(units))


def shuffled(units: int, seed: int, document: str) -> list[int]:
    """Return a random order, drawn by seed and document id alone: the same whatever else is in a corpus."""
    return sorted(range(units), key=lambda index: drawn(seed, document, index))
