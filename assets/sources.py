"""What was collected: papers, talks and prose, parsed, by month of publication.

Belongs here: datasets that every system may read. Not here: what one system makes of them.
"""

from __future__ import annotations

from assets.declare.dataset import dataset
from assets.declare.expectations import (
    THIS_MONTH,
    among,
    at_most,
    between,
    identity,
    matches,
    none,
    not_null,
    steady,
    text,
    texts,
    unique,
)
from ops.annotation.answers import parse_answers
from ops.annotation.schemas import ANSWERS
from ops.outcome import Outcomes
from ops.parse.fusion_pairs import parse_fusion_pairs
from ops.parse.gold_alignments import parse_gold_alignments
from ops.parse.papers import parse_papers
from ops.parse.prose import parse_prose
from ops.parse.roles import ROLES
from ops.parse.scan import Records
from ops.parse.schemas import (
    FUSION_PAIRS,
    GOLD_ALIGNMENTS,
    HUMAN_SUMMARIES,
    PAPERS,
    PROSE,
    SENTENCES,
    TALKS,
)
from ops.parse.sentences import SentenceParams, filter_sentences
from ops.parse.summaries import KINDS, parse_human_summaries
from ops.parse.talks import parse_talks
from ops.parts import Parts
from ops.scores import Score


@dataset(
    group="sources",
    shape=PAPERS,
    measures=["text.words", "sections.length", "sentences.length"],
    scores={"sentences": Score("sentences.length")},
    expectations=[
        *identity("paper"),
        *not_null("document", "month", "text"),
        among("month", THIS_MONTH),
        *not_null("title", severity="warning"),
        *text("title", longest=400),
        between("text.characters", 200, 2_000_000, "warning"),
        between("sentences.length", 1, 10_000, "warning"),
        *none("sentences.id.missing", "sentences.id.repeats", "sentences.position.descents"),
        between("sentences.start.least", 0),
        *texts("sentences.text", longest=3_000),
        *steady(),
    ],
)
def papers(records: Records) -> Outcomes:
    """Papers of every source: title, sections with their roles, sentences with their place in the source."""
    return records.map(parse_papers)


@dataset(
    group="sources",
    shape=TALKS,
    measures=["words.length"],
    scores={"words": Score("words.length")},
    expectations=[
        *identity("talk"),
        *not_null("document", "month"),
        among("month", THIS_MONTH),
        *not_null("title", "date", severity="warning"),
        matches("date", r"^\d{4}(-\d{2}){0,2}$", "warning"),
        *text("title", longest=400),
        between("words.length", 1),
        between("words.length", 20, 100_000, "warning"),
        between("words.start.least", 0),
        *none("words.start.descents"),
        *none("words.offset.descents", severity="warning"),
        *texts("words.text", longest=100),
        *steady(),
    ],
)
def talks(records: Records) -> Outcomes:
    """Transcripts of talks, word by word, with times where the transcript has them."""
    return records.map(parse_talks)


@dataset(
    group="sources",
    shape=SENTENCES,
    consumes="papers.sentences",
    measures=["text.words", "text.characters"],
    scores={"words": Score("text.words")},
    expectations=[
        *identity("sentence"),
        *not_null("paper_id", "position", "section", "start", "end", "text"),
        unique("paper_id", "position"),
        between("position", 0),
        between("start", 0),
        at_most("start", "end"),
        among("role", *ROLES),
        *text("text", longest=3_000),
        *steady(),
    ],
)
def sentences(papers: Parts, params: SentenceParams) -> Outcomes:
    """The papers' sentences without footnotes, copyright lines and equation debris."""
    return papers.map(filter_sentences, params)


@dataset(
    group="sources",
    shape=GOLD_ALIGNMENTS,
    optional=True,
    measures=["sentence.characters"],
    expectations=[
        *identity("label"),
        *not_null("document", "month", "first_word", "last_word"),
        among("month", THIS_MONTH),
        between("first_word", 0),
        at_most("first_word", "last_word"),
        *text("sentence", longest=3_000),
        *steady(),
    ],
)
def gold_alignments(records: Records) -> Outcomes:
    """Alignments made by hand: which words of a talk describe which sentence of its paper."""
    return records.map(parse_gold_alignments)


@dataset(
    group="sources",
    shape=HUMAN_SUMMARIES,
    optional=True,
    measures=["words", "sentences.length"],
    scores={"words": Score("words")},
    expectations=[
        *identity("reference"),
        *not_null("document", "month", "kind"),
        among("month", THIS_MONTH),
        among("kind", *KINDS),
        between("sentences.length", 1),
        between("words", 1),
        between("words", 20, 1_000, "warning"),
        *texts("sentences.items", longest=3_000),
        *steady(),
    ],
)
def human_summaries(records: Records) -> Outcomes:
    """Summaries of papers that people wrote: what the summaries of a model are compared with."""
    return records.map(parse_human_summaries)


@dataset(
    group="sources",
    shape=ANSWERS,
    optional=True,
    expectations=[
        *identity("answer"),
        *not_null("file", "place", "row_id"),
        *not_null("questionnaire", "rater", "question", severity="warning"),
        *steady(),
    ],
)
def ratings(records: Records) -> Outcomes:
    """Answers of people who rated rows, as they stand in filled rating sheets."""
    return records.map(parse_answers)


@dataset(
    group="sources",
    shape=PROSE,
    optional=True,
    measures=["text.words", "text.characters"],
    scores={"words": Score("text.words")},
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
    return records.map(parse_prose)


@dataset(
    group="sources",
    shape=FUSION_PAIRS,
    optional=True,
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
    return records.map(parse_fusion_pairs)
