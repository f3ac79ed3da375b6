"""The sources that only TalkSumm reads: talks, manual alignments, summaries by people.

Belongs here: its datasets of the group "sources". Not here: papers (assets/sources.py), parsing
(ops/talksumm/sources).
"""

from __future__ import annotations

from silverloom.assets.declare.dataset import dataset
from silverloom.assets.declare.expectations import (
    at_most,
    between,
    matches,
    none,
    not_null,
    text,
    texts,
)
from silverloom.ops.core.measures import DatasetScore
from silverloom.ops.core.outcome import Outcomes
from silverloom.ops.parse.scan import Records
from silverloom.ops.talksumm.schemas import GOLD_ALIGNMENTS, HUMAN_SUMMARIES, TALKS
from silverloom.ops.talksumm.sources import gold as gold_files
from silverloom.ops.talksumm.sources import talks as talk_files


@dataset(
    group="sources",
    shape=TALKS,
    formats=talk_files.FORMATS,
    measures=["words.length"],
    scores={"words": DatasetScore("words.length")},
    expectations=[
        *not_null("title", "date", severity="warning"),
        matches("date", r"^\d{4}(-\d{2}){0,2}$", "warning"),
        *text("title", longest=400),
        between("words.length", 1),
        between("words.length", 20, 100_000, "warning"),
        between("words.start.least", 0),
        *none("words.start.descents"),
        *none("words.offset.descents", severity="warning"),
        *texts("words.text", longest=100),
    ],
)
def talks(records: Records) -> Outcomes:
    """Transcripts of talks, word by word, with times if the transcript has them."""
    return records.map(talk_files.parse_talks)


@dataset(
    group="sources",
    shape=GOLD_ALIGNMENTS,
    formats=gold_files.ALIGNMENT_FORMATS,
    measures=["sentence.characters"],
    expectations=[
        between("first_word", 0),
        at_most("first_word", "last_word"),
        *text("sentence", longest=3_000),
    ],
)
def gold_alignments(records: Records) -> Outcomes:
    """Manual alignments of a talk's words to the sentences of its paper."""
    return records.map(gold_files.parse_gold_alignments)


@dataset(
    group="sources",
    shape=HUMAN_SUMMARIES,
    formats=gold_files.SUMMARY_FORMATS,
    measures=["words", "sentences.length"],
    scores={"words": DatasetScore("words")},
    expectations=[
        between("sentences.length", 1),
        between("words", 1),
        between("words", 20, 1_000, "warning"),
        *texts("sentences.items", longest=3_000),
    ],
)
def human_summaries(records: Records) -> Outcomes:
    """Summaries of papers that people wrote, to compare model summaries with."""
    return records.map(gold_files.parse_human_summaries)
