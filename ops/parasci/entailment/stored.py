"""The entailment model that scores pairs: the trained one from its dataset, or a published one.

Belongs here: its folder, and loading it. Not here: training it (entailment.py), its files (model.py), the
published one (nli.py). Code that only uses the model does not import its training.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ops.core.params import ModelName
from ops.core.parts import Artifact

#: The folder of the model.
MODEL = "entailment"


class EntailmentPredictor(Protocol):
    """Predicts for two texts whether each entails the other."""

    def predict(self, firsts: Sequence[str], seconds: Sequence[str]) -> NDArray[np.float64]:
        """Return log-odds (N x 2) that the first text entails the second, and the second the first."""
        ...


def entailment_model(
    artifact: Artifact, published: ModelName | None, strict: bool = True
) -> EntailmentPredictor | None:
    """Return the published model if one is named, else the trained one; None if the dataset has no model.

    Raises as `NliModel` does.
    """
    if published is not None:
        from ops.parasci.entailment.nli import NliModel

        return NliModel(published, strict)
    if not (artifact.folder / MODEL).is_dir():
        return None
    from ops.parasci.entailment.model import load

    return load(artifact.files(MODEL), strict)
