"""How similar pages are to the title of an article, because a local index returns something for any query.

Belongs here: which words of a page are read, and the similarity. Not here: the encoder (ops/models), the
threshold (corpus.py).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ops.models.encoder import Embed

#: Words of each passage: what the encoder reads of a page. Longer or more passages tell little better
#: (docs/reports/wikisum-real-articles.md).
WORDS = 80


def topic_similarities(titles: Sequence[str], texts: Sequence[str], embed: Embed) -> NDArray[np.float64]:
    """Return the similarity of N titles with the texts of N pages, from 0 to 1, to four decimals (N).

    It is the mean cosine of the title with the first and the last 80 words of the text; 0 where it is
    negative. Each title and passage is embedded once, however often it occurs.
    """
    passages = [_passages(text) for text in texts]
    distinct = list(dict.fromkeys([*titles, *(passage for pair in passages for passage in pair)]))
    if not distinct:
        return np.zeros(0)
    embeddings = embed(distinct)
    place = {text: number for number, text in enumerate(distinct)}
    similarities = [
        np.mean([embeddings[place[passage]] @ embeddings[place[title]] for passage in pair])
        for title, pair in zip(titles, passages, strict=True)
    ]
    return np.maximum(np.array(similarities, np.float64), 0).round(4)


def _passages(text: str) -> list[str]:
    """Return the first and the last words of a text; a short text is one passage."""
    words = text.split()
    if len(words) <= WORDS:
        return [" ".join(words)]
    return [" ".join(words[:WORDS]), " ".join(words[-WORDS:])]
