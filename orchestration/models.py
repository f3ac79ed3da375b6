"""Trained models in MLflow's own format, with their signature, to be loaded where the project is not.

Belongs here: making such a folder. Not here: what runs say of a model (tracking.py), how it is called
(mlflow_extractor.py). The weights themselves are a dataset's files, under DVC.
"""

from __future__ import annotations

import contextlib
import io
import logging
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from assets.settings import ROOT
from ops.models.installed import MODELS_TXT

_SCRIPT = Path(__file__).with_name("mlflow_extractor.py")


def save_extractor(files: Path, target: Path, packages: Iterable[tuple[str, str]]) -> None:
    """Write an extractor's folder as a model of MLflow: `packages` are name and version of what it needs.

    The project's `ops` go along, and are what loads it.
    """
    os.environ["MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR"] = "false"
    import mlflow.pyfunc
    from mlflow.models import ModelSignature
    from mlflow.types import ColSpec, DataType, ParamSchema, ParamSpec, Schema
    from mlflow.types.schema import Array

    logging.getLogger("mlflow").setLevel(logging.ERROR)
    signature = ModelSignature(
        inputs=Schema([ColSpec(DataType.string, "title"), ColSpec(Array(DataType.string), "sentences")]),
        outputs=Schema([ColSpec(Array(DataType.long), "indices"), ColSpec(Array(DataType.double), "scores")]),
        params=ParamSchema([ParamSpec("words", DataType.long, 150)]),
    )
    save: Any = mlflow.pyfunc.save_model
    with contextlib.redirect_stderr(io.StringIO()):  # hints about type hints, in colour
        save(
            target,
            python_model=str(_SCRIPT),
            artifacts={"extractor": str(files)},
            signature=signature,
            pip_requirements=[*(f"{name}=={version}" for name, version in packages), *_installed()],
            code_paths=[str(ROOT / "ops")],
        )


def _installed() -> list[str]:
    """Return the packages of models.txt, without their hashes."""
    lines = MODELS_TXT.read_text(encoding="utf-8").splitlines()
    return [line.split()[0] for line in lines if line.strip() and not line.startswith("#")]
