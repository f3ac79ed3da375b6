"""How entailment models are called outside the project: two texts in, two probabilities out.

Belongs here: their columns, loading and calling one. Not here: the files (model.py), where they are stored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ops.core.outcome import Row
from ops.models.trained import ModelKind

if TYPE_CHECKING:
    from ops.parasci.entailment.model import EntailmentModel


def _load(files: Mapping[str, bytes]) -> EntailmentModel:
    from ops.parasci.entailment.model import load

    return load(files)


def _answer(model: EntailmentModel, rows: Sequence[Row], params: Mapping[str, Any]) -> list[Row]:
    firsts, seconds = ([str(row[side]) for row in rows] for side in ("first", "second"))
    found = 1 / (1 + np.exp(-model.predict(firsts, seconds)))
    return [{"forward": float(forward), "backward": float(backward)} for forward, backward in found]


#: `forward` is the probability that the first text says all that the second says; `backward` the reverse.
KIND = ModelKind(
    module=__name__,
    inputs={"first": "string", "second": "string"},
    outputs={"forward": "double", "backward": "double"},
    load=_load,
    answer=_answer,
    named=True,
)
