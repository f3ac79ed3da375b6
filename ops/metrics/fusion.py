"""Metrics of sentence fusion: exact match, and SARI as DiscoFuse uses it.

Belongs here: the comparison with references: which n-grams of the source were rightly kept or deleted, and
which were rightly added. Not here: means over a corpus (items.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from typing import NamedTuple, TypeAlias

LONGEST = 4

Ngram: TypeAlias = tuple[str, ...]


class Sari(NamedTuple):
    """F1 in 0..1 of what was kept, added and deleted, each a mean over 1- to 4-grams, and their mean."""

    keep: float
    add: float
    delete: float
    score: float


def sari(source: str, prediction: str, references: Sequence[str]) -> Sari:
    """Return SARI of a prediction made from `source`, against one or more references.

    This is the variant of Geva et al. (2019), section 5.2: n-grams are sets, and keep, add and delete are
    scored by F1 (Xu et al. 2016 use precision for delete). In precision and recall, 0/0 counts as 1, so that
    a prediction equal to the only reference scores 1. Tokens are lower-cased and split at white space.

    With several references, the weight of keeping an n-gram is the share of references that have it, the
    weight of deleting it is the share that lack it, and adding it is right if any reference has it.
    References that are too short for n-grams of some length are left out for that length. This is
    sari_hook.py of tensor2tensor with beta_for_deletion = 1, as LaserTagger calls it.

    Raises TypeError for a single string in place of references, and ValueError for no references.
    """
    tokens = [fusion_tokens(text) for text in (source, prediction, *listed(references))]
    by_length = [_parts(*(_ngrams(text, n) for text in tokens)) for n in range(1, LONGEST + 1)]
    keep, add, delete = (sum(values) / LONGEST for values in zip(*by_length, strict=True))
    return Sari(keep, add, delete, (keep + add + delete) / 3)


def exact_match(prediction: str, references: Sequence[str]) -> bool:
    """Return whether a prediction has the same tokens as any reference, ignoring case.

    Tokens are split at white space and lower-cased, as in LaserTagger's released code, which scores
    DiscoFuse's models. Raises TypeError for a single string in place of references, and ValueError for no
    references.
    """
    return fusion_tokens(prediction) in [fusion_tokens(reference) for reference in listed(references)]


def fusion_tokens(text: str) -> list[str]:
    """Return the tokens by which sentence fusion is scored: lower-cased, split at white space."""
    return text.lower().split()


def listed(references: Sequence[str]) -> Sequence[str]:
    """Return the references if they are a non-empty list of texts; else raise TypeError or ValueError."""
    if isinstance(references, str):
        raise TypeError("references are a list of texts, also where there is only one: [reference]")
    if not references:
        raise ValueError("there is no reference to score against")
    return references


def _parts(source: set[Ngram], prediction: set[Ngram], *references: set[Ngram]) -> tuple[float, float, float]:
    """Return the three F1 values for n-grams of one length; weights are counts out of `asked` references."""
    asked = sum(map(bool, references)) or 1
    wanted = Counter(chain.from_iterable(references))
    return (
        _f1(source & prediction, {gram: wanted[gram] for gram in source & wanted.keys()}, asked),
        _f1(prediction - source, dict.fromkeys(wanted.keys() - source, 1), 1),
        _f1(source - prediction, {gram: asked - wanted[gram] for gram in source}, asked),
    )


def _f1(selected: Collection[Ngram], relevant: Mapping[Ngram, int], most: int) -> float:
    hits = sum(relevant.get(gram, 0) for gram in selected)
    weight = sum(relevant.values())
    precision = hits / (most * len(selected)) if selected else 1.0
    recall = hits / weight if weight else 1.0
    return 2 * precision * recall / (precision + recall) if hits else float(precision == recall == 1)


def _ngrams(tokens: Sequence[str], n: int) -> set[Ngram]:
    return set(zip(*(tokens[start:] for start in range(n)), strict=False))
