"""Papers with the sentences that their summaries take.

Belongs here: labels, their checks, and the identity of a set. Not here: making labels (ops/rank/oracle.py,
ops/talksumm), and what is learnt from them (tasks.py).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import astuple, dataclass, field

from ops.models.extractors.paper import LabelError, Paper, check_labels

#: Sentences of a training paper that are read: it bounds what training costs. Of 778 papers of the ACL
#: Anthology the longest has 838.
LONGEST = 1000


@dataclass(frozen=True)
class Labelled:
    """Papers with the sentences that their summaries take, a row each.

    `gains`, where given, say of every sentence how much it is worth to the best of its paper (0 to 1):
    soft labels for the Transformer. Raises LabelError for labels outside their paper, naming the row.
    """

    papers: Sequence[Paper]
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
        rows = [[*astuple(paper)] for paper in self.papers]
        content = [
            rows,
            [list(labels) for labels in self.labels],
            self.gains and [list(gains) for gains in self.gains],
        ]
        return hashlib.sha256(json.dumps(content, default=list).encode()).hexdigest()

    def learnable(self) -> list[tuple[Paper, list[int], list[float]]]:
        """Return the first sentences of the papers that have a label in them, labels in the paper's order."""
        found = []
        for row, (paper, labels) in enumerate(zip(self.papers, self.labels, strict=True)):
            kept = sorted(index for index in labels if index < LONGEST)
            if kept:
                cut = Paper(
                    paper.id,
                    paper.sentences[:LONGEST],
                    paper.title,
                    paper.roles[:LONGEST],
                    paper.sections[:LONGEST],
                )
                found.append((cut, kept, list(self.gains[row][:LONGEST]) if self.gains else []))
        return found
