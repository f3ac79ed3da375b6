"""The first words of ranked paragraphs: what a summariser gets to read.

Belongs here: cutting an order of paragraphs at a length, and what of the lead is in it. Not here: rankers,
sub-words (tokenizer.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from ops.outcome import Row
from ops.wikisum.rank import bigram_recalls
from ops.wikisum.ranked import order_of


def first_words(texts: Sequence[str], order: Sequence[int], words: int) -> str:
    """Return the first words of normalised texts in an order; a word is what stands between spaces."""
    found: list[str] = []
    for index in order:
        found += texts[index].split(" ")
        if len(found) >= words:
            break
    return " ".join(found[:words])


def lead_recall(unit: Row, scores: Sequence[float | None], words: int) -> float:
    """Return the share of a lead's distinct bigrams in the first words of its ranked paragraphs."""
    texts = [paragraph["text"] for paragraph in unit["paragraphs"]]
    return float(bigram_recalls(unit["lead"], [first_words(texts, order_of(scores), words)])[0])
