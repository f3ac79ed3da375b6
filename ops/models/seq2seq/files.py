"""Models from text to text as files, with their vocabulary in JSON.

Belongs here: which model a config makes, and the vocabulary. Not here: config and weights as files
(ops/models/network_files.py), where files lie (orchestration), checkpoints
(ops/models/training/checkpoints.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field, TypeAdapter

from ops.models.network_files import (
    CONFIG,
    WEIGHTS,
    ModelFilesError,
    read_config,
    read_weights,
    written,
)
from ops.models.seq2seq.config import CopyNetConfig, PretrainedSeq2SeqConfig, Seq2SeqTransformerConfig
from ops.models.seq2seq.copynet_model import CopyNetModel
from ops.models.seq2seq.model import Seq2Seq
from ops.models.seq2seq.pieces import Pieces, PiecesError
from ops.models.seq2seq.pretrained import PretrainedModel
from ops.models.seq2seq.pretrained_files import FOLDER, folder_of
from ops.models.seq2seq.transformer import TransformerModel

PIECES = "tokenizer.json"

_Known = Seq2SeqTransformerConfig | CopyNetConfig | PretrainedSeq2SeqConfig
_Config = Annotated[_Known, Field(discriminator="kind")]


def make(config: Seq2SeqTransformerConfig | CopyNetConfig, pieces: Pieces, seed: int = 0) -> Seq2Seq:
    """Return a model with random weights."""
    if isinstance(config, CopyNetConfig):
        return CopyNetModel(config, pieces, seed)
    return TransformerModel(config, pieces, seed)


def save(model: Seq2Seq) -> dict[str, bytes]:
    """Return a model as named bytes; the same weights give the same bytes."""
    if isinstance(model, PretrainedModel):
        return model.files()
    return {**written(model.config, model.network), PIECES: model.pieces.content}


def load(files: Mapping[str, bytes]) -> Seq2Seq:
    """Return the model that `save` made files of. Raises ModelFilesError if they do not hold one."""
    configs: TypeAdapter[_Known] = TypeAdapter(_Config)
    beside = () if f"{FOLDER}/{CONFIG}" in files else (WEIGHTS, PIECES)
    config = read_config(files, configs, (CONFIG, *beside))
    if isinstance(config, PretrainedSeq2SeqConfig):
        with folder_of(files) as folder:
            return PretrainedModel(config, folder)
    try:
        pieces = Pieces.of(files[PIECES])
    except PiecesError as error:
        raise ModelFilesError(f"{PIECES}: {error}") from None
    if pieces.kind != config.pieces:
        raise ModelFilesError(f"{PIECES}: its pieces are {pieces.kind}, but {CONFIG} says {config.pieces}")
    model = make(config, pieces)
    read_weights(files, model.network, (CONFIG, PIECES))
    return model
