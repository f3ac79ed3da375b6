"""A token list as a sentence of its own: capital letter, full stop, no stray comma.

Belongs here: turning token lists into text. Not here: making them.
"""

from __future__ import annotations

from collections.abc import Sequence

from ops.discofuse.build.annotation import Annotation
from ops.discofuse.build.marks import CLOSING, DIVIDING, OPENING, PAIRS, QUOTES
from ops.discofuse.rules.morphology import is_common
from ops.discofuse.rules.operations import TokenList
from ops.discofuse.rules.sentence import NAMES, VERBS

_CLOSING = CLOSING | {"'"}
_STRAY = DIVIDING | {".", "...", "…"}
_STRAY_AT_END = _STRAY | {"!"}
_IN_PAIRS = QUOTES | {mark for pair in PAIRS for mark in pair}
_WORDS_OF_CONTENT = VERBS | {"NN", "NNS", "JJ", "FW", "UH"}
_TYPES_OF_NAMES = frozenset(
    {"PERSON", "NORP", "FAC", "ORG", "GPE", "LOC", "PRODUCT", "EVENT", "WORK_OF_ART", "LAW", "LANGUAGE"}
)


def sentence(
    annotation: Annotation, tokens: TokenList, starts: Sequence[int], end_given: bool = False
) -> str | None:
    """Return `tokens` as a sentence that ends in " .", None where quotes or brackets are not balanced.

    `starts` are the tokens that began a sentence of the text: inside, a common word among them is written
    small. `end_given`: the text ends as it did, with a question mark or a bracket perhaps.
    """
    words = [annotation.words[token] if isinstance(token, int) else token for token in tokens]
    for start in starts:
        if start in tokens:
            at = tokens.index(start)
            if at and not (at == 1 and words[0] in OPENING):
                words[at] = _small(annotation, start)
    while words and not end_given and (words[-1] in _STRAY_AT_END or words[-1].isspace()):
        words.pop()
    if not end_given and len(words) > 1 and words[-1] in _CLOSING and words[-2] in _STRAY:
        words[-2] = "."
    first = 0
    while first < len(words) and (words[first] in _STRAY or words[first].isspace()):
        first += 1
    del words[:first]
    if not words or not _balanced(words):
        return None
    if not end_given and not (words[-1] in _CLOSING and len(words) > 1 and words[-2] == "."):
        words.append(".")
    begin = 1 if words[0] in OPENING and len(words) > 1 else 0
    # "( func start ) is part of it" begins small in the text, too.
    small = words[begin][0].islower() and (len(words[begin]) == 1 or words[begin][1:].islower())
    if small and not (begin and tokens[0] in starts):
        words[begin] = words[begin][0].upper() + words[begin][1:]
    text = " ".join(words)
    if not text.isascii() or "\n" in text or "  " in text:
        text = " ".join(text.split())
    return text.replace(" , ,", " ,")


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
