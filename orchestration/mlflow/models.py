"""Trained models in MLflow's own format, with their signature, to be loaded where the project is not.

Belongs here: making such a folder, and which kinds of models there are. Not here: what runs say of a model
(tracking.py), how it is called (extractor_model.py, seq2seq_model.py). The weights themselves are a
dataset's files, under DVC.
"""

from __future__ import annotations

import contextlib
import io
import logging
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ops
from assets.declare.child_runs import ModelKind
from ops.models.installed import MODELS_TXT


@dataclass(frozen=True)
class _Kind:
    """How models of a kind are called: names with MLflow's types; "string*" is a list of them."""

    script: str
    inputs: Mapping[str, str]
    outputs: Mapping[str, str]
    params: Mapping[str, tuple[str, Any]] = field(default_factory=dict)
    """Of a call: type and what it is by default."""
    named: bool = False
    """Whether its config names models of models.txt, which have to be installed with it."""


_KINDS: Mapping[ModelKind, _Kind] = {
    "extractor": _Kind(
        "extractor_model.py",
        inputs={"title": "string", "sentences": "string*"},
        outputs={"indices": "long*", "scores": "double*"},
        params={"words": ("long", 150)},
        named=True,
    ),
    "seq2seq": _Kind(
        "seq2seq_model.py",
        inputs={"source": "string"},
        outputs={"prediction": "string"},
        params={"beam": ("long", 0)},
    ),
}

#: What a model's folder is called among its artifacts; the scripts know it as well.
ARTIFACT = "model"


def save_model(kind: ModelKind, files: Path, target: Path, packages: Iterable[tuple[str, str]]) -> None:
    """Write a trained model's folder as a model of MLflow: `packages` are name and version of what it needs.

    The project's `ops` go along, and are what loads it.
    """
    os.environ["MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR"] = "false"
    import mlflow.pyfunc
    from mlflow.models import ModelSignature
    from mlflow.types import ColSpec, DataType, ParamSchema, ParamSpec, Schema
    from mlflow.types.schema import Array

    def columns(named: Mapping[str, str]) -> Schema:
        kinds = {name: DataType[text.rstrip("*")] for name, text in named.items()}
        return Schema(
            [ColSpec(Array(kinds[name]) if "*" in named[name] else kinds[name], name) for name in named]
        )

    logging.getLogger("mlflow").setLevel(logging.ERROR)
    how = _KINDS[kind]
    params = [ParamSpec(name, DataType[text], value) for name, (text, value) in how.params.items()]
    save: Any = mlflow.pyfunc.save_model
    with contextlib.redirect_stderr(io.StringIO()):  # hints about type hints, in colour
        save(
            target,
            python_model=str(Path(__file__).with_name(how.script)),
            artifacts={ARTIFACT: str(files)},
            signature=ModelSignature(columns(how.inputs), columns(how.outputs), ParamSchema(params)),
            pip_requirements=[
                *(f"{name}=={version}" for name, version in packages),
                *(_installed() if how.named else ()),
            ],
            code_paths=[str(Path(next(iter(ops.__path__))))],
        )


def _installed() -> list[str]:
    """Return the packages of models.txt, without their hashes."""
    lines = MODELS_TXT.read_text(encoding="utf-8").splitlines()
    return [line.split()[0] for line in lines if line.strip() and not line.startswith("#")]
