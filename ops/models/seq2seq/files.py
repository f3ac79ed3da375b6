"""Models from text to text as files: weights in safetensors, config and vocabulary in JSON.

Belongs here: what is written and read. Not here: where files lie (orchestration), checkpoints
(ops/models/training/checkpoints.py).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError
from safetensors import SafetensorError
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors

from ops.models.seq2seq.config import CopyNetConfig, TransformerConfig
from ops.models.seq2seq.copynet_model import CopyNetModel
from ops.models.seq2seq.model import Seq2Seq
from ops.models.seq2seq.pieces import Pieces, PiecesError
from ops.models.seq2seq.transformer import TransformerModel

CONFIG, WEIGHTS, PIECES = "config.json", "weights.safetensors", "tokenizer.json"

_Config = Annotated[TransformerConfig | CopyNetConfig, Field(discriminator="kind")]


class ModelFilesError(ValueError):
    """The files are no model; the message names the file and the cause."""


def make(config: TransformerConfig | CopyNetConfig, pieces: Pieces, seed: int = 0) -> Seq2Seq:
    """Return a model with random weights."""
    if isinstance(config, CopyNetConfig):
        return CopyNetModel(config, pieces, seed)
    return TransformerModel(config, pieces, seed)


def save(model: Seq2Seq) -> dict[str, bytes]:
    """Return a model as named bytes; the same weights give the same bytes."""
    config = model.config.model_dump(mode="json")
    weights = {name: value.cpu().contiguous() for name, value in model.network.state_dict().items()}
    return {
        CONFIG: (json.dumps(config, indent=1, sort_keys=True) + "\n").encode(),
        WEIGHTS: save_tensors(weights),
        PIECES: model.pieces.content,
    }


def load(files: Mapping[str, bytes]) -> Seq2Seq:
    """Return the model that `save` made files of. Raises ModelFilesError if they do not hold one."""
    if missing := [name for name in (CONFIG, WEIGHTS, PIECES) if name not in files]:
        raise ModelFilesError(f"no {' and no '.join(missing)} among the model's files")
    configs: TypeAdapter[TransformerConfig | CopyNetConfig] = TypeAdapter(_Config)
    try:
        config = configs.validate_json(files[CONFIG])
    except ValidationError as error:
        first = error.errors()[0]
        raise ModelFilesError(f"{CONFIG}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    try:
        pieces = Pieces.of(files[PIECES])
    except PiecesError as error:
        raise ModelFilesError(f"{PIECES}: {error}") from None
    if pieces.kind != config.pieces:
        raise ModelFilesError(f"{PIECES}: its pieces are {pieces.kind}, but {CONFIG} says {config.pieces}")
    model = make(config, pieces)
    try:
        model.network.load_state_dict(load_tensors(files[WEIGHTS]))
    except (SafetensorError, RuntimeError) as error:
        raise ModelFilesError(
            f"{WEIGHTS}: {' '.join(str(error).split())[:200]}: not the weights of {CONFIG} and {PIECES}"
        ) from None
    model.network.eval()
    return model
