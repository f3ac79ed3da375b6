"""Which lines of a web page are paragraphs of text.

Belongs here: the filter of the released code (tensor2tensor, wikisum.py), by what it looks at. Not here:
dividing pages into lines (ops/parse/web).
"""

from __future__ import annotations

import re
from typing import Literal

from ops.text.word_numbers import normalised

#: Why a paragraph is dropped.
Fault = Literal["few_tokens", "no_letter", "no_sentence"]

_FEW_TOKENS = 6
_LEAST_SENTENCE, _LEAST_WORDS = 3, 3
_LETTERS = re.compile(r"[a-z]+")


def keep_paragraph(text: str) -> bool:
    """Return whether a paragraph is worth reading: it is long enough, and has letters and a sentence."""
    return paragraph_fault(normalised(text)) is None


def paragraph_fault(text: str) -> Fault | None:
    """Return why a paragraph is dropped, None if it is kept; `text` is normalised.

    `few_tokens`: fewer than 6. `no_letter`: no letter of ASCII. `no_sentence`: no sign "." that stands more
    than 3 tokens behind the one before (or the first token), with 3 tokens of letters alone in between.
    """
    found = text.split(" ") if text else []
    if len(found) < _FEW_TOKENS:
        return "few_tokens"
    if not _LETTERS.search(text):
        return "no_letter"
    last = words_since = 0
    for place, word in enumerate(found):
        if word == ".":
            if place - last > _LEAST_SENTENCE and words_since >= _LEAST_WORDS:
                return None
            last, words_since = place, 0
        elif _LETTERS.fullmatch(word):
            words_since += 1
    return "no_sentence"
