"""The input and output of extractors, and the labels for training them.

Belongs here: plain data and its checks, papers with the sentences of their summaries, and the digest of such
a set. Not here: which sentences of a paper are excluded (callers exclude abstract, acknowledgments and
references), making labels (ops/rank/rankers.py, the systems), models (pointer.py, transformer.py).
"""

from __future__ import annotations

import hashlib
import json
from array import array
from collections.abc import Sequence
from dataclasses import astuple, dataclass, field
from typing import Protocol

from silverloom.ops.core.stored_rows import Made


class LabelError(ValueError):
    """Labels are out of range or repeat a sentence; the message names the row."""


@dataclass(frozen=True)
class ExtractorPaper:
    """The N extractable sentences of a paper, in order, with their sections.

    `roles` (N) are those of ops/parse/roles.py, and `sections` (N) are non-decreasing indices; by default,
    all sentences are in one section of the role "other". Empty sentences are allowed, and are never
    extracted. Raises ValueError if the lengths differ.
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
    """Sentences in the order in which the model chose them, each with its score (higher is better)."""

    indices: tuple[int, ...]
    scores: tuple[float, ...]


class Extractor(Protocol):
    """The interface of every extractive summariser."""

    def extract(self, paper: ExtractorPaper, words: int | None = 150) -> Extraction:
        """Return sentences of a paper until they have `words` words, or the paper has no more.

        Words are separated by white space. The sentence that exceeds the budget is the last one. With
        `words=None` the model decides when to stop.
        """
        ...


def check_labels(papers: Sequence[ExtractorPaper], labels: Sequence[Sequence[int]]) -> None:
    """Raise LabelError for labels that do not index sentences of their paper; the message names the row."""
    if len(papers) != len(labels):
        raise LabelError(f"{len(papers)} papers, labels of {len(labels)}")
    for row, (paper, chosen) in enumerate(zip(papers, labels, strict=True)):
        for index in chosen:
            if not 0 <= index < len(paper):
                raise LabelError(
                    f"row {row} (paper {paper.id}): label {index} is outside the paper, which has "
                    f"{len(paper)} sentences"
                )
        if len(set(chosen)) != len(chosen):
            raise LabelError(f"row {row} (paper {paper.id}): a sentence is labelled twice: {list(chosen)}")


def take_words(order: Sequence[int], lengths: Sequence[int], words: int | None) -> int:
    """Return how many items of `order` are taken until their `lengths` reach `words`, or all."""
    if words is None:
        return len(order)
    used = 0
    for count, index in enumerate(order):
        if used >= words:
            return count
        used += lengths[index]
    return len(order)


#: Sentences read of a training paper, which limits the cost of training. The longest of 778 papers of the ACL
#: Anthology has 838.
LONGEST = 1000


@dataclass(frozen=True)
class Labelled:
    """Papers with the sentences of their summaries, one row each.

    `gains` (optional) has the worth of every sentence relative to the best in its paper (0 to 1): soft labels
    for the Transformer. Sequences on disk are not loaded. Raises LabelError for labels out of range; the
    message names the row.
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
        """Return the SHA-256 of the whole content."""
        sha256 = hashlib.sha256()
        for row, (paper, labels) in enumerate(zip(self.papers, self.labels, strict=True)):
            content = [*astuple(paper), labels, self.gains[row] if self.gains is not None else None]
            sha256.update(json.dumps(content, default=list).encode())
        return sha256.hexdigest()

    def learnable(self) -> Sequence[tuple[ExtractorPaper, list[int], list[float]]]:
        """Return the papers with a label among their first sentences, cut to these, with sorted labels."""
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
