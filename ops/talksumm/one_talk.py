"""The summary of one paper from the transcript of its talk, for use in a program.

Belongs here: reading both texts, and passing them through the ops that make the datasets. Not here: these ops
(align/, summarise.py), which talk presents which paper (pairing.py), transcripts with times
(sources/captions.py).
"""

from __future__ import annotations

from typing import NamedTuple

import pyarrow as pa

from silverloom.ops.core.identity import row_id
from silverloom.ops.core.outcome import Row
from silverloom.ops.core.periods import ALL
from silverloom.ops.parse.papers.plain import PlainText
from silverloom.ops.parse.papers.table import parse_records
from silverloom.ops.parse.records import Record
from silverloom.ops.parse.sentences import SentenceParams, filter_sentences
from silverloom.ops.parse.source import Raw
from silverloom.ops.rank.choose import Budget
from silverloom.ops.talksumm.align.alignments import align
from silverloom.ops.talksumm.align.hmm import HmmParams
from silverloom.ops.talksumm.pairing import pair_of
from silverloom.ops.talksumm.schemas import PAIRS
from silverloom.ops.talksumm.sources.transcripts import read_plain
from silverloom.ops.talksumm.summarise import SummaryParams, summaries


class TalkSummary(NamedTuple):
    """A talk and the summary of its paper, as in the configuration `talk_summary` of a release."""

    source: str
    """The spoken words."""
    target: str
    """The sentences of the paper that the talk spends most words on, in the paper's order; may be empty."""
    lost: str | None
    """Why the dataset would have no such summary: the reasons of `summaries` and `align`."""
    coverage: float | None
    """The share of the paper's sentences that the talk has in mind; None if nothing was aligned."""
    explained: float | None
    """The mean probability that the words come from the paper."""
    last_three: float | None
    """The share of the words on the paper's last three sentences: many show that the alignment collapsed."""


def summarize(
    transcript: str, paper: str, budget: Budget | None = None, params: HmmParams | None = None
) -> TalkSummary:
    """Return the summary of a paper from its talk: by default, of 150 words.

    `transcript` is plain text. `paper` is plain text, too: a title, then headings ("# Introduction", or a
    line "1 Introduction") and paragraphs. The thresholds of talksumm/summaries decide whether there is a
    summary, as in the dataset. The first call loads word vectors and compiled code, in some seconds. Raises
    ValueError for a paper or transcript that cannot be read.
    """
    record = Record(
        "text/paper.txt", "text", "plain_text", "", ALL, Raw("paper.txt", "paper", paper.encode())
    )
    read = parse_records([record], {"plain_text": PlainText()})
    for row in read.rejected.to_pylist():
        raise ValueError(row["error"])
    [of_paper] = read.kept.to_pylist()
    sentences = filter_sentences(read.kept, SentenceParams()).kept.to_pylist()
    words = [word._asdict() for word in read_plain(transcript)]
    talk = {"id": row_id("talk", transcript), "licence": "", "title": of_paper["title"], "words": words}
    pair = pair_of(talk, of_paper, None, 1.0, sentences)
    pairs = pa.Table.from_pylist([pair], PAIRS.kept)
    aligned = align(pairs, params or HmmParams())
    made = summaries(aligned.kept, pairs, SummaryParams(budgets={"summary": budget or Budget(words=150)}))
    source = " ".join(word["text"] for word in words)
    told = next(iter(made.kept.to_pylist()), None)
    evidence: Row = told or next(iter(aligned.kept.to_pylist()), {})
    # What is wrong with the whole pair comes last: sentences that are no states are dropped before.
    reasons = [] if told else ["no_sentence", *aligned.dropped["reason"].to_pylist()]
    reasons += [] if told else made.dropped["reason"].to_pylist()
    return TalkSummary(
        source,
        told["text"] if told else "",
        reasons[-1] if reasons else None,
        *(evidence.get(name) for name in ("coverage", "explained", "last_three")),
    )
