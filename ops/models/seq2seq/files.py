"""Text-to-text models as files, and how they are called outside the project.

Belongs here: which model a config makes, a model from its files, `KIND`. Not here: config and weights as
files, and the columns of a call (ops/models/trained.py), where files are stored (orchestration), checkpoints
(ops/models/training/checkpoints.py). torch is loaded when a model is made.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

from pydantic import Field, TypeAdapter

from silverloom.ops.models.seq2seq.config import (
    CopyNetConfig,
    PretrainedSeq2SeqConfig,
    Seq2SeqTransformerConfig,
)
from silverloom.ops.models.trained import (
    CONFIG,
    WEIGHTS,
    ModelFilesError,
    read_config,
    read_weights,
    text_to_text,
)

if TYPE_CHECKING:
    from silverloom.ops.models.seq2seq.model import Seq2Seq
    from silverloom.ops.models.seq2seq.pieces import Pieces

_Known = Seq2SeqTransformerConfig | CopyNetConfig | PretrainedSeq2SeqConfig
_Config = Annotated[_Known, Field(discriminator="kind")]


def make(config: Seq2SeqTransformerConfig | CopyNetConfig, pieces: Pieces, seed: int = 0) -> Seq2Seq:
    """Return a model with random weights."""
    from silverloom.ops.models.seq2seq.copynet import CopyNetModel
    from silverloom.ops.models.seq2seq.transformer import TransformerModel

    if isinstance(config, CopyNetConfig):
        return CopyNetModel(config, pieces, seed)
    return TransformerModel(config, pieces, seed)


def load(files: Mapping[str, bytes]) -> Seq2Seq:
    """Return the model in files of `Seq2Seq.files`. Raises ModelFilesError if they are not a valid model."""
    from silverloom.ops.models.seq2seq.model import PIECES
    from silverloom.ops.models.seq2seq.pieces import Pieces, PiecesError
    from silverloom.ops.models.seq2seq.pretrained import FOLDER, PretrainedModel, folder_of

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


KIND = text_to_text(__name__, load)
