"""The works of a bibliography, as running text names them: "Smith et al., 2010".

Belongs here: which entry names and a year stand for, and what identifies a cited work. Not here: finding the
names in a sentence (marks.py), and parsing a bibliography (ops/parse/papers).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from ops.outcome import Row
from ops.text.space import fold

_YEAR = re.compile(r"\b(?:1[89]|20)\d\d[a-z]?\b")
_WORD = re.compile(r"[^\W\d_][\w'’\-]*")

#: Words of an entry's text among which its first author stands: "[12] Adam B. van Smith, Jones".
_FIRST_WORDS = 5


def work(cited_id: str | None, title: str | None) -> str | None:
    """Return what identifies a cited work: its id, else its title; None where it has neither."""
    plain = fold("".join(sign if sign.isalnum() else " " for sign in (title or "").lower()))
    return cited_id or (f"title:{plain}" if plain else None)


class _Entry(NamedTuple):
    """An entry with the words of its first author, of everyone and everything in it, and its years."""

    row: Row
    first: frozenset[str]
    words: frozenset[str]
    years: frozenset[str]
    plain_years: frozenset[str]
    """The years without the letters that tell works of one year apart."""


class PrintedWorks:
    """A paper's bibliography, a row of `CITATIONS.kept["bibliography"]` each work.

    Entries are looked up by the name that the fewest of them have, not one by one.
    """

    def __init__(self, bibliography: Sequence[Row]) -> None:
        self._entries: dict[str, list[_Entry]] = defaultdict(list)
        for row in bibliography:
            authors, text = row["authors"] or [], (row["text"] or "").lower()
            words = _WORD.findall(text)
            first = _WORD.findall(authors[0].lower()) if authors else words[:_FIRST_WORDS]
            years = frozenset(_YEAR.findall(row["year"] or "") or _YEAR.findall(text))
            known = frozenset((*_WORD.findall(" ".join(authors).lower()), *words))
            entry = _Entry(row, frozenset(first), known, years, frozenset(year[:4] for year in years))
            for word in known:
                self._entries[word].append(entry)

    def of(self, key: str) -> str | None:
        """Return the work that names and year ("smith et al 2010a") stand for.

        None where no entry fits, where several do, or where the one has neither id nor title.
        """
        *names, year = key.split()
        names = [name for name in names if name not in ("et", "al")]
        with_name = [self._entries.get(name, []) for name in names]
        found = [
            entry
            for entry in min(with_name, key=len, default=[])
            if year[:4] in entry.plain_years and names[0] in entry.first and entry.words.issuperset(names)
        ]
        if len(found) > 1:
            found = [entry for entry in found if year in entry.years]
        if len(found) != 1:
            return None
        ids = found[0].row["ids"]
        return work(ids[0] if ids else None, found[0].row["title"])
