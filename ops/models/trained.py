"""What trained models of every kind have in common: their files, and how they are called where the project is
not.

Belongs here: a network as config in JSON and weights in safetensors, and what is wrong with such files; what
each kind of model says of itself, as `KIND` of a module beside it. Not here: which network a config makes,
and what other files it has (files.py beside the network), who calls a model (orchestration/mlflow).

torch is loaded when a network is written or read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from ops.core.outcome import Row
from ops.core.params import Params

if TYPE_CHECKING:
    from torch import nn

CONFIG, WEIGHTS = "config.json", "weights.safetensors"

Config = TypeVar("Config")


class ModelFilesError(ValueError):
    """The files are no model; the message names the file and the cause."""


def network_files(config: Params, network: nn.Module) -> dict[str, bytes]:
    """Return config and weights as named bytes; the same weights give the same bytes."""
    from safetensors.torch import save

    weights = {name: value.cpu().contiguous() for name, value in network.state_dict().items()}
    text = json.dumps(config.model_dump(mode="json"), indent=1, sort_keys=True) + "\n"
    return {CONFIG: text.encode(), WEIGHTS: save(weights)}


def read_config(files: Mapping[str, bytes], configs: TypeAdapter[Config], needed: Iterable[str]) -> Config:
    """Return the config among some files. Raises ModelFilesError for a bad one and for missing files."""
    if missing := [name for name in needed if name not in files]:
        raise ModelFilesError(f"no {' and no '.join(missing)} among the model's files")
    try:
        return configs.validate_json(files[CONFIG])
    except ValidationError as error:
        first = error.errors()[0]
        raise ModelFilesError(f"{CONFIG}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def read_weights(files: Mapping[str, bytes], network: nn.Module, made_of: Iterable[str]) -> None:
    """Give a network, made of some of the files, the weights among them, for use. Raises ModelFilesError."""
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
