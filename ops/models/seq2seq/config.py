"""The sizes and options of text-to-text models, and pairs of source and target.

Belongs here: the content of a saved model's config.json, and sources with their targets. Not here: how a
model is trained (ops/models/training), splitting texts into pieces (pieces.py). torch is not loaded.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import Field, model_validator

from silverloom.ops.core.params import ModelName, Params
from silverloom.ops.models.heads import whole_heads
from silverloom.ops.models.training.params import SizedParams

#: The batch size for decoding, unless params set one.
BATCH = 32


class Seq2SeqConfig(Params):
    """The options of every text-to-text model: its vocabulary, length limits, and decoding."""

    pieces: Literal["bpe", "words"] = Field(
        "bpe", description="what texts are cut into: byte pairs, or words between white space"
    )
    vocabulary: int = Field(8000, ge=260, description="different pieces at most, the 256 bytes included")
    longest: int = Field(
        128, ge=2, description="pieces of a source that are read, and of a target that are written, at most"
    )
    growth: int | None = Field(
        None, ge=0, description="most pieces of an answer beyond the longest source of its batch; null: any"
    )
    beam: int = Field(4, ge=1, description="answers that are followed side by side; 1: greedy")
    length_penalty: float = Field(
        0.6, ge=0, description="answers compare by log-probability over length to this power"
    )


class Seq2SeqTransformerConfig(Seq2SeqConfig):
    """A pre-norm Transformer with sinusoidal positions and one table of embeddings, as tensor2tensor's.

    The defaults are from Geva et al. (2019), Table 17; what the table leaves out is as in Vaswani et al.
    (2017).
    """

    kind: Literal["transformer"] = "transformer"
    """The architecture."""
    layers: int = Field(7, ge=1, description="of the encoder, and of the decoder")
    width: int = Field(1024, ge=2)
    """Of the vectors between layers."""
    filter: int = Field(2048, ge=1, description="width of the feed-forward layers")
    heads: int = Field(16, ge=1)
    """Of attention, in each layer."""
    dropout: float = Field(0.1, ge=0, lt=1, description="of embeddings and of what every layer adds")
    attention_dropout: float = Field(0.2, ge=0, lt=1)
    """Of the weights of attention."""
    relu_dropout: float = Field(0.3, ge=0, lt=1, description="inside the feed-forward layers")
    label_smoothing: float = Field(0.1, ge=0, lt=1, description="of the cross entropy that is learnt from")

    _heads = model_validator(mode="after")(whole_heads)


class CopyNetConfig(Seq2SeqConfig):
    """CopyNet (Gu et al. 2016), with the sizes of Geva et al. (2019), Table 18."""

    kind: Literal["copynet"] = "copynet"
    """The architecture."""
    encoder_layers: int = Field(3, ge=1)
    """Recurrent layers of the encoder."""
    decoder_layers: int = Field(1, ge=1)
    """Recurrent layers of the decoder."""
    hidden: int = Field(
        128, ge=1, description="of the recurrent layers, in each direction, and of embeddings"
    )
    dropout: float = Field(0.2, ge=0, lt=1)
    """Share of values that a step of the training leaves out."""
    scheduled_sampling: float = Field(
        0.2,
        ge=0,
        le=1,
        description="probability in training to go on from an own piece, not from the target's",
    )
    beam: int = Field(20, ge=1, description="answers that are followed side by side; 1: greedy")


class PretrainedSeq2SeqConfig(Seq2SeqConfig):
    """A pretrained Hugging Face encoder-decoder, with its own vocabulary.

    It ignores `pieces` and `vocabulary`.
    """

    kind: Literal["pretrained"] = "pretrained"
    model: ModelName = Field(description="a folder, or a name of the Hugging Face hub that is in its cache")


class PairModelParams(SizedParams):
    """A section of new Transformers of a size, or of a pretrained model that is trained further."""

    pretrained: ModelName | None = Field(
        None,
        description="an encoder-decoder of Hugging Face that is trained further, in place of new ones: a "
        "folder (./...), or a name of the hub that is in its cache; it has the size's `longest`, `growth`, "
        "`beam` and `length_penalty`",
    )

    def config(self) -> Seq2SeqTransformerConfig | PretrainedSeq2SeqConfig:
        """Return the config of the models; a pretrained one has the bounds and the decoding of the size."""
        size: Seq2SeqTransformerConfig = self.part("model")
        if self.pretrained is None:
            return size
        shared = {name: getattr(size, name) for name in Seq2SeqConfig.model_fields}
        return PretrainedSeq2SeqConfig(model=self.pretrained, **shared)


@dataclass(frozen=True)
class Pairs:
    """N pairs: the name, source and target of each."""

    names: Sequence[str]
    sources: Sequence[str]
    targets: Sequence[str]

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[tuple[str, str, str]]:
        return zip(self.names, self.sources, self.targets, strict=True)

    def digest(self) -> str:
        """Return the sha256 of their content."""
        content = json.dumps([list(self.names), list(self.sources), list(self.targets)])
        return hashlib.sha256(content.encode()).hexdigest()
