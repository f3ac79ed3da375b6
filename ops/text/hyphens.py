"""Joins words that were hyphenated at the end of a line.

Belongs here: deciding whether the hyphen before a line break is part of the word, based on the other words of
the document. Not here: finding lines, collapsing white space.
"""

from __future__ import annotations

import re
from collections.abc import Set

#: A hyphen (ASCII, soft or typographic) between a letter and a line break.
_BREAK = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010][ \t]*+[\r\n\f]\s*+(?=\w)")
#: The same if a converter has turned the line break into a space ("ap- plications").
_BREAK_OR_SPACE = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010]\s++(?=\w)")
#: A hyphen between a digit or bracket and a line break: "F1-/score", "1990-/95", but not "5-/and 10-fold".
_AFTER_NUMBER = re.compile(
    r"(?<=[\d)\]])(?P<sign>[-\u2010\u2013])[ \t]*+[\r\n\f]\s*+(?=\w)(?!(?:and|or|und|nor)\b)"
)
_WORD = re.compile(r"[^\W\d_]+(?:[-\u2010][^\W\d_]+)*")
# Lookarounds instead of a possessive group: Python before 3.11.5 handles those incorrectly.
_WHOLE_WORD = re.compile(rf"(?<![\w\-\u2010]){_WORD.pattern}(?![^\W\d]|[-\u2010][^\W\d_])")
_BEFORE = re.compile(r"[^\W\d_]+(?:[-\u2010][^\W\d_]+)*\Z")
_LONGEST = 80

_SHORTEST_PART = 4
#: Endings that damaged documents contain as separate words. They never start a part of a compound.
_SUFFIXES = frozenset(
    {
        "able", "ally", "ance", "ence", "ible", "ings", "ment", "ments", "ness", "sion", "sions", "tion",
        "tions",
    }
)  # fmt: skip

#: Before these the hyphen is suspended: "pre- and post-editing".
_SUSPENDED = frozenset({"and", "or", "und", "nor"})
#: Second halves that form a compound with any first half. In 12 papers as PDF, the last four and adverbs were
#: all but 4 of the words that lost a hyphen, among 831 at line ends. Within the lines of 1,556 ACL papers as
#: XML and text, words end in "-scale" and "-term" 227 times, and in the same without a hyphen 30 times.
_COMPOUND_TAILS = frozenset(
    {
        "aware", "based", "driven", "level", "oriented", "specific",
        "agnostic", "enhanced", "guided", "informed",
        "scale", "term",
    }
)  # fmt: skip
#: "automatically-/detected", but not "analy-/zed".
_ADVERB, _PARTICIPLE = re.compile(r"[^\W\d_]{4,}ly\Z"), re.compile(r"[^\W\d_]{2,}(?:ed|ing)\Z")
_COMPOUND_HEADS = frozenset({"self"})
#: First halves that are written without a hyphen: within the lines of 12 papers as PDF, 104 times against 2.
_CLOSED_HEADS = frozenset({"over", "under"})


def words_of(text: str) -> frozenset[str]:
    """Return the words of a document in lower case; "state-of-the-art" is one word.

    The two halves of a word at a hyphen before a break are excluded.
    """
    marked = _BREAK_OR_SPACE.sub("_", text)
    return frozenset(word.lower().replace("\u2010", "-") for word in _WHOLE_WORD.findall(marked))


def join_lines(text: str, known: Set[str], spaces: bool = False) -> str:
    """Return `text` with the words that were hyphenated at line breaks joined.

    The released code of TalkSumm looks joined words up in GloVe's vocabulary; here the document itself
    decides (`known`, from `words_of`). The hyphen stays if the hyphenated form occurs elsewhere, and goes if
    the joined form does. If neither occurs, the hyphen stays in a compound of three or more parts
    ("state-of-/the-art"), between two words of the document ("user-/agent"), before a capital or a digit,
    after an acronym, behind an adverb ("newly-/found"), and next to a few typical parts of compounds
    ("word-/level"); otherwise it goes, as in "over-/looked". Before
    "and" and "or" it is a suspended hyphen, and a space follows it. After a digit or bracket it stays. Soft
    hyphens always go. With `spaces`, a space after a hyphen is a break, too.
    """
    text = _AFTER_NUMBER.sub(r"\g<sign>", text)
    pieces: list[str] = []
    done = 0
    for match in (_BREAK_OR_SPACE if spaces else _BREAK).finditer(text):
        # The first half may itself have been joined: a word may run over three lines.
        pieces.append(text[done : match.start()])
        done = match.end()
        before = "".join(pieces[-3:])[-_LONGEST:]
        pieces.append(_between(before, match.group(), _after(text, done), known, spaces))
    pieces.append(text[done:])
    return "".join(pieces)


def _after(text: str, start: int) -> str:
    match = _WORD.match(text, start, start + _LONGEST)
    return match.group() if match else ""


def _between(text_before: str, sign: str, after: str, known: Set[str], spaces: bool) -> str:
    """Return the text between two halves: nothing, a hyphen, or a hyphen and a space."""
    if sign[0] == "\u00ad":
        return ""
    match = _BEFORE.search(text_before)
    before = match.group() if match else ""
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
        or (_ADVERB.match(last) and _PARTICIPLE.match(first))
        or last.lower() in _COMPOUND_HEADS
    )
    return "-" if stays else ""


def _are_words(last: str, first: str, known: Set[str]) -> bool:
    parts = (
        min(len(last), len(first)) >= _SHORTEST_PART and last not in _CLOSED_HEADS and first not in _SUFFIXES
    )
    return parts and {last, first} <= known
