"""A token list as a sentence of its own: capital letter, full stop, no stray comma.

Belongs here: turning token lists into text. Not here: making them, blanks of running text (blanks.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ops.discofuse.build.annotation import Annotation
from ops.discofuse.build.marks import CLOSING, DIVIDING, OPENING, PAIRS, QUOTES
from ops.discofuse.rules.blanks import joined
from ops.discofuse.rules.morphology import is_common
from ops.discofuse.rules.operations import Token, TokenList
from ops.discofuse.rules.sentence import NAMES, VERBS

_CLOSING = CLOSING | {"'"}
_STRAY = DIVIDING | {".", "...", "…"}
_STRAY_AT_END = _STRAY | {"!"}
_IN_PAIRS = QUOTES | {mark for pair in PAIRS for mark in pair}
_WORDS_OF_CONTENT = VERBS | {"NN", "NNS", "JJ", "FW", "UH"}
_TYPES_OF_NAMES = frozenset(
    {"PERSON", "NORP", "FAC", "ORG", "GPE", "LOC", "PRODUCT", "EVENT", "WORK_OF_ART", "LAW", "LANGUAGE"}
)


class Written(NamedTuple):
    """A sentence in two forms: the same but for blanks."""

    tokenised: str
    """A blank between two tokens."""
    running: str
    """Blanks where the document has them."""


def sentence(
    annotation: Annotation, tokens: TokenList, starts: Sequence[int], end: int, end_given: bool = False
) -> Written | None:
    """Return `tokens` as a sentence with a full stop, None where quotes or brackets are not balanced.

    `starts` are the tokens that began a sentence of the text: inside, a common word among them is written
    small. The text ends before `end`. `end_given`: so do the tokens, with a question mark or a bracket
    perhaps.
    """
    words = [annotation.words[token] if isinstance(token, int) else token for token in tokens]
    places = list(tokens)
    for start in starts:
        if start in tokens:
            at = tokens.index(start)
            if at and not (at == 1 and words[0] in OPENING):
                words[at] = _small(annotation, start)
    while words and not end_given and (words[-1] in _STRAY_AT_END or words[-1].isspace()):
        words.pop()
        places.pop()
    if not end_given and len(words) > 1 and words[-1] in _CLOSING and words[-2] in _STRAY:
        words[-2] = "."
    first = 0
    while first < len(words) and (words[first] in _STRAY or words[first].isspace()):
        first += 1
    del words[:first], places[:first]
    if not words or not _balanced(words):
        return None
    if not end_given and not (words[-1] in _CLOSING and len(words) > 1 and words[-2] == "."):
        words.append(".")
        places.append(".")
    begin = 1 if words[0] in OPENING and len(words) > 1 else 0
    # "( func start ) is part of it" begins small in the text, too.
    small = words[begin][0].islower() and (len(words[begin]) == 1 or words[begin][1:].islower())
    if small and not (begin and tokens[0] in starts):
        words[begin] = words[begin][0].upper() + words[begin][1:]
    text = " ".join(words)
    if not text.isascii() or "\n" in text or "  " in text:
        text = " ".join(text.split())
    if " , ," in text:
        text = text.replace(" , ,", " ,")
        words, places = _single_commas(words, places)
    return Written(text, joined(annotation, words, places, end))


def _single_commas(words: Sequence[str], places: Sequence[Token]) -> tuple[list[str], TokenList]:
    """Return words and their places without the second of two commas side by side."""
    kept: list[tuple[str, Token]] = []
    left_out = False
    for word, place in zip(words, places, strict=True):
        if word.isspace():
            continue
        left_out = word == "," and bool(kept) and kept[-1][0] == "," and not left_out
        if not left_out:
            kept.append((word, place))
    return [word for word, _ in kept], [place for _, place in kept]


def _small(annotation: Annotation, token: int) -> str:
    word = annotation.words[token]
    if word == "I" or (not word[1:].islower() and len(word) > 1):
        return word
    if annotation.tags[token] in NAMES:
        return word
    if annotation.entities[token] in _TYPES_OF_NAMES and annotation.tags[token] not in ("DT", "PRP$"):
        return word
    if annotation.tags[token] in _WORDS_OF_CONTENT and not is_common(word.lower()):
        return word
    return word.lower()


def _balanced(words: Sequence[str]) -> bool:
    if _IN_PAIRS.isdisjoint(words):
        return True
    if words.count('"') % 2:
        return False
    opened, closed = words.count("``"), words.count("''")
    if opened != closed and (opened or closed % 2):
        return False
    return all(words.count(first) == words.count(second) for first, second in PAIRS)
