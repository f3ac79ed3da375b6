"""ParaSCI, entailment: a model that predicts whether each of two sentences entails the other.

Belongs here: the model and its training pairs. Not here: the pairs that it scores (datasets.py), and the
computation (ops/parasci/entailment).
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
    intra: Parts,
    definitions: Parts,
    citations: Parts,
    params: EntailmentParams,
    checkpoints: CheckpointFolder,
    strict: Strict,
) -> Outcomes:
    """A model that predicts whether one sentence entails another, with its training pairs."""
    return entailment_op(intra, definitions, citations, params, checkpoints, strict)
