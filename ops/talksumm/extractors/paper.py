"""A paper as extractors see it, what they give back, and the labels that they learn from.

Belongs here: plain data, its checks, papers with the sentences that their summaries take, and the identity of
such a set. Not here: which sentences of a paper are left out (the caller leaves out abstract, acknowledgments
and references), making labels (ops/rank/rankers.py, the systems), models (pointer.py, transformer.py).
"""

from __future__ import annotations

import hashlib
import json
from array import array
from collections.abc import Sequence
from dataclasses import astuple, dataclass, field
from typing import Protocol

from ops.core.stored_rows import Made


class LabelError(ValueError):
    """Labels point outside their paper, or name a sentence twice; the message names the row."""


@dataclass(frozen=True)
class ExtractorPaper:
    """The N sentences of a paper that may be extracted, in its order, with the section that each lies in.

    `roles` (N) as ops/parse/roles.py names them and `sections` (N), indices that never fall; where they are
    left out, all is one section of the role "other". An empty sentence may stand, and is never extracted.
    Raises ValueError if the lengths differ.
    """

    id: str
    sentences: Sequence[str]
    title: str = ""
    roles: Sequence[str] = field(default=())
    sections: Sequence[int] = field(default=())

    def __post_init__(self) -> None:
        for name, default in (("roles", "other"), ("sections", 0)):
            values = getattr(self, name)
            if not len(values):
                object.__setattr__(self, name, (default,) * len(self.sentences))
            elif len(values) != len(self.sentences):
                raise ValueError(f"paper {self.id}: {len(self.sentences)} sentences, {len(values)} {name}")

    def __len__(self) -> int:
        return len(self.sentences)


@dataclass(frozen=True)
class Extraction:
    """Sentences in the order in which the model chose them, each with its score (higher is surer)."""

    indices: tuple[int, ...]
    scores: tuple[float, ...]


class Extractor(Protocol):
    """What every extractive summariser here can do."""

    def extract(self, paper: ExtractorPaper, words: int | None = 150) -> Extraction:
        """Return sentences of a paper until they have `words` words, or the paper has no more.

        A word is what stands between white space. The sentence that passes the budget is the last. With
        `words=None` the model itself says when it is done.
        """
        ...


def check_labels(papers: Sequence[ExtractorPaper], labels: Sequence[Sequence[int]]) -> None:
    """Raise LabelError for labels that are no sentences of their paper; the message names the row."""
    if len(papers) != len(labels):
        raise LabelError(f"{len(papers)} papers, labels of {len(labels)}")
    for row, (paper, chosen) in enumerate(zip(papers, labels, strict=True)):
        for index in chosen:
            if not 0 <= index < len(paper):
                raise LabelError(
                    f"row {row} (paper {paper.id}): label {index} lies outside the paper, which has "
                    f"{len(paper)} sentences"
                )
        if len(set(chosen)) != len(chosen):
            raise LabelError(f"row {row} (paper {paper.id}): a sentence is labelled twice: {list(chosen)}")


def take_words(order: Sequence[int], lengths: Sequence[int], words: int | None) -> int:
    """Return how many of `order` are taken until their `lengths` reach `words`; all if they never do."""
    if words is None:
        return len(order)
    used = 0
    for count, index in enumerate(order):
        if used >= words:
            return count
        used += lengths[index]
    return len(order)


#: Sentences of a training paper that are read: it bounds what training costs. Of 778 papers of the ACL
#: Anthology the longest has 838.
LONGEST = 1000


@dataclass(frozen=True)
class Labelled:
    """Papers with the sentences that their summaries take, a row each.

    `gains`, where given, say of every sentence how much it is worth to the best of its paper (0 to 1):
    soft labels for the Transformer. Sequences that are on disk stay there. Raises LabelError for labels
    outside their paper, naming the row.
    """

    papers: Sequence[ExtractorPaper]
    labels: Sequence[Sequence[int]]
    gains: Sequence[Sequence[float]] | None = field(default=None)

    def __post_init__(self) -> None:
        check_labels(self.papers, self.labels)
        if self.gains is None:
            return
        if len(self.gains) != len(self.papers):
            raise LabelError(f"{len(self.papers)} papers, gains of {len(self.gains)}")
        for row, (paper, gains) in enumerate(zip(self.papers, self.gains, strict=True)):
            if len(gains) != len(paper):
                raise LabelError(f"row {row} (paper {paper.id}): {len(paper)} sentences, {len(gains)} gains")

    def digest(self) -> str:
        """Return the SHA-256 of everything in it."""
        found = hashlib.sha256()
        for row, (paper, labels) in enumerate(zip(self.papers, self.labels, strict=True)):
            content = [*astuple(paper), labels, self.gains[row] if self.gains is not None else None]
            found.update(json.dumps(content, default=list).encode())
        return found.hexdigest()

    def learnable(self) -> Sequence[tuple[ExtractorPaper, list[int], list[float]]]:
        """Return the first sentences of the papers that have a label in them, labels in the paper's order."""
        rows = (row for row, labels in enumerate(self.labels) if any(index < LONGEST for index in labels))
        return Made(array("q", rows), self._learnt)

    def _learnt(self, row: int) -> tuple[ExtractorPaper, list[int], list[float]]:
        paper = self.papers[row]
        cut = ExtractorPaper(
            paper.id,
            paper.sentences[:LONGEST],
            paper.title,
            paper.roles[:LONGEST],
            paper.sections[:LONGEST],
        )
        labels = sorted(index for index in self.labels[row] if index < LONGEST)
        return cut, labels, list(self.gains[row][:LONGEST]) if self.gains is not None else []
