"""How similar two titles are.

Belongs here: the compared form of a title, and the similarity of one title to many. Not here: what the title
of a talk has around that of its paper (talk_titles.py), which titles are compared (near_titles.py).

Titles are compared by their letters and digits only, ignoring case, accents, punctuation and white space:
speech recognisers split words ("code switching", "sem eval"), and scanners lose hyphens. The similarity is
one minus the Levenshtein distance divided by the greater length, with two rules of our own:

- If only one of the titles has a subtitle, its main title is compared as well, with the result multiplied by
  `MAIN_TITLE`. So equal main titles are similar, but less than equal titles.
- If each title has a number that the other lacks, the similarity is multiplied by `OTHER_NUMBERS`. "Task 4"
  is not "Task 8", and titles of shared tasks from different years differ only in the year.
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

#: A main title ends at a colon, a question mark or a free-standing dash.
_END_OF_MAIN = re.compile(r"[:?]|\s[-–—]+\s|—")
_NO_LETTER = re.compile(r"[^\w+]+|_+")  # keep "+": TVQA+ is not TVQA
#: Without single digits inside words, which are often misread letters.
_NUMBER = re.compile(r"\d{2,}|(?<!\w)\d(?!\w)")

TitleScores: TypeAlias = npt.NDArray[np.float64]


class Form(NamedTuple):
    """The compared form of a title, or of its main title."""

    letters: str
    numbers: frozenset[str]


class Titles:
    """Many titles, for comparison with one title at a time (18,000 in about 10 ms).

    `forms` has the forms of the whole titles.
    """

    def __init__(self, titles: Sequence[str]) -> None:
        mains = [main_form(title) for title in titles]
        self.forms = [form(title) for title in titles]
        self._wholes = _Forms(self.forms)
        self._with_subtitle = np.array([main is not None for main in mains], bool)
        self._mains = _Forms([main or Form("", frozenset()) for main in mains])

    def similarities(self, title: str) -> TitleScores:
        """Return the similarity of every title to this one, rounded to six decimals."""
        whole, main = form(title), main_form(title)
        scores = self._wholes.similarities(whole)
        if main is None:
            by_main = np.where(self._with_subtitle, self._mains.similarities(whole), 0)
        else:
            by_main = np.where(self._with_subtitle, 0, self._wholes.similarities(main))
        best: TitleScores = np.maximum(scores, MAIN_TITLE * by_main)
        return best.round(6)


class _Forms:
    """Forms in parallel arrays, with the distinct sets of numbers that occur in them."""

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


def form(title: str) -> Form:
    """Return a title's lower-case letters and digits without accents, and its numbers."""
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", title).casefold())
    plain = "".join(character for character in folded if not unicodedata.combining(character))
    letters = _NO_LETTER.sub("", plain.replace("&", " and "))
    return Form(letters, frozenset(_NUMBER.findall(plain)))


def main_form(title: str) -> Form | None:
    """Return the form of the part before the subtitle, or None if there is no subtitle."""
    main, *subtitle = (form(part) for part in _END_OF_MAIN.split(title, maxsplit=1))
    return main if subtitle and subtitle[0].letters and main.letters else None


def similarity(one: str, other: str) -> float:
    """Return the similarity of two titles, from 0 to 1; it is symmetric, and 1 for equal titles."""
    return float(Titles([other]).similarities(one)[0])
