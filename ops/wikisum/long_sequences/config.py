"""The configs of long-sequence models, in Hugging Face's format.

Belongs here: the content of a saved model's config.json. Not here: the sizes in params.yaml (sizes.py), and
the networks.
"""

from __future__ import annotations

from huggingface_hub.dataclasses import strict
from transformers.configuration_utils import PreTrainedConfig

from silverloom.ops.models.heads import check_heads

#: The kinds of a decoder layer: full, local or memory-compressed attention.
FULL, LOCAL, COMPRESSED = "F", "L", "M"


@strict
class DecoderConfig(PreTrainedConfig):  # type: ignore[misc]
    """A decoder-only Transformer: T-D of Liu et al. (2018) with layers "FFFFFF", T-DMCA with "LMLML".

    `block_size`: tokens in a block of local attention. `look_back`: whether a block also sees the one before
    it. `compression`: how many neighbouring keys (or values) memory-compressed attention turns into one.
    `experts`: the number of experts in layer `expert_layer`, 0 for none; `balance`: the weight of their
    load-balancing loss.
    """

    model_type = "long-decoder"

    vocab_size: int = 32000
    hidden_size: int = 512
    intermediate_size: int = 2048
    num_attention_heads: int = 8
    layer_kinds: str = "LMLML"
    block_size: int = 256
    look_back: bool = False
    compression: int = 3
    dropout: float | int = 0.1
    experts: int = 0
    expert_layer: int = 2
    expert_size: int = 2048
    balance: float | int = 0.01
    pad_token_id: int | None = 0
    eos_token_id: int | list[int] | None = 1
    separator_token_id: int = 2
    use_cache: bool = True

    def __post_init__(self, **kwargs: object) -> None:
        super().__post_init__(**kwargs)
        if odd := sorted({*self.layer_kinds} - {FULL, LOCAL, COMPRESSED}):
            raise ValueError(f"layer_kinds {self.layer_kinds!r} has {', '.join(odd)}: give F, L and M")
        check_heads(self.hidden_size, self.num_attention_heads, 2)
        if self.experts and not 0 <= self.expert_layer < len(self.layer_kinds):
            raise ValueError(
                f"expert_layer {self.expert_layer} is not one of the {len(self.layer_kinds)} layers"
            )
        if self.experts == 1:
            raise ValueError("one expert is no mixture: give 0 or at least 2")


@strict
class RecurrentConfig(PreTrainedConfig):  # type: ignore[misc]
    """An LSTM encoder-decoder with attention."""

    model_type = "attentive-lstm"

    vocab_size: int = 32000
    hidden_size: int = 128
    num_layers: int = 2
    dropout: float | int = 0.0
    pad_token_id: int | None = 0
    eos_token_id: int | list[int] | None = 1
    decoder_start_token_id: int = 0
    is_encoder_decoder: bool = True
    use_cache: bool = True
