"""Plain-text transcripts: words without times.

Belongs here: the .txt format. Not here: what a word is (talk.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from ops.talksumm.sources.talks import talk
from ops.talksumm.sources.talks.talk import Word


def read(text: str) -> Sequence[Word]:
    """Return the words between white space; `text[word.offset:]` begins with each."""
    return [Word(*piece) for piece in talk.words(text, talk.first_character(text))]
