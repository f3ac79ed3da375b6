"""The short forms that papers introduce for terms: "named entity recognition (NER)".

Belongs here: short forms in brackets and the words before them that they stand for. Not here: what can be a
term (terms.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_SHORT_FORM = re.compile(r"\(\s*(?P<short>[A-Za-z][\w\-/&]{1,9})\s*(?:[;,][^()]*)?\)")


def expansions_of(sentences: Iterable[str]) -> dict[str, str]:
    """Return the expansions of the abbreviations that sentences introduce ("named entity recognition (NER)").

    The algorithm is that of Schwartz and Hearst (2003): every letter of the short form, from right to left,
    occurs in the few words before the bracket, and its first letter is at the beginning of a word. If an
    abbreviation has several expansions, the first one wins.
    """
    expansions: dict[str, str] = {}
    for sentence in sentences:
        for match in _SHORT_FORM.finditer(sentence) if "(" in sentence else ():
            short = match["short"]
            if short.endswith("s") and short[:-1].isupper():
                short = short[:-1]
            if sum(map(str.isupper, short)) > 1 and (long := _long_form(short, sentence[: match.start()])):
                expansions.setdefault(short, long)
    return expansions


def _long_form(short: str, before: str) -> str | None:
    letters = [sign.lower() for sign in short if sign.isalnum()]
    text = " ".join(before.split()[-min(len(letters) + 5, len(letters) * 2) :])
    small = text.lower()
    if len(small) != len(text):
        return None
    at = len(text)
    for place, letter in reversed(list(enumerate(letters))):
        at = small.rfind(letter, 0, at)
        while place == 0 and at > 0 and text[at - 1].isalnum():
            at = small.rfind(letter, 0, at)
        if at < 0:
            return None
    long = text[at:]
    odd = len(long) <= len(short) or short in long.split() or re.search(r"[.;:()\[\]]", long)
    return None if odd else long
