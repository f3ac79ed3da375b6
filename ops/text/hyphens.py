"""Words that were cut in two at the end of a line.

Belongs here: deciding whether the hyphen before a line break is part of the word, from the document's
own words. Not here: finding lines, folding white space.
"""

from __future__ import annotations

import re
from collections.abc import Set

#: A hyphen (also the soft and the typographic one) that stands right behind a letter and before a break.
_BREAK = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010][ \t]*+[\r\n\f]\s*+(?=\w)")
#: The same where a converter has turned the line break into a space ("ap- plications").
_BREAK_OR_SPACE = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010]\s++(?=\w)")
_WORD = re.compile(r"[^\W\d_]+(?:[-\u2010][^\W\d_]+)*")
# No part of a word, said by lookaheads: Python before 3.11.5 errs in a possessive group.
_WHOLE_WORD = re.compile(rf"(?<![\w\-\u2010]){_WORD.pattern}(?![^\W\d]|[-\u2010][^\W\d_])")
_BEFORE = re.compile(r"[^\W\d_]+(?:[-\u2010][^\W\d_]+)*\Z")
_LONGEST = 80

_SHORTEST_PART = 4
#: Endings that damaged documents have as words of their own; they begin no part of a compound.
_SUFFIXES = frozenset(
    {
        "able", "ally", "ance", "ence", "ible", "ings", "ment", "ments", "ness", "sion", "sions", "tion",
        "tions",
    }
)  # fmt: skip

#: After these the hyphen is a suspended one: "pre- and post-editing".
_SUSPENDED = frozenset({"and", "or", "und", "nor"})
#: Second halves that make a compound of any first half.
_COMPOUND_TAILS = frozenset({"aware", "based", "driven", "level", "oriented", "specific"})
_COMPOUND_HEADS = frozenset({"self"})


def words_of(text: str) -> frozenset[str]:
    """Return the words of a document, lower-cased; "state-of-the-art" is one word.

    What stands at a hyphen before a break is a half of a word, and is not among them.
    """
    marked = _BREAK_OR_SPACE.sub("_", text)
    return frozenset(word.lower().replace("\u2010", "-") for word in _WHOLE_WORD.findall(marked))


def join_lines(text: str, known: Set[str], spaces: bool = False) -> str:
    """Return `text` with the words joined that a hyphen and a line break cut in two.

    The released code of TalkSumm looks joined words up in GloVe's vocabulary; here the document itself
    decides (`known`, from `words_of`): the hyphen stays where the hyphenated form occurs elsewhere and
    goes where the joined form does. Of forms that occur nowhere, the hyphen stays in a compound of three
    or more parts ("state-of-/the-art"), between two words of the document ("user-/agent"), before a
    capital or a digit, behind an acronym and beside a few typical compound parts ("word-/level");
    otherwise it goes. Before "and" and "or" it is a suspended hyphen and a space is kept. Soft hyphens
    always go. `spaces`: a space behind a hyphen is a break too.
    """
    pieces: list[str] = []
    done = 0
    for found in (_BREAK_OR_SPACE if spaces else _BREAK).finditer(text):
        # Reaching back into what was joined already makes a word over three lines one word.
        pieces.append(text[done : found.start()])
        done = found.end()
        before = "".join(pieces[-3:])[-_LONGEST:]
        pieces.append(_between(before, found.group(), _after(text, done), known, spaces))
    pieces.append(text[done:])
    return "".join(pieces)


def _after(text: str, start: int) -> str:
    found = _WORD.match(text, start, start + _LONGEST)
    return found.group() if found else ""


def _between(text_before: str, sign: str, after: str, known: Set[str], spaces: bool) -> str:
    """Return what stands between two halves: nothing, a hyphen, or a hyphen and a space."""
    if sign[0] == "\u00ad":
        return ""
    found = _BEFORE.search(text_before)
    before = found.group() if found else ""
    hyphenated = f"{before}-{after}".lower()
    joined = f"{before}{after}".lower()
    if after.lower() in _SUSPENDED and joined not in known:
        return "- "
    if hyphenated in known:
        return "-"
    if joined in known:
        return ""
    if spaces and not after[:1].islower():
        return sign[0] + " "
    last, first = before.rpartition("-")[2], after.partition("-")[0]
    stays = (
        "-" in before
        or _are_words(last.lower(), first.lower(), known)
        or not after[:1].islower()
        or "-" in after
        or (len(last) > 1 and last.isupper())
        or first in _COMPOUND_TAILS
        or last.lower() in _COMPOUND_HEADS
    )
    return "-" if stays else ""


def _are_words(last: str, first: str, known: Set[str]) -> bool:
    return min(len(last), len(first)) >= _SHORTEST_PART and first not in _SUFFIXES and {last, first} <= known
