"""Dispersion (Wolhandler et al. 2022): of how many documents a summary is made.

Belongs here: the score of which documents hold which statements of a summary. Not here: what a statement is,
and when a document holds it (ops/wikisum/dispersion.py).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

#: Documents up to which the released code looks: its --nmax.
DOCUMENTS = 10


class Dispersion(NamedTuple):
    """How statements of a summary are spread over documents."""

    statements: int
    """Those that some document holds, 1 or more; others count nowhere."""
    needed: int
    """Documents that hold all of these together."""
    coverage: tuple[float, ...]
    """The share of these that the best 1, 2, ... documents hold, never falling."""
    score: float
    """The area above the curve of coverage, the mean of 1 minus each value: 0 if one document holds all."""


def dispersion(held: Iterable[Collection[int]], documents: int = DOCUMENTS) -> Dispersion | None:
    """Return the dispersion of the statements that each document holds; None if nothing is held.

    Wolhandler et al. (2022), "How 'Multi' is Multi-Document Summarization?", as their released code has it:
    documents are taken greedily, that which holds the most statements that are new, the first of those that
    hold as many; the score is their AAC, here in 0..1. A summary of which no document holds anything has
    none here; there it is 0. Raises ValueError for `documents` below 1.
    """
    if documents < 1:
        raise ValueError(f"{documents} documents: look at 1 at least")
    left = [frozenset(statements) for statements in held]
    total = len(frozenset[int]().union(*left))
    if not total:
        return None
    covered, counts = frozenset[int](), list[int]()
    while len(covered) < total:
        best = max(left, key=lambda statements: len(statements - covered))
        covered |= best
        counts.append(len(covered))
    curve = [count / total for count in counts[:documents]]
    curve += [1.0] * (documents - len(curve))
    return Dispersion(total, len(counts), tuple(curve), 1 - sum(curve) / documents)
