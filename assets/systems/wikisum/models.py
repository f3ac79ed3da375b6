"""WikiSum, second half: models that write leads, and what they write.

Belongs here: the datasets from examples on. Not here: how these are made (datasets.py), and the computation
(ops/wikisum).
"""

from __future__ import annotations

from silverloom.assets.declare.dataset import dataset
from silverloom.assets.declare.declaration import Trainings
from silverloom.assets.declare.expectations import among, between, text, unique
from silverloom.assets.filters import filter_examples
from silverloom.ops.core.measures import DatasetScore
from silverloom.ops.core.outcome import Outcomes
from silverloom.ops.core.params import Strict
from silverloom.ops.core.parts import Artifact, Parts
from silverloom.ops.models.training.checkpoints import CheckpointFolder
from silverloom.ops.wikisum.examples import CleanParams, ExampleParams
from silverloom.ops.wikisum.long_sequences.texts import KIND
from silverloom.ops.wikisum.models.grid import GRID, GridParams
from silverloom.ops.wikisum.models.grid import grid as grid_op
from silverloom.ops.wikisum.models.grid import grid_examples as grid_examples_op
from silverloom.ops.wikisum.models.summaries import METRICS, SUMMARIES, SummaryParams
from silverloom.ops.wikisum.models.summaries import summaries as summaries_op
from silverloom.ops.wikisum.models.summarizer import SUMMARIZER, SummarizerParams
from silverloom.ops.wikisum.models.summarizer import summarizer as summarizer_op
from silverloom.ops.wikisum.schemas import EXAMPLES, SplitParams


@dataset(
    group="wikisum",
    shape=SUMMARIZER,
    consumes="examples",
    partitioned=False,
    measures=["source_tokens", "target_tokens"],
    trains=Trainings(KIND, "summaries"),
    expectations=[
        unique("example_id"),
        between("source_tokens", 1),
        between("target_tokens", 1),
    ],
    one_task=True,
)
def summarizer(
    examples: Parts,
    tokenizer: Artifact,
    params: SummarizerParams,
    checkpoints: CheckpointFolder,
    strict: Strict,
) -> Outcomes:
    """Models that write a lead from title and ranked paragraphs, one for each architecture and set."""
    return summarizer_op(examples, tokenizer, params, checkpoints, strict)


@dataset(
    group="wikisum",
    shape=SUMMARIES,
    consumes="examples",
    partitioned=False,
    measures=["prediction.words", "target.words", "rougeL_f"],
    scores={"rougeL_f": DatasetScore("rougeL_f")},
    text_pair=("prediction", "target"),
    expectations=[
        unique("example_id", "model"),
        among("architecture", "lstm", "transformer_ed", "decoder", "pretrained"),
        between("tokens", 1),
        between("nats", 0),
        *(between(name, 0, 1) for name in METRICS),
        *text("target", longest=1_000_000),
    ],
)
def summaries(examples: Parts, summarizer: Artifact, params: SummaryParams, strict: Strict) -> Outcomes:
    """Leads of the test examples by every model, with log-perplexity and ROUGE."""
    return summaries_op(examples, summarizer, params, strict)


@dataset(
    group="wikisum",
    shape=EXAMPLES,
    consumes="ranked",
    measures=["source_tokens.length", "target_tokens.length"],
    expectations=[
        unique("set", "article_id"),
        between("source_tokens.length", 1),
        between("target_tokens.length", 1),
    ],
)
def grid_examples(
    ranked: Parts,
    tokenizer: Artifact,
    learned_ranker: Artifact,
    splits: SplitParams,
    params: ExampleParams,
    grid: GridParams,
) -> Outcomes:
    """Examples for the cells of the grid: one set for each extractor, corpus and length."""
    return grid_examples_op(ranked, tokenizer, learned_ranker, splits, params, grid)


clean_grid_examples = filter_examples(
    "wikisum",
    "grid_examples",
    EXAMPLES,
    ("source", "target"),
    CleanParams,
    partitioned=True,
    overlaps="grid_overlaps",
)


@dataset(
    group="wikisum",
    shape=GRID,
    consumes="grid_examples",
    partitioned=False,
    measures=["prediction.words", "target.words", "rougeL_f"],
    trains=Trainings(KIND, "evaluation", ("system", "model")),
    text_pair=("prediction", "target"),
    expectations=[
        unique("example_id", "model"),
        between("length", 1),
        between("tokens", 1),
        between("nats", 0),
        *(between(name, 0, 1) for name in METRICS),
        *text("target", longest=1_000_000),
    ],
    one_task=True,
)
def grid(
    grid_examples: Parts,
    tokenizer: Artifact,
    params: GridParams,
    checkpoints: CheckpointFolder,
    strict: Strict,
) -> Outcomes:
    """Leads by a model for each extractor, corpus, length and architecture of the grid."""
    return grid_op(grid_examples, tokenizer, params, checkpoints, strict)
