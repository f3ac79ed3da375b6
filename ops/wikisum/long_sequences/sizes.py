"""The settings of a model in params.yaml: its architecture, its size, how it decodes.

Belongs here: the params, and the Hugging Face config of a new model. Not here: how a model is trained
(ops/models/training), which of them a system trains.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from pydantic import Field, model_validator

from silverloom.ops.core.params import ModelName, Params
from silverloom.ops.models.heads import even_heads

if TYPE_CHECKING:
    from transformers.configuration_utils import PreTrainedConfig


class SubwordVocabulary(NamedTuple):
    """The size of a tokenizer, and the numbers of its special tokens."""

    size: int
    pad: int
    end: int
    separator: int


class DecodingParams(Params):
    """Settings of every long-sequence model."""

    longest_source: int = Field(500, ge=1, description="L: tokens of a source that are read at most")
    longest_target: int = Field(
        512,
        ge=1,
        description="most tokens that are written or learnt, without the end token; cut targets have no end",
    )
    beam: int = Field(4, ge=1, description="answers that are followed side by side; 1: greedy")
    length_penalty: float = Field(
        0.6, ge=0, description="answers compare by log-probability over length to this power"
    )


class SequenceParams(DecodingParams):
    """Settings of every model that is trained from scratch."""

    dropout: float = Field(0.1, ge=0, lt=1)
    label_smoothing: float = Field(0.0, ge=0, lt=1, description="of the cross entropy that is learnt from")


class LstmParams(SequenceParams):
    """An LSTM encoder-decoder with attention; the defaults are tensor2tensor's `lstm_attention`."""

    architecture: Literal["lstm"] = "lstm"
    hidden: int = Field(128, ge=1, description="of every recurrent layer, in each direction")
    layers: int = Field(2, ge=1)
    dropout: float = Field(0.0, ge=0, lt=1)

    def config(self, vocabulary: SubwordVocabulary) -> PreTrainedConfig:
        """Return the config of the network."""
        from silverloom.ops.wikisum.long_sequences.config import RecurrentConfig

        return RecurrentConfig(
            vocab_size=vocabulary.size,
            hidden_size=self.hidden,
            num_layers=self.layers,
            dropout=self.dropout,
            pad_token_id=vocabulary.pad,
            eos_token_id=vocabulary.end,
            decoder_start_token_id=vocabulary.pad,
        )


class _TransformerParams(SequenceParams):
    width: int = Field(512, ge=2)
    filter: int = Field(2048, ge=1, description="width of the feed-forward layers")
    heads: int = Field(8, ge=1)

    _heads = model_validator(mode="after")(even_heads)


class EncoderDecoderParams(_TransformerParams):
    """T-ED: the defaults are tensor2tensor's `transformer_base`, normalised before every layer."""

    architecture: Literal["transformer_ed"] = "transformer_ed"
    layers: int = Field(6, ge=1, description="of the encoder, and of the decoder")

    def config(self, vocabulary: SubwordVocabulary) -> PreTrainedConfig:
        """Return the config of the network: Pegasus has tensor2tensor's layers."""
        from transformers.models.pegasus.configuration_pegasus import PegasusConfig

        return PegasusConfig(
            vocab_size=vocabulary.size,
            # One more for the end token.
            max_position_embeddings=max(self.longest_source, self.longest_target) + 1,
            d_model=self.width,
            encoder_layers=self.layers,
            decoder_layers=self.layers,
            encoder_ffn_dim=self.filter,
            decoder_ffn_dim=self.filter,
            encoder_attention_heads=self.heads,
            decoder_attention_heads=self.heads,
            dropout=self.dropout,
            attention_dropout=0.0,
            activation_dropout=0.0,
            activation_function="relu",
            scale_embedding=True,
            init_std=self.width**-0.5,
            pad_token_id=vocabulary.pad,
            eos_token_id=vocabulary.end,
            decoder_start_token_id=vocabulary.pad,
        )


class DecoderParams(_TransformerParams):
    """T-D, whose layers are "FFFFFF", and T-DMCA, whose layers are "LMLML"."""

    architecture: Literal["decoder"] = "decoder"
    layers: str = Field(
        "LMLML",
        pattern="^[FLM]+$",
        description="a letter each: full, local, or memory-compressed attention",
    )
    block: int = Field(256, ge=1, description="tokens of a block of local attention")
    look_back: bool = Field(False, description="a block sees the one before it, too")
    compression: int = Field(3, ge=1, description="kernel and stride of memory-compressed attention")
    experts: int = Field(0, ge=0, description="of the mixture in the middle layer; 0: none")
    expert_filter: int = Field(2048, ge=1, description="width of an expert")
    balance: float = Field(0.01, ge=0, description="weight of the loss of load balancing")

    @model_validator(mode="after")
    def _mixed(self) -> DecoderParams:
        if self.experts == 1:
            raise ValueError("one expert is no mixture: give 0 or at least 2")
        return self

    def config(self, vocabulary: SubwordVocabulary) -> PreTrainedConfig:
        """Return the config of the network."""
        from silverloom.ops.wikisum.long_sequences.config import DecoderConfig

        return DecoderConfig(
            vocab_size=vocabulary.size,
            hidden_size=self.width,
            intermediate_size=self.filter,
            num_attention_heads=self.heads,
            layer_kinds=self.layers,
            block_size=self.block,
            look_back=self.look_back,
            compression=self.compression,
            dropout=self.dropout,
            experts=self.experts,
            expert_layer=len(self.layers) // 2,
            expert_size=self.expert_filter,
            balance=self.balance,
            pad_token_id=vocabulary.pad,
            eos_token_id=vocabulary.end,
            separator_token_id=vocabulary.separator,
        )


class PretrainedParams(DecodingParams):
    """A pretrained Hugging Face encoder-decoder, such as LED, with its own tokenizer.

    Lengths are in the model's own sub-words, and at most its number of positions.
    """

    architecture: Literal["pretrained"] = "pretrained"
    model: ModelName = Field(
        description="a folder (./...), or a name of the Hugging Face hub that is in its cache"
    )
    text: Literal["normalised", "natural"] = Field(
        "normalised",
        description="what it reads and writes: `source` and `target`, in lower case and comparable with "
        "models from scratch, or `source_text` and `target_text`, cased as on the pages",
    )
    longest_source: int = Field(16384, ge=1, description="tokens of a source that are read at most")
    label_smoothing: float = Field(0.0, ge=0, lt=1, description="of the cross entropy that is learnt from")


#: Models that are trained from scratch, discriminated by `architecture`.
NewModelParams = Annotated[
    LstmParams | EncoderDecoderParams | DecoderParams, Field(discriminator="architecture")
]

#: Any model.
ModelParams = Annotated[
    LstmParams | EncoderDecoderParams | DecoderParams | PretrainedParams, Field(discriminator="architecture")
]
