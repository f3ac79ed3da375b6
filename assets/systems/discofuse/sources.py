"""What DiscoFuse alone reads: prose, and sentences that people split in two.

Belongs here: its datasets of the group "sources". Not here: parsing (ops/discofuse/sources).
"""

from __future__ import annotations

from assets.declare.dataset import dataset
from assets.declare.expectations import (
    THIS_MONTH,
    among,
    identity,
    not_null,
    steady,
    text,
)
from assets.declare.systems import needs
from ops.discofuse.sources import fusion_pairs as pair_files
from ops.discofuse.sources import prose as prose_files
from ops.discofuse.sources.schemas import FUSION_PAIRS, PROSE
from ops.outcome import Outcomes
from ops.parse.scan import Records
from ops.scores import DatasetScore

needs("discofuse", "prose")


@dataset(
    group="sources",
    shape=PROSE,
    formats=prose_files.FORMATS,
    measures=["text.words", "text.characters"],
    scores={"words": DatasetScore("text.words")},
    expectations=[
        *identity("prose"),
        *not_null("document", "month", "domain", "text"),
        among("month", THIS_MONTH),
        *text("title", longest=400),
        *text("text", longest=2_000_000),
        *steady(),
    ],
)
def prose(records: Records) -> Outcomes:
    """Running text of any kind, a row a document, with the domain of its source."""
    return records.map(prose_files.parse_prose)


@dataset(
    group="sources",
    shape=FUSION_PAIRS,
    formats=pair_files.FORMATS,
    measures=["fused.words", "first.words", "second.words"],
    expectations=[
        *identity("fusion"),
        *not_null("document", "month", "split", "fused", "first", "second"),
        among("month", THIS_MONTH),
        among("split", "train", "validation", "test"),
        *text("fused", longest=3_000),
        *text("first", longest=3_000),
        *text("second", longest=3_000),
        *steady(),
    ],
)
def fusion_pairs(records: Records) -> Outcomes:
    """Sentences that people split in two: what fusion models are tuned to and judged on beside DiscoFuse."""
    return records.map(pair_files.parse_fusion_pairs)
