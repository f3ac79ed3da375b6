"""A trained model of any kind as MLflow serves it.

Belongs here: the script that MLflow stores with a model and runs to load it. Not here: storing (send.py), a
kind's inputs and outputs (ops/models/trained.py).
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import mlflow.pyfunc
import pandas as pd


class ServedModel(mlflow.pyfunc.PythonModel):  # type: ignore[misc]
    """Answers as the model kind in its configuration. The project's `ops` package is stored with it."""

    def load_context(self, context: Any) -> None:
        """Load the model."""
        self.kind = import_module(context.model_config["kind"]).KIND
        folder = Path(context.artifacts["model"])
        self.model = self.kind.load({path.name: path.read_bytes() for path in folder.iterdir()})

    def predict(
        self, context: Any, model_input: pd.DataFrame, params: dict[str, Any] | None = None
    ) -> pd.DataFrame:
        """Return a row of the kind's outputs for each row of its inputs."""
        given = {**{name: value for name, (_, value) in self.kind.params.items()}, **(params or {})}
        answers = self.kind.answer(self.model, model_input.to_dict("records"), given)
        return pd.DataFrame(answers, columns=list(self.kind.outputs))


mlflow.models.set_model(ServedModel())
