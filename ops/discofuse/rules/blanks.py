"""Tokens of a document as running text, with blanks where the document has them.

Belongs here: whether a blank stands between two tokens, neighbours or not. Not here: which tokens make a
sentence (writing.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from ops.discofuse.build.annotation import Annotation
from ops.discofuse.build.marks import CLOSING, DIVIDING, OPENING
from ops.discofuse.rules.operations import Token

#: It opens as well as it closes: only the blanks around it tell.
_EITHER = frozenset({'"'})
#: They join two words where no blank stands behind them: "ex-king".
_JOINING = frozenset({"-", "--", "–", "—", "/"})
_FINAL = frozenset({".", "!", "?", "..."})
_OPENING = OPENING - _EITHER
_BLANK_BEHIND = (CLOSING - _EITHER) | (DIVIDING - _JOINING) | _FINAL
_CLITICS = frozenset({"n't", "n’t"})
#: What rules write without a blank before it.
_POSSESSIVES = frozenset({"'s", "'"})


def running(annotation: Annotation, start: int, end: int) -> str:
    """Return the tokens from `start` to before `end` as they stand in the document, in one line."""
    pairs = zip(annotation.words[start:end], annotation.spaces[start:end], strict=True)
    return _in_one_line("".join(word + " " * space for word, space in pairs))


def joined(annotation: Annotation, words: Sequence[str], tokens: Sequence[Token], end: int) -> str:
    """Return words as running text in one line; `tokens` tell where each stands in the document, if it does.

    Two words that are neighbours there have between them what they have there. Where a rule put two side by
    side, a blank stands between them unless one is a mark or a clitic that has none in the document. A full
    stop that a rule wrote stands like the mark before `end`, which ends the sentence in the document.
    """
    written: list[str] = []
    for at, word in enumerate(words):
        if at and _is_blank(annotation, tokens[at - 1], tokens[at], end):
            written.append(" ")
        written.append(word)
    return _in_one_line("".join(written))


def _is_blank(annotation: Annotation, left: Token, right: Token, end: int) -> bool:
    if isinstance(left, int):
        if right == left + 1:
            return bool(annotation.spaces[left])
        if _opens(annotation, left):
            return False
    if isinstance(right, int):
        return not _is_attached(annotation, right)
    return _ends_spaced(annotation, end) if right in _FINAL else right not in _POSSESSIVES


def _opens(annotation: Annotation, token: int) -> bool:
    """Tell whether a mark has no blank behind it: "(", an opening quote, "$", the hyphen of "ex-king"."""
    word = annotation.words[token]
    if annotation.spaces[token] or word[0].isalnum() or word in _BLANK_BEHIND:
        return False
    return word in _JOINING or not _is_attached(annotation, token)


def _is_attached(annotation: Annotation, token: int) -> bool:
    """Tell whether a mark or a clitic has no blank before it: a comma, ")", a closing quote, "'s"."""
    word = annotation.words[token]
    if token == 0 or annotation.spaces[token - 1] or annotation.words[token - 1].isspace():
        return False
    if word in _EITHER and annotation.words[token - 1] in _OPENING:
        return False
    return word in _CLITICS or not (word[0].isalnum() or word in _OPENING)


def _ends_spaced(annotation: Annotation, end: int) -> bool:
    """Tell whether a blank stands before the mark that ends a sentence, perhaps within quotes or brackets."""
    for at in range(end - 1, max(end - 3, 0), -1):
        if annotation.words[at] in _FINAL:
            return bool(annotation.spaces[at - 1])
    return False


def _in_one_line(text: str) -> str:
    return " ".join(text.split())
