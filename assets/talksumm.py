"""TalkSumm (Lev et al., ACL 2019): talks aligned to their papers by an HMM give summaries of the papers.

Belongs here: the datasets of this system. Not here: how they are computed (ops/talksumm).
"""

from __future__ import annotations

from assets.declaration import AllParts, dataset
from ops.outcome import Outcomes
from ops.parts import Parts
from ops.talksumm import alignments as aligning
from ops.talksumm import budgets, training
from ops.talksumm import tuning as tuning_report
from ops.talksumm.budgets import SummaryParams
from ops.talksumm.hmm import HmmParams
from ops.talksumm.matches import match_talks
from ops.talksumm.pairs import PairParams, pair_talks
from ops.talksumm.schemas import ALIGNMENTS, MATCHES, PAIRS, SUMMARIES, TRAINING_SETS, TUNING
from ops.talksumm.training import TrainingSetParams
from ops.talksumm.tuning import TuningParams


@dataset(group="talksumm", shape=MATCHES, consumes="talks", measures=["candidates.score"])
def matches(talks: Parts, papers: AllParts) -> Outcomes:
    """The nearest titles of each talk among the papers of all months, scored once, before any threshold."""
    return talks.map(match_talks, papers)


# A pair carries all that its alignment needs: a new month of papers leaves old months' alignments fresh.
@dataset(
    group="talksumm",
    shape=PAIRS,
    consumes="talks",
    measures=["similarity", "words.length", "sentences.length"],
)
def pairs(
    talks: Parts, matches: Parts, papers: AllParts, sentences: AllParts, params: PairParams
) -> Outcomes:
    """Each talk with the paper that it presents, and with the words and sentences that an alignment needs."""
    return talks.map(pair_talks, matches, papers, sentences, params)


@dataset(
    group="talksumm",
    shape=ALIGNMENTS,
    consumes="pairs.sentences",
    measures=["count", "seconds", "spans.length", "text.words"],
)
def alignments(pairs: Parts, params: HmmParams) -> Outcomes:
    """Which paper sentence each spoken word describes, and how many words each sentence got."""
    return pairs.map(aligning.align, params)


@dataset(
    group="talksumm",
    shape=SUMMARIES,
    consumes="alignments",
    measures=["words", "sentence_ids.length", "counts.items"],
)
def summaries(alignments: Parts, pairs: Parts, params: SummaryParams) -> Outcomes:
    """Extractive summaries of each paper at every budget, from the words spent on its sentences."""
    return alignments.map(budgets.summaries, pairs.read(["id", "paper_title"]), params)


@dataset(
    group="talksumm",
    shape=TRAINING_SETS,
    consumes="summaries",
    partitioned=False,
    measures=["sentences.length", "labels.items", "summary.words"],
)
def training_sets(summaries: Parts, alignments: Parts, params: TrainingSetParams) -> Outcomes:
    """The four training sets of an extractive summariser, split by paper, over all months."""
    return training.training_sets(summaries, alignments, params)


@dataset(group="talksumm", shape=TUNING, consumes="gold_alignments", partitioned=False)
def tuning(
    gold_alignments: Parts, pairs: Parts, talks: Parts, hmm: HmmParams, params: TuningParams
) -> Outcomes:
    """How well the model does on the talks aligned by hand, at every point of a grid of its four knobs."""
    return tuning_report.tune(gold_alignments, pairs, talks, hmm, params)


TALKSUMM = [matches, pairs, alignments, summaries, training_sets, tuning]
