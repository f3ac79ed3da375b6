"""ParaSCI, parts of sentences: PDBERT, and the pairs that it finds.

Belongs here: the model that finds a part of a sentence, and its pairs. Not here: other candidates
(candidates.py), and how anything is computed (ops/parasci/partial).
"""

from __future__ import annotations

import assets.systems.parasci.candidates as candidates
from assets.declare.child_runs import Trainings
from assets.declare.dataset import dataset
from assets.declare.expectations import among, between, identity, not_null, steady, text, unique
from ops.models.spans import served as spans
from ops.models.training.checkpoints import CheckpointFolder
from ops.outcome import Outcomes
from ops.params import Strict
from ops.parasci.coarse import CoarseParams
from ops.parasci.partial import partial as searching
from ops.parasci.partial import pdbert as learning
from ops.parasci.sentences import StatementParams
from ops.parts import Artifact, Parts


@dataset(
    group="parasci",
    shape=learning.PDBERT,
    consumes="intra",
    partitioned=False,
    measures=["first.words", "second.words"],
    trains=Trainings(spans.KIND),
    expectations=[
        *identity("pseudo"),
        *not_null("pair_id", "number", "split", "first", "second"),
        unique("pair_id", "number"),
        among("split", "train", "validation"),
        *text("first", longest=20_000),
        *text("second", longest=60_000),
        *steady(),
    ],
)
def pdbert(
    intra: Parts,
    sentences: Parts,
    coarse: CoarseParams,
    params: learning.PdbertParams,
    checkpoints: CheckpointFolder,
    strict: Strict,
) -> Outcomes:
    """A model that finds the part of a sentence which paraphrases another one, and what it learnt from."""
    return learning.pdbert(intra, sentences, coarse, params, checkpoints, strict)


@dataset(
    group="parasci",
    shape=searching.PARTIAL,
    consumes="intra",
    partitioned=False,
    measures=["cosine", "confidence"],
    text_pair=("second", "first"),
    expectations=[
        *candidates.candidate_columns("partial"),
        *not_null("whole", "start", "end", "confidence"),
        between("confidence", 0, 1),
    ],
)
def partial(
    intra: Parts,
    sentences: Parts,
    pdbert: Artifact,
    coarse: CoarseParams,
    params: searching.PartialParams,
    statements: StatementParams,
    strict: Strict,
) -> Outcomes:
    """Pairs of a sentence and the part of a longer one in its paper that PDBERT finds."""
    return searching.partial(intra, sentences, pdbert, coarse, params, statements.encoder, strict)
