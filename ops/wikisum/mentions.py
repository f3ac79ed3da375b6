"""How often a page mentions the subject of an article: a search gives something for any query.

Belongs here: counting the words of a title in pages. Not here: how often is enough (corpus.py).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ops.rank.tokens import content_words
from ops.text.word_numbers import number_words

#: Words within which a title's words must be, once in a page: about a sentence.
WINDOW = 30
#: What tells articles of one name apart: "Mercury (planet)".
_QUALIFIER = re.compile(r"\([^()]*\)")
#: Letters by which words of one family are known.
_BEGINNING = 5


def title_mentions(title: str, pages: Sequence[str]) -> NDArray[np.int64]:
    """Return how often each of P pages has the word of an article's title that it has most often (P).

    0 where the title's content words are nowhere all within 30 words, or where the title has none: a
    person's full name, say, is there once, and the surname again and again. Words in brackets tell articles
    of one name apart: they do not count, but one of them must begin as some word of the page does
    ("footballer", "football").
    """
    words = list(dict.fromkeys(content_words(_QUALIFIER.sub(" ", title))))
    if not words or not pages:
        return np.zeros(len(pages), np.int64)
    from ops.wikisum.kernels import most_mentions

    found = number_words(pages, known=" ".join(words))
    counts: NDArray[np.int64] = most_mentions(found.numbers, found.ends, found.distinct, WINDOW)
    if qualifiers := content_words(" ".join(_QUALIFIER.findall(title))):
        beginnings = "|".join(re.escape(word[:_BEGINNING]) for word in qualifiers)
        qualified = re.compile(rf"\b(?:{beginnings})", re.IGNORECASE)
        counts[[qualified.search(page) is None for page in pages]] = 0
    return counts
