"""Sentence boundaries.

Belongs here: the sentence spans of running text, as offsets. Not here: which lines are running text
(ops/parse/papers/body.py), which sentences are worth keeping (ops/parse/sentences.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import nupunkt

Span = tuple[int, int]

#: No sentence ends after one of these, unless the text does. The first letter may be either case ("IE." in
#: full capitals is information extraction, "SEC." an authority).
ABBREVIATIONS = (
    "approx", "cf", "e.g", "eg", "eq", "eqn", "eqns", "eqs", "equ", "et al", "fig", "figs", "i.e", "ie",
    "refs", "resp", "s.t", "sec", "secs", "sect", "viz", "vs", "w.r.t",
)  # fmt: skip
#: The same, but case-sensitive: in lower case some are words ("the app.").
NAMES_OF_PARTS = ("Alg", "App", "Ch", "Chap", "Def", "FIG", "FIGS", "Lem", "Prop", "Ref", "Tab", "Thm")

_ENDS_IN_ABBREVIATION = re.compile(
    r"(?<![\w.])(?:"
    + "|".join(
        f"[{abbreviation[0]}{abbreviation[0].upper()}]" + re.escape(abbreviation[1:]).replace(r"\ ", r"\s+")
        for abbreviation in ABBREVIATIONS
    )
    + "|"
    + "|".join(NAMES_OF_PARTS)
    + r")\s?\.\Z"
)
_FINAL = re.compile(r"[.!?:;\u2026][\"')\]\u2019\u201d]{0,3}\Z")
#: nupunkt takes quadratic time on a long run of these (8.5 s for 100,000 question marks).
_RUN = re.compile(r"[?!.]{4,}")
#: "... is hard. 2The algorithm ...": nupunkt never ends a sentence before a digit.
_BEFORE_NUMBER = re.compile(r"(?<=[a-z)\]][.!?])\s++(?=\d{1,2}[A-Z][A-Za-z ])")
_LARGEST_PIECE = 50_000
_LONGEST_ABBREVIATION = 12


def sentence_spans(text: str) -> list[Span]:
    """Return the sentences of `text` as (start, end), in order, without surrounding white space.

    Every character except white space is in exactly one span. nupunkt 0.8 (Punkt, trained on legal and
    general English) proposes the boundaries. A boundary after "Fig.", "et al.", "Sec.", "i.e." and the like
    (`ABBREVIATIONS`) is removed, and one before a footnote number is added. Time is linear: long texts are
    split in pieces, and a sentence of more than 50,000 characters is cut.
    """
    spans: list[Span] = []
    for start, end in _proposed(text):
        sentence = text[start:end]
        start += len(sentence) - len(sentence.lstrip())
        end -= len(sentence) - len(sentence.rstrip())
        if start >= end:
            continue
        if spans and _abbreviated(text, spans[-1][1]):
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return [part for span in spans for part in _at_notes(text, span)]


def is_ended(text: str) -> bool:
    """Say whether `text` ends in final punctuation, a colon or a semicolon, perhaps before closing quotes."""
    return _FINAL.search(text) is not None


def ends_in_abbreviation(text: str) -> bool:
    """Say whether `text` ends in an abbreviation that cannot end a sentence."""
    return _ENDS_IN_ABBREVIATION.search(text[-_LONGEST_ABBREVIATION:]) is not None


def _abbreviated(text: str, end: int) -> bool:
    return ends_in_abbreviation(text[max(0, end - _LONGEST_ABBREVIATION) : end])


def _at_notes(text: str, span: Span) -> Iterator[Span]:
    """Split a sentence before footnote numbers that are attached to a word, where nupunkt never splits."""
    start, end = span
    for found in _BEFORE_NUMBER.finditer(text, start, end):
        if not _abbreviated(text, found.start()):
            yield start, found.start()
            start = found.end()
    yield start, end


def _calm(run: re.Match[str]) -> str:
    return "-" * (len(run.group()) - 1) + run.group()[-1]


def _proposed(text: str) -> Iterator[Span]:
    """Yield nupunkt's spans; the last span of a piece may be incomplete, so the next piece starts with it."""
    first = 0
    while first < len(text):
        piece = text[first : first + _LARGEST_PIECE]
        found = nupunkt.sent_spans(_RUN.sub(_calm, piece))
        more = first + len(piece) < len(text)
        if more and len(found) > 1 and found[-1][0] > 0:
            found = found[:-1]
        for start, end in found:
            yield first + start, first + end
        first += found[-1][1] if found else len(piece)
