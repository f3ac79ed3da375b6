"""How trained models of a kind are called where the project is not: by MLflow, for instance.

Belongs here: what each kind of model says of itself, as `KIND` of a module beside it, and what kinds have in
common. Not here: any one kind, and whoever calls it (orchestration/mlflow).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ops.outcome import Row


@dataclass(frozen=True)
class ModelKind:
    """A kind of model. Columns are names with the types "string", "long" or "double"; "string*" is a list."""

    module: str
    """The module that holds it as `KIND`: whoever stores a model stores this name beside it."""
    inputs: Mapping[str, str]
    outputs: Mapping[str, str]
    load: Callable[[Mapping[str, bytes]], Any]
    """Gives the model of its files, by name."""
    answer: Callable[[Any, Sequence[Row], Mapping[str, Any]], list[Row]]
    """Gives a row of outputs for each row of inputs, by the model and the params of the call."""
    params: Mapping[str, tuple[str, Any]] = field(default_factory=dict)
    """Of a call: type, and what it is by default."""
    named: bool = False
    """Whether its config names models of models.txt, which have to be installed with it."""


def text_to_text(module: str, load: Callable[[Mapping[str, bytes]], Any]) -> ModelKind:
    """Return a kind whose models have `generate(sources, beam)`, which returns an answer to each source.

    `beam` of a call replaces that of the model; 0 leaves it.
    """
    return ModelKind(
        module=module,
        inputs={"source": "string"},
        outputs={"prediction": "string"},
        params={"beam": ("long", 0)},
        load=load,
        answer=_written,
    )


def _written(model: Any, rows: Sequence[Row], params: Mapping[str, Any]) -> list[Row]:
    sources = [str(row["source"]) for row in rows]
    return [{"prediction": text} for text in model.generate(sources, params["beam"] or None)]
