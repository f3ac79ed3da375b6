"""The works of a bibliography, as running text names them: "Smith et al., 2010".

Belongs here: which entry names and a year stand for, and what identifies a cited work. Not here: finding the
names in a sentence (marks.py), and parsing a bibliography (ops/parse/papers).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

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


class PrintedWorks:
    """A paper's bibliography, a row of `CITATIONS.kept["bibliography"]` each work."""

    def __init__(self, bibliography: Sequence[Row]) -> None:
        self._entries: dict[str, list[tuple[Row, frozenset[str], frozenset[str], frozenset[str]]]]
        self._entries = defaultdict(list)
        for entry in bibliography:
            authors, text = entry["authors"] or [], (entry["text"] or "").lower()
            words = _WORD.findall(text)
            first = _WORD.findall(authors[0].lower()) if authors else words[:_FIRST_WORDS]
            years = frozenset(_YEAR.findall(entry["year"] or "") or _YEAR.findall(text))
            names = frozenset(_WORD.findall(" ".join(authors).lower())) | set(words)
            for year in {year[:4] for year in years}:
                self._entries[year].append((entry, frozenset(first), names, years))

    def of(self, key: str) -> str | None:
        """Return the work that names and year ("smith et al 2010a") stand for.

        None where no entry fits, where several do, or where the one has neither id nor title.
        """
        *names, year = key.split()
        names = [name for name in names if name not in ("et", "al")]
        found = [
            (entry, years)
            for entry, first, everyone, years in self._entries.get(year[:4], ())
            if names and names[0] in first and everyone.issuperset(names)
        ]
        if len(found) > 1:
            found = [(entry, years) for entry, years in found if year in years]
        if len(found) != 1:
            return None
        ids = found[0][0]["ids"]
        return work(ids[0] if ids else None, found[0][0]["title"])
