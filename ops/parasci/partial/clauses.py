"""Clauses of a sentence: the text between its punctuation marks.

Belongs here: where clauses begin and end. Not here: what they are compared with (extractions.py, pseudo.py).
"""

from __future__ import annotations

import re

_MARK = re.compile(r"[,;:.!?()\u2013\u2014\u2026](?=\s|\Z)|(?<=\s)[(\u2013\u2014-](?=\s|\w)")


def clauses(sentence: str) -> list[tuple[int, int]]:
    """Return the span of each clause in characters, without surrounding punctuation and white space."""
    marks = [match.span() for match in _MARK.finditer(sentence)]
    starts, ends = [0, *(end for _, end in marks)], [*(start for start, _ in marks), len(sentence)]
    spans = []
    for start, end in zip(starts, ends, strict=True):
        clause = sentence[start:end]
        if any(sign.isalnum() for sign in clause):
            spans.append(
                (start + len(clause) - len(clause.lstrip()), end - len(clause) + len(clause.rstrip()))
            )
    return spans
