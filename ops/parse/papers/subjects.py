"""What a paper is about, as its source says: categories, fields of study, then journal or venue.

Belongs here: bringing these words into one form, in bounds. Not here: where a format has them (the formats),
which subject area they mean (ops/parasci/areas.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from ops.parse.papers.json_shapes import word_at
from ops.text.space import fold

#: What a format says of all of its papers, or an id of a paper of any.
ACL_ANTHOLOGY = "ACL Anthology"

#: "cs.CL", "hep-th", "cond-mat.supr-con".
_CATEGORY = re.compile(r"[a-z]+(?:-[a-z]+)*\.[A-Za-z\-]+|[a-z]+(?:-[a-z]+)+")
#: Until March 2007 an id of arXiv began with its archive: "hep-th/9901001", "math.GT/0309136"; in names of
#: files there is no slash.
_ARCHIVE = re.compile(r"(?P<archive>[a-z]+(?:-[a-z]+)*)(?:\.[A-Z]{2})?/?\d{7}(?!\d)")

#: Papers have a dozen subjects at most; what is longer is no name of one.
_MOST, _LONGEST = 50, 200


def subjects_of(*words: Iterable[str]) -> tuple[str, ...]:
    """Return distinct subjects in their order, white space folded: the first 50 of at most 200 characters."""
    found: dict[str, None] = {}
    for several in words:
        for word in several:
            if len(found) == _MOST:
                return tuple(found)
            if 0 < len(subject := fold(word)) <= _LONGEST:
                found[subject] = None
    return tuple(found)


def categories_in(text: str) -> list[str]:
    """Return the subjects of a text: parted by semicolons, and by spaces where all are arXiv's categories."""
    found: list[str] = []
    for piece in text.split(";"):
        words = piece.split()
        found += words if all(map(_CATEGORY.fullmatch, words)) else [piece]
    return found


def archive_of(name: Any) -> list[str]:
    """Return the archive of arXiv that an id, or the name of a file, tells; none where it tells none."""
    found = _ARCHIVE.match(word_at(name))
    return [found["archive"]] if found else []


def words_in(value: Any, key: str = "") -> list[str]:
    """Return the words of a JSON value: a text, a list of texts, or of objects that have it under `key`."""
    several = value if isinstance(value, list) else [value]
    return [word for one in several if (word := word_at(one.get(key) if isinstance(one, dict) else one))]
