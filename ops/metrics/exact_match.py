"""Exact match: whether a prediction is one of its references.

Belongs here: the comparison. Not here: its mean over a corpus (items.py).
"""

from __future__ import annotations

from collections.abc import Sequence


def exact_match(prediction: str, references: Sequence[str]) -> bool:
    """Tell whether the tokens of a prediction are those of any reference, in any case.

    Tokens are what stands between white space; texts are lower-cased, as where DiscoFuse's models are scored
    by the released code of LaserTagger. Raises TypeError for a single string in place of references, and
    ValueError without any.
    """
    return fusion_tokens(prediction) in [fusion_tokens(reference) for reference in listed(references)]


def fusion_tokens(text: str) -> list[str]:
    """Return the tokens that sentence fusion is scored by: lower-cased, split at white space."""
    return text.lower().split()


def listed(references: Sequence[str]) -> Sequence[str]:
    """Return the references if they are a list of at least one text; else raises TypeError or ValueError."""
    if isinstance(references, str):
        raise TypeError("references are a list of texts, also where there is only one: [reference]")
    if not references:
        raise ValueError("there is no reference to score against")
    return references
