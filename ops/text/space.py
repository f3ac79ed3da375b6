"""White space.

Belongs here: folding it. Not here: line breaks that carry meaning (ops/parse/papers/body.py).
"""

from __future__ import annotations


def fold(text: str) -> str:
    """Return the words of `text` with one space between them and none around."""
    return " ".join(text.split())
