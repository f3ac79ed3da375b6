"""What fusions are scored by: exact match, and SARI as DiscoFuse uses it.

Belongs here: the comparison with references, and which n-grams of the source were rightly kept and deleted,
and which added. Not here: means over a corpus (items.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from typing import NamedTuple, TypeAlias

LONGEST = 4

Ngram: TypeAlias = tuple[str, ...]


class Sari(NamedTuple):
    """In 0..1: F1 of what was kept, added and deleted, each a mean over n-grams of 1 to 4, and their mean."""

    keep: float
    add: float
    delete: float
    score: float


def sari(source: str, prediction: str, references: Sequence[str]) -> Sari:
    """Return SARI of a prediction made from `source`, against one or more references.

    The variant of Geva et al. (2019), section 5.2: n-grams as sets; F1 for keep, add and delete (Xu et al.
    2016 take precision for delete); 0/0 is 1 in precision and recall, so that a prediction that is the
    only reference scores 1. Tokens are lower-cased and split at white space. Of several references, an n-gram
    is to be kept by the share of them that have it and deleted by the share that have not, and may be added
    where any has it; references too short for n-grams of a length are not asked about that length. This is
    sari_hook.py of tensor2tensor with beta_for_deletion = 1, as LaserTagger calls it.

    Raises TypeError for a single string in place of references, and ValueError without any.
    """
    tokens = [fusion_tokens(text) for text in (source, prediction, *listed(references))]
    by_length = [_parts(*(_ngrams(text, n) for text in tokens)) for n in range(1, LONGEST + 1)]
    keep, add, delete = (sum(values) / LONGEST for values in zip(*by_length, strict=True))
    return Sari(keep, add, delete, (keep + add + delete) / 3)


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


def _parts(source: set[Ngram], prediction: set[Ngram], *references: set[Ngram]) -> tuple[float, float, float]:
    """Return the three F1 for n-grams of one length; weights are whole numbers, of `asked` references."""
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
