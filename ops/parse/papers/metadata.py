"""What sources tell of a paper besides its text: subjects and DOI, in one form.

Belongs here: subjects (categories, fields of study, then journal or venue) and DOIs. Not here: where each
format has them (the formats), mapping subjects to subject areas (ops/parasci/areas.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from silverloom.ops.parse.decoding import word_at
from silverloom.ops.text.words import fold

#: The subject of papers whose format, or whose id, says that they are from the ACL Anthology.
ACL_ANTHOLOGY = "ACL Anthology"

#: "cs.CL", "hep-th", "cond-mat.supr-con".
_CATEGORY = re.compile(r"[a-z]+(?:-[a-z]+)*\.[A-Za-z\-]+|[a-z]+(?:-[a-z]+)+")
#: Until March 2007 an arXiv id began with its archive: "hep-th/9901001", "math.GT/0309136"; file names lack
#: the slash.
_ARCHIVE = re.compile(r"(?P<archive>[a-z]+(?:-[a-z]+)*)(?:\.[A-Z]{2})?/?\d{7}(?!\d)")

#: Papers have a dozen subjects at most, and no subject has a longer name.
_MOST, _LONGEST = 50, 200


def subjects_of(*words: Iterable[str]) -> tuple[str, ...]:
    """Return the distinct subjects in order, white space collapsed: the first 50 of up to 200 characters."""
    subjects: dict[str, None] = {}
    for several in words:
        for word in several:
            if len(subjects) == _MOST:
                return tuple(subjects)
            if 0 < len(subject := fold(word)) <= _LONGEST:
                subjects[subject] = None
    return tuple(subjects)


def categories_in(text: str) -> list[str]:
    """Split a string of subjects at semicolons, and at spaces where all words are arXiv categories."""
    categories: list[str] = []
    for piece in text.split(";"):
        words = piece.split()
        categories += words if all(map(_CATEGORY.fullmatch, words)) else [piece]
    return categories


def archive_of(name: Any) -> list[str]:
    """Return the arXiv archive in an id or file name, as a list of one or none."""
    match = _ARCHIVE.match(word_at(name))
    return [match["archive"]] if match else []


def words_in(value: Any, key: str = "") -> list[str]:
    """Return the words of a JSON value: a string, or a list of strings or of objects with `key`."""
    several = value if isinstance(value, list) else [value]
    return [word for one in several if (word := word_at(one.get(key) if isinstance(one, dict) else one))]


#: ISO 26324: "10.", the registrant, and a suffix, which is ASCII at Crossref; a resolver or a scheme may
#: precede it.
_DOI = re.compile(
    r"(?:(?:https?://)?(?:dx\.)?doi\.org/|doi:)?\s*(?P<doi>10\.\d{4,9}(?:\.\d{1,9}){0,5}/[!-~]{1,200})",
    re.IGNORECASE,
)


def doi_of(*values: Any) -> str:
    """Return the first of some JSON values that is a DOI, in lower case and without its resolver, or "".

    DOIs are equal without regard to case (ISO 26324), so that "10.1000/A" and "doi:10.1000/a" are one.
    """
    for value in values:
        if match := _DOI.fullmatch(word_at(value).strip()):
            return match["doi"].lower()
    return ""
