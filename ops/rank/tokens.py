"""The words that rankers look at.

Belongs here: dividing a text into words. Not here: the tokens of an alignment, the words that a
budget counts.
"""

from __future__ import annotations

import re

from ops.text.stop_words import STOP_WORDS

_WORD = re.compile(r"[^\W_]+")
#: A clitic is divided at its apostrophe: "don't" leaves "don" and "t".
_STOP_WORDS = frozenset(part for word in STOP_WORDS for part in _WORD.findall(word))


def words(text: str) -> list[str]:
    """Return the runs of letters and digits of a text, lower-cased.

    Of ASCII text these are ROUGE-1.5.5's tokens without stemming: all else divides words, hyphens too.
    """
    return _WORD.findall(text.lower())


def content_words(text: str) -> list[str]:
    """Return the words of a text that are no stop words (NLTK's English list, divided in the same way)."""
    return [word for word in words(text) if word not in _STOP_WORDS]
