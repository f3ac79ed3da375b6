"""The sources that only DiscoFuse reads: prose, and sentences that people split in two.

Belongs here: its datasets of the group "sources". Not here: parsing (ops/discofuse/sources.py).
"""

from __future__ import annotations

from silverloom.assets.declare.dataset import dataset
from silverloom.assets.declare.expectations import (
    text,
)
from silverloom.assets.filters import filter_documents
from silverloom.ops.core.measures import DatasetScore
from silverloom.ops.core.outcome import Outcomes
from silverloom.ops.discofuse import sources
from silverloom.ops.discofuse.schemas import FUSION_PAIRS, PROSE
from silverloom.ops.filters.params import ProseBoundParams, ProseScoreParams
from silverloom.ops.parse.scan import Records


@dataset(
    group="sources",
    shape=PROSE,
    formats=sources.PROSE_FORMATS,
    measures=["text.words", "text.characters"],
    scores={"words": DatasetScore("text.words")},
    expectations=[
        *text("title", longest=400),
        *text("text", longest=2_000_000),
    ],
)
def prose(records: Records) -> Outcomes:
    """Running text, one row per document, with the domain of its source."""
    return records.map(sources.parse_prose)


filtered_prose = filter_documents("prose", PROSE, ProseScoreParams, ProseBoundParams)


@dataset(
    group="sources",
    shape=FUSION_PAIRS,
    formats=sources.FUSION_PAIR_FORMATS,
    measures=["fused.words", "first.words", "second.words"],
    expectations=[
        *text("fused", longest=3_000),
        *text("first", longest=3_000),
        *text("second", longest=3_000),
    ],
)
def fusion_pairs(records: Records) -> Outcomes:
    """Sentences that people split in two, to fine-tune and test fusion models on another corpus."""
    return records.map(sources.parse_fusion_pairs)
