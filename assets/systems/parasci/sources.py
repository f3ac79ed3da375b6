"""What ParaSCI alone reads: abstracts, and sentences that cite.

Belongs here: its datasets of the group "sources". Not here: parsing (ops/parasci/sources).
"""

from __future__ import annotations

from assets.declare.dataset import dataset
from assets.declare.expectations import THIS_MONTH, among, between, identity, not_null, steady, text
from ops.outcome import Outcomes
from ops.parasci.schemas import PASSAGES
from ops.parasci.sources import passages as passage_files
from ops.parse.scan import Records


@dataset(
    group="sources",
    shape=PASSAGES,
    formats=passage_files.FORMATS,
    measures=["text.words", "text.characters"],
    expectations=[
        *identity("passage"),
        *not_null("document", "month", "paper", "text"),
        among("month", THIS_MONTH),
        between("position", 0),
        *text("text", longest=3_000),
        *steady(),
    ],
)
def passages(records: Records) -> Outcomes:
    """Sentences of abstracts, and sentences that cite a paper, without the papers that they are from."""
    return records.map(passage_files.parse_passages)
