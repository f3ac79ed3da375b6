"""What is no sentence of a paper: footnotes, copyright and proceedings lines, page numbers, equations.

Belongs here: the rules for one line or one sentence, each with the reason it gives.
Not here: applying them to tables (sentences.py), grouping lines (papers/body.py).

Source, where not marked [ours]: TalkSumm's released code (levguy/talksumm, prepare_data_for_hmm.py).
Every expression starts at a fixed place or at a literal sign and repeats within bounds, so that time
grows linearly with the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable

FOOTNOTE, PROCEEDINGS, COPYRIGHT, CORRESPONDENCE = "footnote", "proceedings", "copyright", "correspondence"
EQUAL_CONTRIBUTION, PAGE_NUMBER, RUNNING_HEAD = "equal_contribution", "page_number", "running_head"
EQUATION, NO_WORDS = "equation", "no_words"

#: Marks of footnotes to titles and authors.
_MARK = "[*\u2217\u2020\u2021\u22c6\u2660\u2663\u2666\u2662]"
_MARKED_WORDS = r"(?i:this|work|these|corresponding|the|available|code|http|both)"
# One or two digits directly before a capital or a link. [ours] A lone capital must be a word of its own:
# "3D models", "3DMM" and "10K runs" are no footnotes, "1A more" and "2I thank" are.
_NOTE_NUMBER = r"(?<![\w.,])\d{1,2}"
_NOTE_CAPITAL = r"(?!(?<=[1-4])D[A-Z])(?:[A-Z][A-Za-z]|[AI]\s)"

_EQUAL = re.compile(rf"{_MARK}[^\n]{{0,80}}?(?i:equal contributions?|contributed equally)\b")
#: What a line or a sentence begins with, and the reason for which it goes.
_STARTS = (
    (
        PAGE_NUMBER,
        re.compile(
            r"(?:(?i:page|p\.)\s)?[-\u2013\u2014]?\s?"
            r"\d{1,4}(?:\s(?:of|/)\s\d{1,4})?\s?[-\u2013\u2014]?\Z"
        ),
    ),
    (PROCEEDINGS, re.compile(r"(?:(?:\d{1,4}|in)\s)?proceedings\s(?:of|for)\s", re.IGNORECASE)),
    (
        COPYRIGHT,
        re.compile(
            r"(?:copyright\s?(?:\u00a9|\(c\))?\s?,?\s?(?:19|20)\d\d"
            r"|c\s?\u00a9|c\s?\(c\)|\(?c?\s?\u00a9\s?(?:19|20)\d\d"
            r"|[@(]\s?(?:c\s?\)\s?)?(?:19|20)\d\d\s(?:association|ieee|acm|springer|elsevier)\b"
            r"|this work is licen[sc]ed under\b)",
            re.IGNORECASE,
        ),
    ),
    (CORRESPONDENCE, re.compile(r"correspondence\sto\b|corresponding\sauthors?\s?:", re.IGNORECASE)),
    (EQUAL_CONTRIBUTION, _EQUAL),
    (EQUAL_CONTRIBUTION, re.compile(r"(?i:equal contributions?|the(?:se)? authors contributed equally)\b")),
    (FOOTNOTE, re.compile(rf"\d{{1,2}}(?:{_NOTE_CAPITAL}|\s?https?:|\s?www\.)")),
    (FOOTNOTE, re.compile(rf"{_MARK}{{1,3}}\s?{_MARKED_WORDS}\b")),
    (FOOTNOTE, re.compile(r"(?:https?://|www\.)\S++\Z")),
)  # fmt: skip

# In the middle of a sentence the note must stand behind a stop or a space, else "x*the" would be cut.
_NOTE_INSIDE = re.compile(rf"(?<=[\s.]){_MARK}\s?{_MARKED_WORDS}\b")
# "... 2Our code is available at https://..." and "... 3https://...": the note goes up to its link's end.
_LINK_NOTE = re.compile(r"(?<![\d.,])\d{1,2}\s?https?:")
_CODE_NOTE = re.compile(rf"{_NOTE_NUMBER}(?!K){_NOTE_CAPITAL}")
_CODE_WORDS = re.compile(r"\s(?:code|available)\s", re.IGNORECASE)
_LINK = re.compile(r"https?:")
_LONGEST_NOTE = 400

#: The signs of mathematics that the released code lists, and the rest of their Unicode blocks.
_EQUATION_SIGNS = re.compile(
    "[+=\\[\\]{}<>|\u0370-\u03ff\u2190-\u22ff\u2308-\u230b\u27e8\u27e9\U0001d400-\U0001d7ff]"
)
# [ours] The brackets of a citation are no mathematics: "[12, 13]", "[reference]", "[Yarowsky 92]".
_CITATION = re.compile(r"\[(?:reference|[\d,;\s\u2013-]{1,40}|[A-Z][^\[\]=<>{}|+]{1,60}\d\d[a-z]?)\]")
_TOKEN = re.compile(r"[^\W_]+(?:[.'\u2019][^\W_]+)*")
_LETTER = re.compile(r"[^\W\d_]")
_FINAL = re.compile(r"[.!?:;,][\"')\]\u2019\u201d]{0,3}\Z")
#: Words that the released code takes out of its vocabulary ("agrmax" is its own misspelling).
NOT_IN_VOCABULARY = frozenset({"min", "max", "argmin", "argmax", "agrmax", "s.t", "w.r.t"})
_ENOUGH_WORDS = 3


def start_reason(text: str) -> str | None:
    """Return the reason why a line or sentence that begins like `text` is no sentence, else None."""
    for reason, pattern in _STARTS:
        if pattern.match(text):
            return reason
    return None


def without_note(text: str) -> tuple[str, str] | None:
    """Return (what stays, the footnote that was cut out) of a sentence that a footnote ran into, else None.

    A note with a link ends where its link ends; the others reach to the end of the sentence.
    """
    if found := _EQUAL.search(text) or _NOTE_INSIDE.search(text):
        return _cut(text, found.start(), len(text))
    if found := _LINK_NOTE.search(text):
        return _cut(text, found.start(), _end_of_link(text, found.end()))
    for found in _CODE_NOTE.finditer(text):
        limit = found.start() + _LONGEST_NOTE
        words = _CODE_WORDS.search(text, found.end(), limit)
        links = list(_LINK.finditer(text, words.end(), limit)) if words else []
        if links:
            return _cut(text, found.start(), _end_of_link(text, links[-1].end()))
        if words is None and len(text) <= limit:
            break
    return None


def is_equation(text: str, in_vocabulary: Callable[[str], bool]) -> bool:
    """Tell whether `text` is debris of an equation: a sign of mathematics and fewer than three words.

    A word is a token of two or more characters that `in_vocabulary` accepts in small letters; [ours] with
    a letter in it, since GloVe has numbers too, and the parts of a hyphenated word count.
    """
    text = _CITATION.sub(" ", text)
    if _EQUATION_SIGNS.search(text) is None:
        return False
    words = 0
    for found in _TOKEN.finditer(text):
        token = found.group().lower()
        is_word = len(token) > 1 and _LETTER.search(token) and token not in NOT_IN_VOCABULARY
        if is_word and in_vocabulary(token):
            words += 1
            if words == _ENOUGH_WORDS:
                return False
    return True


def has_words(text: str) -> bool:
    """Tell whether a letter is left in `text` when its citations are taken away. [ours]"""
    return _LETTER.search(_CITATION.sub(" ", text)) is not None


def running_head(text: str) -> str | None:
    """Return the form in which a running head recurs (digits masked), None if `text` cannot be one. [ours]

    It is short and does not end like a sentence.
    """
    if len(text) > 100 or _FINAL.search(text) or not has_words(text):
        return None
    return re.sub(r"\d+", "0", text)


def _end_of_link(text: str, start: int) -> int:
    found = re.compile(r"\S*+").match(text, start)
    return found.end() if found else start


def _cut(text: str, start: int, end: int) -> tuple[str, str]:
    kept = f"{text[:start].rstrip()} {text[end:].lstrip()}".strip()
    return kept, text[start:end].strip()
