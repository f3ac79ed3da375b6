"""A Hugging Face Transformer encoder-decoder, trained from scratch.

Belongs here: the network, its loss and its inputs. Not here: training (model.py), files (files.py).

Pegasus is the encoder-decoder of `transformers` whose layers match tensor2tensor's: layer norm before
attention and feed-forward, sinusoidal positions, embeddings scaled by the square root of the width and shared
by encoder, decoder and output. Popel and Bojar (2018), whose practice Geva et al. (2019) follow, train that
architecture.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional
from transformers.models.pegasus.configuration_pegasus import PegasusConfig
from transformers.models.pegasus.modeling_pegasus import PegasusForConditionalGeneration

from silverloom.ops.models.seq2seq.config import Seq2SeqTransformerConfig
from silverloom.ops.models.seq2seq.model import Inputs, Seq2Seq, padded
from silverloom.ops.models.seq2seq.pieces import EOS, PAD, UNK, Pieces
from silverloom.ops.models.seq2seq.pretrained import SharedOnce
from silverloom.ops.models.training.examples import TokenExample

#: Any: its own annotations do not cover a model that is built from a config.
_Pegasus: Any = PegasusForConditionalGeneration


class TransformerNetwork(SharedOnce, _Pegasus):  # type: ignore[misc]
    """Pegasus whose shared embeddings are one table in its state dict, not four."""


class TransformerModel(Seq2Seq):
    """The text-to-text Transformer."""

    network: TransformerNetwork

    def __init__(self, config: Seq2SeqTransformerConfig, pieces: Pieces, seed: int = 0) -> None:
        """Create a model with random weights."""
        self.config: Seq2SeqTransformerConfig = config
        self.pieces = pieces
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            self.network = TransformerNetwork(_pegasus(config, len(pieces)))
        self.network.eval()

    def example(self, source: str, target: str) -> TokenExample:
        """Return a pair as numbers; a text that is too long is cut at its end."""
        return TokenExample(*(self._cut(self.pieces.numbers(text)) for text in (source, target)))

    def losses(self, examples: Sequence[TokenExample]) -> Tensor:
        """Return the smoothed cross entropy of each of N examples (N), smoothed only in training."""
        source = padded([example.source for example in examples], self.network.device)
        target = padded([example.target for example in examples], self.network.device)
        # The decoder's input begins with padding, as in tensor2tensor.
        before = functional.pad(target[:, :-1], (1, 0), value=PAD)
        logits = self.network(
            input_ids=source, attention_mask=source != PAD, decoder_input_ids=before, use_cache=False
        ).logits
        smoothing = self.config.label_smoothing if self.network.training else 0.0
        losses = functional.cross_entropy(
            logits.transpose(1, 2).float(), target, reduction="none", label_smoothing=smoothing
        )
        there = target != PAD
        return (losses * there).sum(dim=1) / there.sum(dim=1)

    def _inputs(self, sources: Sequence[str]) -> Inputs:
        source = padded([self._cut(self.pieces.numbers(text)) for text in sources], self.network.device)
        return Inputs(
            source, {"attention_mask": source != PAD, "suppress_tokens": [UNK]}, [()] * len(sources)
        )


def _pegasus(config: Seq2SeqTransformerConfig, vocabulary: int) -> PegasusConfig:
    return PegasusConfig(
        vocab_size=vocabulary,
        # One more for the end marker, and one for the start of decoding.
        max_position_embeddings=config.longest + 2,
        d_model=config.width,
        encoder_layers=config.layers,
        decoder_layers=config.layers,
        encoder_ffn_dim=config.filter,
        decoder_ffn_dim=config.filter,
        encoder_attention_heads=config.heads,
        decoder_attention_heads=config.heads,
        dropout=config.dropout,
        attention_dropout=config.attention_dropout,
        activation_dropout=config.relu_dropout,
        activation_function="relu",
        scale_embedding=True,
        # The initialisation of tensor2tensor's embeddings, and Glorot's of square matrices.
        init_std=config.width**-0.5,
        pad_token_id=PAD,
        eos_token_id=EOS,
        decoder_start_token_id=PAD,
        forced_eos_token_id=EOS,
    )
