"""Where the model of entailment lies in its dataset.

Belongs here: its folder, and reading it. Not here: making it (entailment.py), its files (model.py). Whoever
only asks the model imports nothing of its training.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ops.core.parts import Artifact

if TYPE_CHECKING:
    from ops.parasci.entailment.model import EntailmentModel

#: The folder of the model.
MODEL = "entailment"


def trained(artifact: Artifact, strict: bool = True) -> EntailmentModel | None:
    """Return the model; None where there is none."""
    if not (artifact.folder / MODEL).is_dir():
        return None
    from ops.parasci.entailment.model import load

    return load(artifact.files(MODEL), strict)
