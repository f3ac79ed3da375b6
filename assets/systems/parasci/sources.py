"""The sources that only ParaSCI reads: abstracts, citing sentences, and external paraphrase pairs.

Belongs here: its datasets of the group "sources". Not here: parsing (ops/parasci/sources.py).
"""

from __future__ import annotations

from silverloom.assets.declare.dataset import dataset
from silverloom.assets.declare.expectations import between, text
from silverloom.ops.core.outcome import Outcomes
from silverloom.ops.parasci import sources
from silverloom.ops.parasci.schemas import PARAPHRASE_PAIRS, PASSAGES
from silverloom.ops.parse.scan import Records


@dataset(
    group="sources",
    shape=PASSAGES,
    formats=sources.PASSAGE_FORMATS,
    measures=["text.words", "text.characters"],
    expectations=[
        between("position", 0),
        *text("text", longest=3_000),
    ],
)
def passages(records: Records) -> Outcomes:
    """Sentences of abstracts and citing sentences, from papers whose full text is not available."""
    return records.map(sources.parse_passages)


@dataset(
    group="sources",
    shape=PARAPHRASE_PAIRS,
    formats=sources.PAIR_FORMATS,
    measures=["first.words", "second.words"],
    text_pair=("second", "first"),
    expectations=[
        *text("first", longest=3_000),
        *text("second", longest=3_000),
    ],
)
def paraphrase_pairs(records: Records) -> Outcomes:
    """Paraphrase pairs of external corpora, such as Quora, to train and test generators on."""
    return records.map(sources.parse_paraphrase_pairs)
