"""What all kinds of trained models share: their files, and how they are called outside the project.

Belongs here: a network as a JSON config and safetensors weights, and errors in such files; how each kind of
model describes itself, as `KIND` in its own module. Not here: which network a config makes and its other
files (files.py of the network), the caller of a model (orchestration/mlflow).

torch is loaded when a network is written or read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from silverloom.ops.core.outcome import Row
from silverloom.ops.core.params import Params

if TYPE_CHECKING:
    from torch import nn

CONFIG, WEIGHTS = "config.json", "weights.safetensors"

Config = TypeVar("Config")


class ModelFilesError(ValueError):
    """The files are not a valid model; the message names the file and the cause."""


def network_files(config: Params, network: nn.Module) -> dict[str, bytes]:
    """Return config and weights as named bytes; the same weights give the same bytes."""
    from safetensors.torch import save

    weights = {name: value.cpu().contiguous() for name, value in network.state_dict().items()}
    text = json.dumps(config.model_dump(mode="json"), indent=1, sort_keys=True) + "\n"
    return {CONFIG: text.encode(), WEIGHTS: save(weights)}


def read_config(files: Mapping[str, bytes], configs: TypeAdapter[Config], needed: Iterable[str]) -> Config:
    """Return the config from a model's files. Raises ModelFilesError if it is bad or a file is missing."""
    if missing := [name for name in needed if name not in files]:
        raise ModelFilesError(f"no {' and no '.join(missing)} among the model's files")
    try:
        return configs.validate_json(files[CONFIG])
    except ValidationError as error:
        first = error.errors()[0]
        raise ModelFilesError(f"{CONFIG}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def read_weights(files: Mapping[str, bytes], network: nn.Module, made_of: Iterable[str]) -> None:
    """Load the weights from a model's files into a network, and set it to evaluation.

    `made_of` are the files that the network was made from. Raises ModelFilesError if the weights do not fit.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load

    try:
        network.load_state_dict(load(files[WEIGHTS]))
    except (SafetensorError, RuntimeError) as error:
        cause = " ".join(str(error).split())[:200]
        raise ModelFilesError(f"{WEIGHTS}: {cause}: not the weights of {' and '.join(made_of)}") from None
    network.eval()


@dataclass(frozen=True)
class ModelKind:
    """A kind of model. Columns map names to types: "string", "long" or "double"; "string*" is a list."""

    module: str
    """The module that defines it as `KIND`; the name is stored with every model of this kind."""
    inputs: Mapping[str, str]
    outputs: Mapping[str, str]
    load: Callable[[Mapping[str, bytes]], Any]
    """Returns the model, given its files by name."""
    answer: Callable[[Any, Sequence[Row], Mapping[str, Any]], list[Row]]
    """Returns a row of outputs for each row of inputs, given the model and the params of the call."""
    params: Mapping[str, tuple[str, Any]] = field(default_factory=dict)
    """The params of a call: type and default of each."""
    example: Row = field(default_factory=dict)
    """A row of inputs, which MLflow shows."""
    named: bool = False
    """Whether its config names models of models.txt, which must be installed with it."""


def text_to_text(module: str, load: Callable[[Mapping[str, bytes]], Any]) -> ModelKind:
    """Return a kind whose models have `generate(sources, beam)`, which returns one output per source.

    The `beam` of a call overrides the model's; 0 keeps the model's.
    """
    return ModelKind(
        module=module,
        inputs={"source": "string"},
        outputs={"prediction": "string"},
        params={"beam": ("long", 0)},
        example={"source": "Ann likes to sing . She sings every day ."},
        load=load,
        answer=_written,
    )


def _written(model: Any, rows: Sequence[Row], params: Mapping[str, Any]) -> list[Row]:
    sources = [str(row["source"]) for row in rows]
    return [{"prediction": text} for text in model.generate(sources, params["beam"] or None)]
