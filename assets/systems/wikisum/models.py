"""WikiSum, second half: models that write leads, and what they write.

Belongs here: the datasets from examples on. Not here: how these are made (datasets.py), and how anything is
computed (ops/wikisum).
"""

from __future__ import annotations

import assets.systems.wikisum.datasets  # noqa: F401  a dataset is declared before what reads it
from assets.declare.child_runs import Trainings
from assets.declare.dataset import dataset
from assets.declare.expectations import among, between, identity, not_null, steady, text, unique
from ops.models.long_sequences import texts as long_sequences
from ops.models.training.checkpoints import CheckpointFolder
from ops.outcome import Outcomes
from ops.params import Strict
from ops.parts import Artifact, Parts
from ops.scores import DatasetScore
from ops.wikisum.examples import ExampleParams
from ops.wikisum.models import grid as varying
from ops.wikisum.models import summaries as writing
from ops.wikisum.models import summarizer as learning
from ops.wikisum.schemas import EXAMPLES
from ops.wikisum.splits import SplitParams


@dataset(
    group="wikisum",
    shape=learning.SUMMARIZER,
    consumes="examples",
    partitioned=False,
    measures=["source_tokens", "target_tokens"],
    trains=Trainings(long_sequences.KIND),
    expectations=[
        *identity("learnt"),
        *not_null("example_id", "set", "split", "source_tokens", "target_tokens"),
        unique("example_id"),
        among("split", "train", "validation", "test"),
        between("source_tokens", 1),
        between("target_tokens", 1),
        *steady(),
    ],
)
def summarizer(
    examples: Parts,
    tokenizer: Artifact,
    params: learning.SummarizerParams,
    checkpoints: CheckpointFolder,
    strict: Strict,
) -> Outcomes:
    """Models that write what title and ranked paragraphs call for, one for each architecture and set."""
    return learning.summarizer(examples, tokenizer, params, checkpoints, strict)


@dataset(
    group="wikisum",
    shape=writing.SUMMARIES,
    consumes="examples",
    partitioned=False,
    measures=["prediction.words", "target.words", "rougeL_f"],
    scores={"rougeL_f": DatasetScore("rougeL_f")},
    text_pair=("prediction", "target"),
    expectations=[
        *identity("summary"),
        *not_null("example_id", "article_id", "title", "model", "architecture", "set", "target", "cut"),
        unique("example_id", "model"),
        among("architecture", "lstm", "transformer_ed", "decoder", "pretrained"),
        between("tokens", 1),
        between("nats", 0),
        *(between(name, 0, 1) for name in writing.METRICS),
        *text("target", longest=1_000_000),
        *steady(),
    ],
)
def summaries(
    examples: Parts, summarizer: Artifact, params: writing.SummaryParams, strict: Strict
) -> Outcomes:
    """What every model writes for each test example, with its log-perplexity and ROUGE."""
    return writing.summaries(examples, summarizer, params, strict)


@dataset(
    group="wikisum",
    shape=EXAMPLES,
    consumes="ranked",
    measures=["source_tokens.length", "target_tokens.length"],
    expectations=[
        *identity("example"),
        *not_null("set", "split", "article_id", "corpus", "ranker", "source", "target"),
        unique("set", "article_id"),
        between("source_tokens.length", 1),
        between("target_tokens.length", 1),
        *steady(),
    ],
)
def grid_examples(
    ranked: Parts,
    tokenizer: Artifact,
    learned_ranker: Artifact,
    splits: SplitParams,
    params: ExampleParams,
    grid: varying.GridParams,
) -> Outcomes:
    """The examples that the cells of the grid learn from: a set for each extractor, corpus and length."""
    return varying.grid_examples(ranked, tokenizer, learned_ranker, splits, params, grid)


@dataset(
    group="wikisum",
    shape=varying.GRID,
    consumes="grid_examples",
    partitioned=False,
    measures=["prediction.words", "target.words", "rougeL_f"],
    trains=Trainings(long_sequences.KIND),
    text_pair=("prediction", "target"),
    expectations=[
        *identity("summary"),
        *not_null("example_id", "article_id", "model", "architecture", "set", "ranker", "corpus", "cut"),
        *not_null("target"),
        unique("example_id", "model"),
        between("length", 1),
        between("tokens", 1),
        between("nats", 0),
        *(between(name, 0, 1) for name in writing.METRICS),
        *text("target", longest=1_000_000),
        *steady(),
    ],
)
def grid(
    grid_examples: Parts,
    tokenizer: Artifact,
    params: varying.GridParams,
    checkpoints: CheckpointFolder,
    strict: Strict,
) -> Outcomes:
    """What models of every extractor, corpus, length and architecture write, each trained for it."""
    return varying.grid(grid_examples, tokenizer, params, checkpoints, strict)
