"""How alike two titles are, whoever recorded, transcribed or scanned them.

Belongs here: the similarity of titles and its parts. Not here: which paper a talk is about (pairs.py).

Titles are compared by their letters and digits alone, without case, accents, punctuation and white space:
recognisers split words ("code switching", "sem eval"), scanners lose hyphens. The measure is one minus the
Levenshtein distance over the longer length. Two rules of our own go with it:

- Where one title has a subtitle and the other has none, its main title may stand for the whole, at
  `MAIN_TITLE` of the worth. Equal main titles are then alike, yet less than equal titles.
- Where each has a number that the other lacks, the worth is `OTHER_NUMBERS`: "Task 4" is not "Task 8",
  and the shared tasks of two years have one title but for the year.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

MAIN_TITLE = 0.9
OTHER_NUMBERS = 0.75

#: A colon or a question mark ends a main title, and so does a dash that stands by itself.
_END_OF_MAIN = re.compile(r"[:?]|\s[-–—]+\s|—")
_NO_LETTER = re.compile(r"[^\w+]+|_+")  # TVQA+ is not TVQA
#: Single digits inside words are more often misread letters.
_NUMBER = re.compile(r"\d{2,}|(?<!\w)\d(?!\w)")

TitleScores: TypeAlias = npt.NDArray[np.float64]


class Form(NamedTuple):
    """What is compared of a title, or of its main title."""

    letters: str
    numbers: frozenset[str]


def form(title: str) -> Form:
    """Return a title as its lower-case letters and digits without accents, and its numbers."""
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", title).casefold())
    plain = "".join(character for character in folded if not unicodedata.combining(character))
    letters = _NO_LETTER.sub("", plain.replace("&", " and "))
    return Form(letters, frozenset(_NUMBER.findall(plain)))


def main_form(title: str) -> Form | None:
    """Return the form of what comes before the subtitle, or None where there is no subtitle."""
    main, *subtitle = (form(part) for part in _END_OF_MAIN.split(title, maxsplit=1))
    return main if subtitle and subtitle[0].letters and main.letters else None


def similarity(one: str, other: str) -> float:
    """Return how alike two titles are, from 0 to 1; the same either way round, and 1 for equal titles."""
    return float(Titles([other]).similarities(one)[0])


class Titles:
    """Many titles, to be compared with one at a time (18,000 in about 10 ms).

    `forms` are the forms of the whole titles.
    """

    def __init__(self, titles: Sequence[str]) -> None:
        mains = [main_form(title) for title in titles]
        self.forms = [form(title) for title in titles]
        self._wholes = _Forms(self.forms)
        self._with_subtitle = np.array([main is not None for main in mains], bool)
        self._mains = _Forms([main or Form("", frozenset()) for main in mains])

    def similarities(self, title: str) -> TitleScores:
        """Return the similarity of every title to this one, rounded to six places."""
        whole, main = form(title), main_form(title)
        scores = self._wholes.similarities(whole)
        if main is None:
            by_main = np.where(self._with_subtitle, self._mains.similarities(whole), 0)
        else:
            by_main = np.where(self._with_subtitle, 0, self._wholes.similarities(main))
        best: TitleScores = np.maximum(scores, MAIN_TITLE * by_main)
        return best.round(6)


class _Forms:
    """Forms side by side, with the distinct sets of numbers that occur in them."""

    def __init__(self, forms: Sequence[Form]) -> None:
        self._letters = [form.letters for form in forms]
        known: dict[frozenset[str], int] = {}
        self._codes = np.array([known.setdefault(form.numbers, len(known)) for form in forms], np.int64)
        self._numbers = list(known)

    def similarities(self, to: Form) -> TitleScores:
        measure = Levenshtein.normalized_similarity
        table = process.cdist([to.letters], self._letters, scorer=measure, dtype=np.float64)
        worth = [
            OTHER_NUMBERS if numbers - to.numbers and to.numbers - numbers else 1.0
            for numbers in self._numbers
        ]
        return np.asarray(table[0] * np.array(worth)[self._codes], np.float64)
