"""Parts of a paper that are not sentences: footnotes, copyright lines, page numbers, equations and others.

Belongs here: the rules for one line or one sentence, each with its drop reason.
Not here: applying them to tables (sentences.py), grouping lines (papers/body.py).

Source, unless marked [ours]: TalkSumm's released code (levguy/talksumm, prepare_data_for_hmm.py). Every
expression is anchored or starts with a literal, and its repetitions are bounded, so that time is linear in
the length of the text.
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
# One or two digits directly before a capital or a link. [ours] A single capital must be a word of its own:
# "3D models", "3DMM", "32GB" and "10K runs" are not footnotes, "1A more" and "2I thank" are.
_NOTE_NUMBER = r"(?<![\w.,])\d{1,2}"
_NOTE_CAPITAL = r"(?!(?<=[1-4])D[A-Z]|[KMGT]B\b)(?:[A-Z][A-Za-z]|[AI]\s)"

_EQUAL = re.compile(rf"{_MARK}[^\n]{{0,80}}?(?i:equal contributions?|contributed equally)\b")
#: Beginnings of lines and sentences that are dropped, with the reason.
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

# Within a sentence the note must follow a full stop or white space; otherwise "x*the" would be cut.
_NOTE_INSIDE = re.compile(rf"(?<=[\s.]){_MARK}\s?{_MARKED_WORDS}\b")
# "... 2Our code is available at https://..." and "... 3https://...": the note ends where its link ends.
_LINK_NOTE = re.compile(r"(?<![\d.,])\d{1,2}\s?https?:")
_CODE_NOTE = re.compile(rf"{_NOTE_NUMBER}(?!K){_NOTE_CAPITAL}")
_CODE_WORDS = re.compile(r"\s(?:code|available)\s", re.IGNORECASE)
_LINK = re.compile(r"https?:")
_LONGEST_NOTE = 400
#: The names and addresses of authors that run into the first sentence: "... jo@doe.org Abstract We label".
_ADDRESS = re.compile(r"@\s?[\w-]{1,60}(?:\.[\w-]{1,60}){1,5}(?:\s\([A-Z][^()]{1,40}\))?[;,.]?(?!\w)\s*")
_BEHIND_ADDRESSES = re.compile(r"(?:(?:Abst ?ract|ABSTRACT)\b[.:\s\u2014-]*)?(?=[A-Z\"\u201c(]|\Z)")
_MOST_BETWEEN = 250
#: A name with the raised number or mark of an institute: "Ann van der Lee1,2*".
_NAME_PART = r"(?:[A-Z][\w.'\u2019-]{0,40}|van|von|der|den|de|da|di|la|le|al|bin)"
_NAME = (
    rf"[A-Z][\w.'\u2019-]{{0,40}}(?:\s{_NAME_PART}){{0,4}}\s[A-Z][A-Za-z'\u2019\u00c0-\u024f-]{{1,40}}"
    rf"(?:\d{{1,2}}(?!\d)|\s?{_MARK})(?:,?(?:\d{{1,2}}|{_MARK})){{0,6}}"
)
_NAMES = re.compile(rf"{_NAME}(?:,\s?and\s|,\s?|\s(?:and|&)\s|\s){_NAME}(?!\w)")
#: An institute behind its number or mark.
_INSTITUTE = re.compile(
    rf"(?:\d{{1,2}}|{_MARK})\s?(?:[A-Z][\w.&'\u2019-]{{0,40}},?\s(?:(?:of|for|and)\s)?){{0,4}}"
    r"(?:Universit(?:y|\u00e9|\u00e0|\u00e4t|at|eit|e)|Departments?|Dept\.?|Institut\w{0,3}|Laborator(?:y|ies)|Labs?|School|Faculty|College|"
    r"Cent(?:er|re)|Academy)\b"
)
#: Words in lower case that names and addresses have; others make a sentence.
_IN_ADDRESSES = frozenset(
    {"of", "for", "and", "at", "the", "in", "on", "van", "von", "der", "den", "de", "da", "di", "del", "des",
     "du", "la", "le", "al", "bin", "e", "y", "et", "und", "f\u00fcr", "email", "e-mail"}
)  # fmt: skip
_SPELT = re.compile(r"(?<![\w-])[^\W\dA-Z_][\w-]*")
_MAILBOX = re.compile(r"(?:\{[^{}]{1,200}\}|[\w.+-]{1,60})@[\w.-]{1,100}")

#: The mathematical signs listed in the released code, and the rest of their Unicode blocks.
_EQUATION_SIGNS = re.compile(
    "[+=\\[\\]{}<>|\u0370-\u03ff\u2190-\u22ff\u2308-\u230b\u27e8\u27e9\U0001d400-\U0001d7ff]"
)
# [ours] Brackets of citations are not mathematics: "[12, 13]", "[reference]", "[Yarowsky 92]".
_CITATION = re.compile(r"\[(?:reference|[\d,;\s\u2013-]{1,40}|[A-Z][^\[\]=<>{}|+]{1,60}\d\d[a-z]?)\]")
_TOKEN = re.compile(r"[^\W_]+(?:[.'\u2019][^\W_]+)*")
_LETTER = re.compile(r"[^\W\d_]")
_FINAL = re.compile(r"[.!?:;,][\"')\]\u2019\u201d]{0,3}\Z")
#: Words that the released code excludes from its vocabulary ("agrmax" is its own misspelling).
NOT_IN_VOCABULARY = frozenset({"min", "max", "argmin", "argmax", "agrmax", "s.t", "w.r.t"})
_ENOUGH_WORDS = 3


def start_reason(text: str) -> str | None:
    """Return why a line or sentence that begins like `text` is not a sentence, or None if it may be one."""
    for reason, pattern in _STARTS:
        if pattern.match(text):
            return reason
    return None


def without_note(text: str) -> tuple[str, str] | None:
    """Return (remaining text, footnote) of a sentence that a footnote ran into, or None if none did.

    A note with a link ends where its link ends; other notes reach to the end of the sentence.
    """
    if match := _EQUAL.search(text) or _NOTE_INSIDE.search(text):
        return _cut(text, match.start(), len(text))
    if match := _LINK_NOTE.search(text):
        return _cut(text, match.start(), _end_of_link(text, match.end()))
    for match in _CODE_NOTE.finditer(text):
        limit = match.start() + _LONGEST_NOTE
        words = _CODE_WORDS.search(text, match.end(), limit)
        links = list(_LINK.finditer(text, words.end(), limit)) if words else []
        if links:
            return _cut(text, match.start(), _end_of_link(text, links[-1].end()))
        if words is None and len(text) <= limit:
            break
    return None


def without_addresses(text: str) -> tuple[str, str] | None:
    """Return (remaining text, lines of authors) of a sentence that begins with e-mail addresses. [ours]"""
    end = 0
    for address in _ADDRESS.finditer(text):
        if address.start() - end > _MOST_BETWEEN:
            break
        end = address.end()
    behind = _BEHIND_ADDRESSES.match(text, end) if end else None
    return _cut(text, 0, behind.end()) if behind else None


def is_author_line(text: str) -> bool:
    """Say whether text is only names of authors with raised numbers, or their numbered institutes. [ours]"""
    begins = _NAMES.match(text) or _INSTITUTE.match(text)
    return begins is not None and all(
        word.lower() in _IN_ADDRESSES for word in _SPELT.findall(_MAILBOX.sub(" ", text))
    )


def is_equation(text: str, in_vocabulary: Callable[[str], bool]) -> bool:
    """Say whether `text` is debris of an equation: it has a mathematical sign and fewer than three words.

    A word is a token of at least two characters that `in_vocabulary` accepts in lower case. [ours] It must
    contain a letter, since GloVe has numbers too, and the parts of a hyphenated word count separately.
    """
    text = _CITATION.sub(" ", text)
    if _EQUATION_SIGNS.search(text) is None:
        return False
    words = 0
    for match in _TOKEN.finditer(text):
        token = match.group().lower()
        is_word = len(token) > 1 and _LETTER.search(token) and token not in NOT_IN_VOCABULARY
        if is_word and in_vocabulary(token):
            words += 1
            if words == _ENOUGH_WORDS:
                return False
    return True


def has_words(text: str) -> bool:
    """Say whether `text` contains a letter outside of its citations. [ours]"""
    return _LETTER.search(_CITATION.sub(" ", text)) is not None


def running_head(text: str) -> str | None:
    """Return the recurring form of a possible running head (digits masked), or None. [ours]

    A running head is short and has no final punctuation.
    """
    if len(text) > 100 or _FINAL.search(text) or not has_words(text):
        return None
    return re.sub(r"\d+", "0", text)


def _end_of_link(text: str, start: int) -> int:
    match = re.compile(r"\S*+").match(text, start)
    return match.end() if match else start


def _cut(text: str, start: int, end: int) -> tuple[str, str]:
    remaining = f"{text[:start].rstrip()} {text[end:].lstrip()}".strip()
    return remaining, text[start:end].strip()
