"""Trained models in MLflow's own format, with their signature, to be loaded where the project is not.

Belongs here: making such a folder. Not here: what runs say of a model (tracking.py), how it is called
(served_model.py), which kinds there are (beside the models, in ops). The weights themselves are a dataset's
files, under DVC.
"""

from __future__ import annotations

import contextlib
import io
import logging
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ops.models.installed import MODELS_TXT
from ops.models.trained import ModelKind


def save_model(
    kind: ModelKind, files: Path, code: Path, target: Path, packages: Iterable[tuple[str, str]]
) -> None:
    """Write a trained model's folder as a model of MLflow: `packages` are name and version of what it needs.

    `code` is the folder of the project's `ops`: it goes along, and is what loads the model.
    """
    import mlflow.pyfunc
    from mlflow.models import ModelSignature
    from mlflow.types import ColSpec, DataType, ParamSchema, ParamSpec, Schema
    from mlflow.types.schema import Array

    def columns(named: Mapping[str, str]) -> Schema:
        types = {name: DataType[text.rstrip("*")] for name, text in named.items()}
        return Schema(
            [ColSpec(Array(types[name]) if "*" in named[name] else types[name], name) for name in named]
        )

    logging.getLogger("mlflow").setLevel(logging.ERROR)
    params = [ParamSpec(name, DataType[text], value) for name, (text, value) in kind.params.items()]
    save: Any = mlflow.pyfunc.save_model
    with contextlib.redirect_stderr(io.StringIO()):  # hints about type hints, in colour
        save(
            target,
            python_model=str(Path(__file__).with_name("served_model.py")),
            artifacts={"model": str(files)},
            model_config={"kind": kind.module},
            signature=ModelSignature(columns(kind.inputs), columns(kind.outputs), ParamSchema(params)),
            pip_requirements=[
                *(f"{name}=={version}" for name, version in packages),
                *(_installed() if kind.named else ()),
            ],
            code_paths=[str(code)],
        )


def _installed() -> list[str]:
    """Return the packages of models.txt, without their hashes."""
    lines = MODELS_TXT.read_text(encoding="utf-8").splitlines()
    return [line.split()[0] for line in lines if line.strip() and not line.startswith("#")]
