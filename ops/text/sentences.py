"""Where sentences begin and end.

Belongs here: sentence spans of a running text, as offsets. Not here: which lines are running text
(ops/parse/papers/body.py), which sentences are worth keeping (ops/parse/sentences.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import nupunkt

Span = tuple[int, int]

#: No sentence ends behind one of these, unless the text does; in small letters or with a capital.
ABBREVIATIONS = (
    "approx", "cf", "e.g", "eg", "eq", "eqn", "eqns", "eqs", "et al", "fig", "figs", "i.e", "ie", "refs",
    "resp", "s.t", "sec", "secs", "sect", "viz", "vs", "w.r.t",
)  # fmt: skip
#: The same only with a capital: small, they are words ("the app.").
NAMES_OF_PARTS = ("Alg", "App", "Ch", "Chap", "Def", "Lem", "Prop", "Ref", "Tab", "Thm")

_ENDS_IN_ABBREVIATION = re.compile(
    r"(?<![\w.])(?:(?i:"
    + "|".join(re.escape(each).replace(r"\ ", r"\s+") for each in ABBREVIATIONS)
    + ")|"
    + "|".join(NAMES_OF_PARTS)
    + r")\s?\.\Z"
)
#: nupunkt takes quadratic time on a long run of these (8.5 s for 100,000 question marks).
_RUN = re.compile(r"[?!.]{4,}")
#: "... is hard. 2The algorithm ...": nupunkt never ends a sentence before a digit.
_BEFORE_NUMBER = re.compile(r"(?<=[a-z)\]][.!?])\s++(?=\d{1,2}[A-Z][A-Za-z ])")
_LARGEST_PIECE = 50_000
_LONGEST_ABBREVIATION = 12


def sentence_spans(text: str) -> list[Span]:
    """Return the sentences of `text` as (start, end), in order, without white space around them.

    Every character that is not white space is in exactly one span. nupunkt 0.8 (Punkt, trained on law
    and general English) proposes the boundaries; one behind "Fig.", "et al.", "Sec.", "i.e." and the
    like (`ABBREVIATIONS`) is taken back, and one before a footnote's number is added. Time is linear:
    longer texts are cut into pieces at white space, and a piece of 50,000 characters without any is cut
    where it is.
    """
    spans: list[Span] = []
    for first, last in _pieces(text):
        piece = text[first:last]
        for start, end in nupunkt.sent_spans(_RUN.sub(_calm, piece)):
            sentence = piece[start:end]
            start += len(sentence) - len(sentence.lstrip())
            end -= len(sentence) - len(sentence.rstrip())
            if start >= end:
                continue
            before = spans[-1] if spans else (0, 0)
            if _abbreviated(text, before[1]):
                spans[-1] = (before[0], first + end)
            else:
                spans.append((first + start, first + end))
    return [part for span in spans for part in _at_notes(text, span)]


def ends_in_abbreviation(text: str) -> bool:
    """Tell whether `text` ends in an abbreviation that cannot end a sentence."""
    return _ENDS_IN_ABBREVIATION.search(text[-_LONGEST_ABBREVIATION:]) is not None


def _abbreviated(text: str, end: int) -> bool:
    return ends_in_abbreviation(text[max(0, end - _LONGEST_ABBREVIATION) : end])


def _at_notes(text: str, span: Span) -> Iterator[Span]:
    """Yield the parts of a sentence that nupunkt did not end before a number that begins a word."""
    start, end = span
    for found in _BEFORE_NUMBER.finditer(text, start, end):
        if not _abbreviated(text, found.start()):
            yield start, found.start()
            start = found.end()
    yield start, end


def _calm(run: re.Match[str]) -> str:
    return "-" * (len(run.group()) - 1) + run.group()[-1]


def _pieces(text: str) -> Iterator[Span]:
    start = 0
    while len(text) - start > _LARGEST_PIECE:
        limit = start + _LARGEST_PIECE
        end = max(text.rfind(sign, start + _LARGEST_PIECE // 2, limit) for sign in ("\n", " "))
        end = end + 1 if end > 0 else limit
        yield start, end
        start = end
    yield start, len(text)
