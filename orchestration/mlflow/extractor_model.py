"""An extractor as MLflow serves it: a paper in, the indices of its chosen sentences with their scores out.

Belongs here: the script that MLflow stores beside a model and runs to load it. Not here: storing (models.py).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mlflow.pyfunc
import pandas as pd  # type: ignore[import-untyped]

#: What the model's folder is called among its artifacts.
ARTIFACT = "model"


class Extractor(mlflow.pyfunc.PythonModel):  # type: ignore[misc]
    """Chooses sentences of papers, to `words` words each (a param of the call; 150 by default)."""

    def load_context(self, context: Any) -> None:
        """Load the extractor."""
        from ops.models.extractors.files import load

        folder = Path(context.artifacts[ARTIFACT])
        self.extractor = load({path.name: path.read_bytes() for path in folder.iterdir()})

    def predict(
        self, context: Any, model_input: pd.DataFrame, params: dict[str, Any] | None = None
    ) -> pd.DataFrame:
        """Return a row of `indices` and `scores` for each row of `title` and `sentences`."""
        from ops.models.extractors.paper import Paper

        words = (params or {}).get("words", 150)
        found = [
            self.extractor.extract(Paper(str(number), list(row.sentences), row.title), words)
            for number, row in enumerate(model_input.itertuples())
        ]
        return pd.DataFrame(
            {"indices": [list(one.indices) for one in found], "scores": [list(one.scores) for one in found]}
        )


mlflow.models.set_model(Extractor())
