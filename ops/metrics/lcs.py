"""The union of longest common subsequences, sentence against sentence.

Belongs here: which tokens of a summary's sentences lie on them. Not here: the score made of it (rouge.py).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence


def union_lcs(reference: Sequence[Sequence[str]], prediction: Sequence[Sequence[str]]) -> list[str]:
    """Return the tokens of `reference` that lie on its common subsequence with any sentence of `prediction`.

    For each sentence of the reference it is the union of its longest common subsequences with every
    sentence of the prediction (Lin 2004, section 3.2): one for each, and where there are several, the one
    that ROUGE-1.5.5 traces back: from the ends, a match is taken, else the reference goes back one token
    where that loses nothing, else the prediction.

    The table of lengths is kept as the differences between neighbouring rows, one bit a token of the
    reference, all its sentences side by side in one integer (Hyyrö 2004, "Bit-parallel LCS-length
    computation revisited"): a token of the prediction costs a few operations on such integers.
    """
    places: defaultdict[str, int] = defaultdict(int)
    tokens: list[str | None] = []
    starts: list[int] = []
    bits = 0
    for sentence in reference:
        starts.append(len(tokens))
        for token in sentence:
            places[token] |= 1 << len(tokens)
            bits |= 1 << len(tokens)
            tokens.append(token)
        # A bit that is 0 in every row: it takes the carry of the sentence before it.
        tokens.append(None)
    found = 0
    for sentence in prediction:
        if not places.keys().isdisjoint(sentence):
            found |= _traced(_columns(sentence, places, bits), starts, len(tokens))
    return [token for place, token in enumerate(tokens) if token is not None and found >> place & 1]


def _columns(sentence: Sequence[str], places: dict[str, int], bits: int) -> list[tuple[int, int]]:
    """Return for each token where it matches, and where the trace stops: matches and steps of the length."""
    level = bits
    columns = []
    for token in sentence:
        matches = places.get(token, 0)
        met = level & matches
        level = (level + met | level - met) & bits
        columns.append((matches, matches | bits ^ level))
    return columns


def _traced(columns: list[tuple[int, int]], starts: Sequence[int], end: int) -> int:
    """Return the places on the traced subsequences of all sentences of the reference with one sentence."""
    columns.reverse()
    found = 0
    for start, stop in zip(starts, [*starts[1:], end], strict=True):
        below = (1 << stop - 1) - (1 << start)
        if not columns[0][1] & below:
            continue
        for matches, stops in columns:
            place = (stops & below).bit_length() - 1
            if place < 0:
                break
            if matches >> place & 1:
                found |= 1 << place
                below &= (1 << place) - 1
            else:
                below &= (2 << place) - 1
    return found
