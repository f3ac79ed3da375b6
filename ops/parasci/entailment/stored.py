"""Reading the entailment model from its dataset.

Belongs here: its folder, and loading it. Not here: training it (entailment.py), its files (model.py). Code
that only uses the model does not import its training.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ops.core.parts import Artifact

if TYPE_CHECKING:
    from ops.parasci.entailment.model import EntailmentModel

#: The folder of the model.
MODEL = "entailment"


def trained(artifact: Artifact, strict: bool = True) -> EntailmentModel | None:
    """Return the model; None if the dataset has no model."""
    if not (artifact.folder / MODEL).is_dir():
        return None
    from ops.parasci.entailment.model import load

    return load(artifact.files(MODEL), strict)
