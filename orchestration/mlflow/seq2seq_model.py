"""A model from text to text as MLflow serves it: sources in, its answers out.

Belongs here: the script that MLflow stores beside a model and runs to load it. Not here: storing (models.py).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mlflow.pyfunc
import pandas as pd  # type: ignore[import-untyped]

#: What the model's folder is called among its artifacts.
ARTIFACT = "model"


class Seq2Seq(mlflow.pyfunc.PythonModel):  # type: ignore[misc]
    """Answers sources; `beam` (a param of the call) replaces that of its config, 0 leaves it."""

    def load_context(self, context: Any) -> None:
        """Load the model."""
        from ops.models.seq2seq.files import load

        folder = Path(context.artifacts[ARTIFACT])
        self.model = load({path.name: path.read_bytes() for path in folder.iterdir()})

    def predict(
        self, context: Any, model_input: pd.DataFrame, params: dict[str, Any] | None = None
    ) -> pd.DataFrame:
        """Return a row with its `prediction` for each row with a `source`."""
        beam = int((params or {}).get("beam", 0))
        sources = [str(text) for text in model_input["source"]]
        return pd.DataFrame({"prediction": self.model.generate(sources, beam or None)})


mlflow.models.set_model(Seq2Seq())
