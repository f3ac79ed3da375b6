"""GAP (Webster et al., 2018): ambiguous pronouns with two names each, as training set and as test.

Belongs here: reading the files, which names candidates stand for, F1. Not here: resolving (ranker.py),
training (train.py).
"""

from __future__ import annotations

import csv
import gzip
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

_COLUMNS = (
    "Text",
    "Pronoun",
    "Pronoun-offset",
    "A",
    "A-offset",
    "A-coref",
    "B",
    "B-offset",
    "B-coref",
    "URL",
)


_PAGE = re.compile(r".*/wiki/")


class GapName(NamedTuple):
    """One of the two names: its characters, and whether the pronoun means it."""

    start: int
    end: int
    meant: bool

    def overlaps(self, start: int, end: int) -> bool:
        """Return whether characters from `start` to before `end` share one with the name."""
        return self.start < end and start < self.end


@dataclass(frozen=True, slots=True)
class GapExample:
    """A text, the place of its pronoun, and the two names."""

    text: str
    pronoun: str
    offset: int
    names: tuple[GapName, GapName]
    title: str
    """Of the page of Wikipedia that the text is from."""

    @property
    def feminine(self) -> bool:
        """Whether the pronoun is "she" or a form of it."""
        return self.pronoun.lower() in ("she", "her", "hers")


def read(file: Path) -> list[GapExample]:
    """Return the examples of a file, gzipped or not.

    Raises ValueError if a column is missing, naming the file and the row.
    """
    with (
        gzip.open(file, "rt", encoding="utf-8") if file.suffix == ".gz" else file.open(encoding="utf-8") as f
    ):
        rows = list(csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE))
    found: list[GapExample] = []
    for number, row in enumerate(rows, start=2):
        missing = [name for name in _COLUMNS if not row.get(name)]
        if missing:
            raise ValueError(f"{file}, row {number}: no {', '.join(missing)}: not a file of GAP")
        names = [
            GapName(
                int(row[f"{k}-offset"]), int(row[f"{k}-offset"]) + len(row[k]), row[f"{k}-coref"] == "TRUE"
            )
            for k in "AB"
        ]
        title = unquote(_PAGE.sub("", row["URL"])).replace("_", " ")
        found.append(
            GapExample(row["Text"], row["Pronoun"], int(row["Pronoun-offset"]), (names[0], names[1]), title)
        )
    return found


class GapScore(NamedTuple):
    """In per cent, over two decisions an example."""

    precision: float
    recall: float
    f1: float


def score(decisions: Iterable[tuple[GapExample, Sequence[bool]]]) -> GapScore:
    """Return precision, recall and F1 of what was decided for names A and B of each example (section 4)."""
    hits = predicted = meant = 0
    for example, decided in decisions:
        for name, positive in zip(example.names, decided, strict=True):
            hits += positive and name.meant
            predicted += positive
            meant += name.meant
    return GapScore(
        100 * hits / max(predicted, 1), 100 * hits / max(meant, 1), 200 * hits / max(predicted + meant, 1)
    )
