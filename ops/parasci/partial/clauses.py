"""The best clause: the baseline that PDBERT is compared with.

Belongs here: clauses of a sentence, and choosing among them. Not here: embeddings (ops/models).

Dong et al. (2021), 4.1.1: "splitting the long sentence into several clauses by punctuation and selecting the
combination of clauses that have a maximum similarity with the short sentence". A combination here is a run of
neighbouring clauses: of n clauses there are n(n+1)/2, of all combinations 2^n.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ops.models.extractors.embeddings import Embed

_MARK = re.compile(r"[,;:.!?()\u2013\u2014\u2026](?=\s|\Z)|(?<=\s)[(\u2013\u2014-](?=\s|\w)")

#: Clauses of a run at most.
_LONGEST_RUN = 8


def clauses(sentence: str) -> list[tuple[int, int]]:
    """Return the characters of each clause, without the marks and white space around it."""
    marks = [match.span() for match in _MARK.finditer(sentence)]
    starts, ends = [0, *(end for _, end in marks)], [*(start for start, _ in marks), len(sentence)]
    found = []
    for start, end in zip(starts, ends, strict=True):
        clause = sentence[start:end]
        if any(sign.isalnum() for sign in clause):
            found.append(
                (start + len(clause) - len(clause.lstrip()), end - len(clause) + len(clause.rstrip()))
            )
    return found


def runs(sentence: str) -> Iterator[str]:
    """Yield every run of neighbouring clauses but the whole sentence."""
    found = clauses(sentence)
    for first, (start, _) in enumerate(found):
        for last, (_, end) in enumerate(found[first : first + _LONGEST_RUN], first):
            if last - first + 1 < len(found):
                yield sentence[start:end]


def best_clauses(pairs: Sequence[tuple[str, str]], embed: Embed) -> list[str | None]:
    """Return the run of clauses of each long sentence most like the short one; ties go to the first.

    `pairs` are (short, long), N of them; None for a sentence that is one clause.
    """
    several = [list(runs(long)) for _, long in pairs]
    texts = list(dict.fromkeys(text for (short, _), its in zip(pairs, several, strict=True) if its
                               for text in (short, *its)))  # fmt: skip
    rows: dict[str, NDArray[np.float32]] = dict(zip(texts, embed(texts), strict=True)) if texts else {}
    return [
        its[int(np.argmax(np.stack([rows[text] for text in its]).astype(np.float64) @ rows[short]))]
        if its
        else None
        for (short, _), its in zip(pairs, several, strict=True)
    ]
