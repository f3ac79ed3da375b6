"""ParaSCI, parts of sentences: PDBERT, and the pairs that it finds.

Belongs here: the model that finds a part of a sentence, and its pairs. Not here: other candidates
(candidates.py), and the computation (ops/parasci/partial).
"""

from __future__ import annotations

from silverloom.assets.declare.dataset import dataset
from silverloom.assets.declare.declaration import Trainings
from silverloom.assets.declare.expectations import between, text, unique
from silverloom.assets.systems.parasci.candidates import candidate_columns
from silverloom.ops.core.outcome import Outcomes
from silverloom.ops.core.params import Strict
from silverloom.ops.core.parts import Artifact, Parts
from silverloom.ops.models.training.checkpoints import CheckpointFolder
from silverloom.ops.parasci.partial.partial import PARTIAL, PartialParams
from silverloom.ops.parasci.partial.partial import partial as partial_op
from silverloom.ops.parasci.partial.pdbert import PDBERT, PdbertParams
from silverloom.ops.parasci.partial.pdbert import pdbert as pdbert_op
from silverloom.ops.parasci.sentences import StatementParams
from silverloom.ops.parasci.spans.served import KIND as SPANS


@dataset(
    group="parasci",
    shape=PDBERT,
    consumes="intra",
    partitioned=False,
    measures=["first.words", "second.words"],
    trains=Trainings(SPANS, "extractions", ("system",)),
    expectations=[
        unique("pair_id", "number"),
        *text("first", longest=20_000),
        *text("second", longest=60_000),
    ],
    one_task=True,
)
def pdbert(
    intra: Parts,
    sentences: Parts,
    params: PdbertParams,
    checkpoints: CheckpointFolder,
    strict: Strict,
) -> Outcomes:
    """PDBERT, a model that finds the part of a sentence that paraphrases another sentence."""
    return pdbert_op(intra, sentences, params, checkpoints, strict)


@dataset(
    group="parasci",
    shape=PARTIAL,
    consumes="intra",
    partitioned=False,
    measures=["cosine", "confidence"],
    text_pair=("second", "first"),
    expectations=[
        *candidate_columns(),
        between("confidence", 0, 1),
    ],
)
def partial(
    intra: Parts,
    sentences: Parts,
    pdbert: Artifact,
    params: PartialParams,
    statements: StatementParams,
    strict: Strict,
) -> Outcomes:
    """Pairs of a sentence and the part of a longer one in its paper that PDBERT finds."""
    return partial_op(intra, sentences, pdbert, params, statements.encoder, strict)
