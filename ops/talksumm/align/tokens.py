"""Which tokens of a talk and of a paper the alignment looks at.

Belongs here: tokenising, and what is filtered before the model sees a word (Lev et al. 2019, released code).
Not here: word vectors (ops/models), and cleaning of papers (ops/parse).
"""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ops.text.stop_words import STOP_WORDS

HESITATION = "%hesitation"

#: A word that the tokeniser leaves whole but for one sign after it; most are. Asking it takes 80 us a word.
_PLAIN = re.compile(r"([a-z]+)[.,?!;:]?")

#: Words of letters alone that it divides all the same (nltk.tokenize.destructive.MacIntyreContractions).
_COMPOUNDS = frozenset({"cannot", "gimme", "gonna", "gotta", "lemme", "wanna"})


def content_tokens(text: str) -> list[str]:
    """Return the tokens of a text that are neither stop words nor a single ASCII punctuation sign.

    Lower-cased Treebank tokens as NLTK's word_tokenize makes them, without its division into sentences.
    Longer punctuation ("...", "``") and clitics that are no stop word ("n't", "'s") stay, as released.
    """
    tokens: list[str] = _tokenizer().tokenize(text.lower().replace(HESITATION, " "))
    return [token for token in tokens if token not in _filtered()]


def observe(words: Sequence[str]) -> tuple[list[str], list[int]]:
    """Return the observed tokens of a talk's words and, of each, the index of its word.

    Each word is tokenised by itself, so that a full stop always comes off it. Most words give one token
    or none; a contraction can give two ("system's": "system", "'s"), which are two time steps.
    """
    known: dict[str, list[str]] = {}
    observed: list[str] = []
    origins: list[int] = []
    for index, word in enumerate(words):
        if word not in known:
            plain = _PLAIN.fullmatch(word.lower())
            if plain and plain[1] not in _COMPOUNDS:
                known[word] = [] if plain[1] in STOP_WORDS else [plain[1]]
            else:
                known[word] = content_tokens(word)
        observed += known[word]
        origins += [index] * len(known[word])
    return observed, origins


def says_anything(words: Sequence[str]) -> bool:
    """Say whether a talk's words give any observed token; most talks are known by their plain words."""
    plain = (_PLAIN.fullmatch(word.lower()) for word in words)
    known = any(found and found[1] not in _COMPOUNDS and found[1] not in STOP_WORDS for found in plain)
    return known or bool(observe(words)[0])


@lru_cache(maxsize=1)
def _filtered() -> frozenset[str]:
    return STOP_WORDS | set(string.punctuation)


@lru_cache(maxsize=1)
def _tokenizer() -> Any:
    from nltk.tokenize import NLTKWordTokenizer

    return NLTKWordTokenizer()
