"""TalkSumm (Lev et al., ACL 2019): an HMM aligns talks to their papers, which gives summaries of the papers.

Belongs here: the datasets of this system. Not here: the computation (ops/talksumm).
"""

from __future__ import annotations

from silverloom.assets.declare.dataset import AllParts, dataset
from silverloom.assets.declare.declaration import Threshold, Trials
from silverloom.assets.declare.expectations import (
    at_most,
    between,
    equal,
    file_columns,
    none,
    text,
    texts,
    unique,
)
from silverloom.assets.declare.expectations import matches as like
from silverloom.assets.filters import filter_examples
from silverloom.ops.core.measures import DatasetScore
from silverloom.ops.core.outcome import Outcomes
from silverloom.ops.core.parts import FilesFolder, Parts
from silverloom.ops.core.release import ReleaseParams, shape
from silverloom.ops.core.thresholds import at_least
from silverloom.ops.core.thresholds import at_most as at_most_op
from silverloom.ops.talksumm.align.alignments import align, lengths
from silverloom.ops.talksumm.align.hmm import HmmParams
from silverloom.ops.talksumm.align.tuning import TuningParams, tune
from silverloom.ops.talksumm.matching import CANDIDATES
from silverloom.ops.talksumm.matching import matches as matches_op
from silverloom.ops.talksumm.pairing import PairParams, leads, similarities
from silverloom.ops.talksumm.pairing import pairs as pairs_op
from silverloom.ops.talksumm.release import released
from silverloom.ops.talksumm.schemas import (
    ALIGNMENTS,
    MATCHES,
    PAIRS,
    SUMMARIES,
    TALK_EXAMPLES,
    TRAINING_SETS,
    TUNING,
)
from silverloom.ops.talksumm.summarise import (
    CleanParams,
    SummaryParams,
    TrainingSetParams,
    all_summaries,
    explained,
    last_three,
    needs,
    pairs_of,
    sentences_of,
)
from silverloom.ops.talksumm.summarise import training_sets as training_sets_op
from silverloom.ops.talksumm.talk_examples import TalkExampleParams
from silverloom.ops.talksumm.talk_examples import talk_examples as talk_examples_op

#: Other budgets to try, by measure: pages show what summaries of these sizes would contain.
BUDGETS_TO_TRY = {"words": (50, 100, 200, 300, 400), "ratio": (0.1, 0.2, 0.5), "sentences": (10, 20, 40)}


@dataset(
    group="talksumm",
    shape=MATCHES,
    consumes="talks",
    measures=["candidates.score"],
    expectations=[
        unique("talk_id"),
        between("candidates.length", 1, CANDIDATES, "warning"),
        between("candidates.score.least", 0, 1),
        between("candidates.score.greatest", 0, 1),
        *none("candidates.title.missing"),
    ],
)
def matches(talks: Parts, papers: AllParts) -> Outcomes:
    """The nearest paper titles of each talk, scored once, before any threshold."""
    return matches_op(talks, papers)


# A pair contains everything that its alignment needs, so new papers do not make old alignments stale.
@dataset(
    group="talksumm",
    shape=PAIRS,
    consumes="talks",
    measures=["similarity", "words.length", "sentences.length"],
    scores={"similarity": DatasetScore("similarity")},
    thresholds=[
        Threshold(
            PairParams,
            "threshold",
            at_least,
            similarities,
            values=(0.6, 0.7, 0.85, 0.9, 0.95, 1),
            meaning="similarity of the nearest title",
            units="talks",
        ),
        Threshold(
            PairParams,
            "margin",
            at_least,
            leads,
            values=(0, 0.02, 0.1, 0.2, 0.3),
            meaning="lead of the nearest title over the next",
            units="talks",
        ),
    ],
    expectations=[
        unique("talk_id"),
        between("similarity", 0, 1),
        like("paper_month", r"^(\d{4}(-\d{2})?|all)$"),
        between("words.length", 1),
        between("sentences.length", 1),
        *none("sentences.id.repeats", "sentences.sentence_id.repeats", "sentences.position.descents"),
    ],
)
def pairs(
    talks: Parts, matches: Parts, papers: AllParts, sentences: AllParts, params: PairParams
) -> Outcomes:
    """Talks with the papers that they present, and the words and sentences to align."""
    return pairs_op(talks, matches, papers, sentences, params)


@dataset(
    group="talksumm",
    shape=ALIGNMENTS,
    consumes="pairs.sentences",
    measures=[
        *("count", "seconds", "spans.length", "text.words"),
        *("coverage", "last_three", "posterior", "explained", "stay"),
    ],
    scores={
        "coverage": DatasetScore("count", "share"),
        "words_per_sentence": DatasetScore("count"),
        "last_three": DatasetScore("last_three"),
        "posterior": DatasetScore("posterior"),
        "explained": DatasetScore("explained"),
    },
    thresholds=[
        Threshold(
            HmmParams,
            "minimum_characters",
            at_least,
            lengths,
            values=(0, 10, 20, 40, 60, 80),
            meaning="characters of the sentence",
            units="sentences",
        )
    ],
    expectations=[
        unique("pair_id", "state"),
        between("state", 0),
        between("count", 0),
        between("seconds", 0),
        between("log_probability", None, 0),
        *(between(name, 0, 1) for name in ("coverage", "last_three", "posterior", "explained", "stay")),
        at_most("state", "states"),
        at_most("count", "steps"),
        at_most("spans.length", "count"),
        between("spans.first.least", 0),
        *none("spans.first.descents"),
        *text("text", longest=3_000),
    ],
)
def alignments(pairs: Parts, params: HmmParams) -> Outcomes:
    """Alignments of spoken words to paper sentences, with the number of words that each sentence got."""
    return pairs.map(align, params)


@dataset(
    group="talksumm",
    shape=SUMMARIES,
    consumes="alignments",
    measures=["words", "sentence_ids.length", "counts.items", "explained", "last_three"],
    scores={"words": DatasetScore("words"), "exhausted": DatasetScore("exhausted", "share")},
    thresholds=[
        Threshold(
            SummaryParams,
            "explained",
            at_least,
            explained,
            values=(0, 0.4, 0.42, 0.48, 0.5, 0.55),
            meaning="mean probability that the paper explains a word",
            units="pairs",
            counted=pairs_of,
        ),
        Threshold(
            SummaryParams,
            "last_three",
            at_most_op,
            last_three,
            values=(0.1, 0.2, 0.4, 0.5, 1),
            meaning="share of the words on the last three sentences",
            units="pairs",
            counted=pairs_of,
        ),
        *(
            Threshold(
                SummaryParams,
                f"budgets.*.{measure}",
                at_most_op,
                needs,
                values=values,
                meaning=f"{measure} of a summary that takes the sentence",
                units="sentences of summaries",
                counted=sentences_of,
            )
            for measure, values in BUDGETS_TO_TRY.items()
        ),
    ],
    text_pair=("text", "pairs.sentences"),
    expectations=[
        unique("pair_id", "budget"),
        between("words", 1),
        between("words", 10, 5_000, "warning"),
        at_most("words", "paper_words"),
        equal("text.words", "words"),
        equal("sentence_ids.length", "positions.length"),
        equal("sentence_ids.length", "counts.length"),
        *none("positions.items.descents", "sentence_ids.items.repeats"),
        between("counts.items.least", 1),
        *text("text", longest=50_000),
    ],
)
def summaries(alignments: Parts, pairs: Parts, params: SummaryParams) -> Outcomes:
    """Extractive summaries of each paper for every budget, from the words spent on its sentences."""
    return all_summaries(alignments, pairs, params)


@dataset(
    group="talksumm",
    shape=TRAINING_SETS,
    consumes="summaries",
    partitioned=False,
    measures=["sentences.length", "labels.items", "summary.words"],
    scores={"chosen": DatasetScore("labels.items", "share"), "words": DatasetScore("summary.words")},
    text_pair=("summary", "sentences"),
    expectations=[
        unique("set", "pair_id"),
        equal("sentences.length", "labels.length"),
        between("labels.items.least", 0, 1),
        between("labels.items.greatest", 1, 1),
        *text("summary", longest=50_000),
        *texts("sentences.items", longest=3_000),
    ],
)
def training_sets(summaries: Parts, alignments: Parts, params: TrainingSetParams) -> Outcomes:
    """Four training sets for an extractive summariser, divided by paper into splits."""
    return training_sets_op(summaries, alignments, params)


clean_training_sets = filter_examples(
    "talksumm",
    "training_sets",
    TRAINING_SETS,
    ("sentences", "summary"),
    CleanParams,
    partitioned=False,
)


@dataset(
    group="talksumm",
    shape=TUNING,
    consumes="gold_alignments",
    partitioned=False,
    measures=["accuracy", "within_two"],
    trials=Trials(
        params=("model", "lambda", "gamma", "delta", "epsilon"),
        metrics=("accuracy", "low", "high", "within_two", "words"),
    ),
    scores={
        "accuracy": DatasetScore("accuracy", where="current"),
        "accuracy_low": DatasetScore("low", where="current"),
        "accuracy_high": DatasetScore("high", where="current"),
        "within_two": DatasetScore("within_two", where="current"),
        "best_accuracy": DatasetScore("accuracy", "greatest"),
    },
    expectations=[
        unique("model", "lambda", "gamma", "delta", "epsilon"),
        *(between(name, 0, 1) for name in ("accuracy", "low", "high", "within_two")),
        at_most("accuracy", "within_two"),
        at_most("low", "accuracy", "warning"),
        at_most("accuracy", "high", "warning"),
        between("words", 1),
    ],
    one_task=True,
)
def tuning(
    gold_alignments: Parts, pairs: Parts, talks: Parts, hmm: HmmParams, params: TuningParams
) -> Outcomes:
    """Scores of both alignment models on talks aligned by hand; the paper's for a grid of its parameters."""
    return tune(gold_alignments, pairs, talks, hmm, params)


@dataset(
    group="talksumm",
    shape=TALK_EXAMPLES,
    consumes="training_sets",
    partitioned=False,
    measures=["coverage", "source.words", "target.words"],
    scores={"coverage": DatasetScore("coverage"), "source_words": DatasetScore("source.words")},
    text_pair=("target", "source"),
    expectations=[
        unique("set", "pair_id", "first_word"),
        at_most("first_word", "last_word"),
        between("coverage", 0, 1),
        between("states", 1),
        *text("source", longest=1_000_000),
        *text("target", longest=1_000_000),
    ],
)
def talk_examples(
    training_sets: Parts,
    pairs: Parts,
    alignments: Parts,
    summaries: Parts,
    sets: TrainingSetParams,
    params: TalkExampleParams,
) -> Outcomes:
    """Pairs of texts from talks: talk and abstract, talk and summary, segment of a talk and section."""
    return talk_examples_op(training_sets, pairs, alignments, summaries, sets, params)


@dataset(
    group="talksumm",
    shape=shape(TRAINING_SETS),
    consumes="training_sets",
    partitioned=False,
    measures=["rows", "bytes"],
    expectations=file_columns(),
)
def release_files(
    training_sets: Parts,
    talk_examples: Parts,
    pairs: Parts,
    talks: Parts,
    papers: Parts,
    files: FilesFolder,
    params: ReleaseParams,
) -> Outcomes:
    """Training sets and examples of talks as Parquet files, one configuration per set."""
    return released(training_sets, talk_examples, pairs, talks, papers, files, params)
