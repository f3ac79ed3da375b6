"""ParaSCI, entailment: a model that tells whether each of two sentences says what the other one says.

Belongs here: the model and what it learns from. Not here: pairs that it is asked about (datasets.py), and how
anything is computed (ops/parasci/entailment).
"""

from __future__ import annotations

from assets.declare.dataset import dataset
from assets.declare.declaration import Trainings
from assets.declare.expectations import among, identity, not_null, steady, text, unique
from ops.core.outcome import Outcomes
from ops.core.params import Strict
from ops.core.parts import Parts
from ops.models.training.checkpoints import CheckpointFolder
from ops.parasci.entailment.entailment import ENTAILMENT, EntailmentParams
from ops.parasci.entailment.entailment import entailment as entailment_op
from ops.parasci.entailment.served import KIND as ENTAILMENTS


@dataset(
    group="parasci",
    shape=ENTAILMENT,
    consumes="intra",
    partitioned=False,
    measures=["first.words", "second.words"],
    trains=Trainings(ENTAILMENTS),
    expectations=[
        *identity("entailed"),
        *not_null("pair_id", "number", "split", "kind", "first", "second", "forward", "backward"),
        unique("pair_id", "number"),
        among("split", "train", "validation"),
        *text("first", longest=20_000),
        *text("second", longest=20_000),
        *steady(),
    ],
    one_task=True,
)
def entailment(
    intra: Parts, params: EntailmentParams, checkpoints: CheckpointFolder, strict: Strict
) -> Outcomes:
    """A model that tells whether one sentence says what another one says, and what it learnt from."""
    return entailment_op(intra, params, checkpoints, strict)
