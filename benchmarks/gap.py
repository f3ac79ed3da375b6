"""GAP (Webster et al., 2018): ambiguous pronouns with two names each, for training and testing.

Belongs here: reading the files, matching names with character spans, F1. Not here: resolving pronouns
(ops/coreference/ranker.py), training (coreference_training.py).
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
    """One of the two names: its character span, and whether the pronoun refers to it."""

    start: int
    end: int
    meant: bool

    def overlaps(self, start: int, end: int) -> bool:
        """Return whether the span from `start` up to `end` (exclusive) shares a character with the name."""
        return self.start < end and start < self.end


@dataclass(frozen=True, slots=True)
class GapExample:
    """A text, the position of its pronoun, and the two names."""

    text: str
    pronoun: str
    offset: int
    names: tuple[GapName, GapName]
    title: str
    """The title of the Wikipedia page that the text is from."""

    @property
    def feminine(self) -> bool:
        """Whether the pronoun is a form of "she"."""
        return self.pronoun.lower() in ("she", "her", "hers")


def read(file: Path) -> list[GapExample]:
    """Return the examples of a file, which may be gzipped.

    Raises ValueError with the file and the row if a column is missing.
    """
    with (
        gzip.open(file, "rt", encoding="utf-8") if file.suffix == ".gz" else file.open(encoding="utf-8") as f
    ):
        rows = list(csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE))
    examples: list[GapExample] = []
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
        examples.append(
            GapExample(row["Text"], row["Pronoun"], int(row["Pronoun-offset"]), (names[0], names[1]), title)
        )
    return examples


class GapScore(NamedTuple):
    """Scores in per cent, over two decisions per example."""

    precision: float
    recall: float
    f1: float


def score(decisions: Iterable[tuple[GapExample, Sequence[bool]]]) -> GapScore:
    """Return precision, recall and F1 of the decisions about names A and B of each example (section 4)."""
    hits = predicted = meant = 0
    for example, decided in decisions:
        for name, positive in zip(example.names, decided, strict=True):
            hits += positive and name.meant
            predicted += positive
            meant += name.meant
    return GapScore(
        100 * hits / max(predicted, 1), 100 * hits / max(meant, 1), 200 * hits / max(predicted + meant, 1)
    )
