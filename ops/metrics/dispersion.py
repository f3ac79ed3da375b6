"""Dispersion (Wolhandler et al. 2022): how many documents a summary draws on.

Belongs here: the score, given which documents contain which statements of a summary. Not here: what a
statement is, and when a document contains it (ops/wikisum/dispersion.py).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

#: The most documents that the released code considers: its --nmax.
DOCUMENTS = 10


class Dispersion(NamedTuple):
    """How the statements of a summary are spread over documents."""

    statements: int
    """Statements that at least one document contains, 1 or more; the score ignores all others."""
    needed: int
    """How many documents together contain all of them."""
    coverage: tuple[float, ...]
    """The share of them that the best 1, 2, ... documents contain; never decreases."""
    score: float
    """The area above the coverage curve, i.e. the mean of 1 - coverage: 0 if one document contains all."""


def dispersion(held: Iterable[Collection[int]], documents: int = DOCUMENTS) -> Dispersion | None:
    """Return the dispersion, given the statements in each document; None if there are no statements.

    Wolhandler et al. (2022), "How 'Multi' is Multi-Document Summarization?", as in their released code.
    Documents are chosen greedily: next is the document with the most new statements, and ties go to the
    first. The score is their AAC, here in 0..1. If no document contains any statement, the result is None;
    their code returns 0. Raises ValueError for `documents` below 1.
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
