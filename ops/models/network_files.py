"""What the files of every trained network have in common: its config in JSON, its weights in safetensors.

Belongs here: writing and reading these two, and what is wrong with them. Not here: which network a config
makes, and what else lies beside it (extractors/files.py, seq2seq/files.py).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import nn

from ops.params import Params

CONFIG, WEIGHTS = "config.json", "weights.safetensors"

Config = TypeVar("Config")


class ModelFilesError(ValueError):
    """The files are no model; the message names the file and the cause."""


def written(config: Params, network: nn.Module) -> dict[str, bytes]:
    """Return config and weights as named bytes; the same weights give the same bytes."""
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
    try:
        network.load_state_dict(load(files[WEIGHTS]))
    except (SafetensorError, RuntimeError) as error:
        cause = " ".join(str(error).split())[:200]
        raise ModelFilesError(f"{WEIGHTS}: {cause}: not the weights of {' and '.join(made_of)}") from None
    network.eval()
