"""Tiny models of long sequences: twenty tokens, and networks that are made in a blink."""

import torch

from silverloom.ops.models.training.examples import TokenExample
from silverloom.ops.wikisum.long_sequences.config import DecoderConfig
from silverloom.ops.wikisum.long_sequences.decoder import LongDecoder
from silverloom.ops.wikisum.long_sequences.model import make
from silverloom.ops.wikisum.long_sequences.sizes import (
    DecoderParams,
    EncoderDecoderParams,
    LstmParams,
    SubwordVocabulary,
)

#: Padding, the end, the separator, and seventeen more.
PAD, END, SEPARATOR, V = 0, 1, 2, 20
VOCABULARY = SubwordVocabulary(V, PAD, END, SEPARATOR)

#: The layers of decoders, by name; blocks of 4 and kernels of 3.
DECODERS = {
    "full": {"layer_kinds": "F"},
    "local": {"layer_kinds": "L"},
    "local with a look back": {"layer_kinds": "L", "look_back": True},
    "compressed": {"layer_kinds": "M"},
    "all of T-DMCA, with experts": {"layer_kinds": "LMLML", "look_back": True, "experts": 4},
}

_TRANSFORMER = {
    "width": 16,
    "filter": 32,
    "heads": 2,
    "dropout": 0.1,
    "longest_source": 12,
    "longest_target": 6,
}
PARAMS = {
    "lstm": LstmParams(hidden=8, layers=2, dropout=0.1, longest_source=12, longest_target=6),
    "T-ED": EncoderDecoderParams(layers=1, **_TRANSFORMER),
    "T-D": DecoderParams(layers="FF", **_TRANSFORMER),
    "T-DMCA": DecoderParams(layers="LML", block=4, experts=4, expert_filter=8, **_TRANSFORMER),
}  # fmt: skip


def decoder(seed=0, implementation="sdpa", **options):
    """Return a decoder with weights far from uniform, without dropout."""
    small = {
        "vocab_size": V, "hidden_size": 16, "intermediate_size": 24, "num_attention_heads": 2, "block_size": 4,
        "dropout": 0.0, "expert_size": 8,
    }  # fmt: skip
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        network = LongDecoder(DecoderConfig(**small | options))
        for weights in network.parameters():
            weights.data += torch.randn_like(weights) / 3
    network.config._attn_implementation = implementation
    return network.eval()


def tokens(rows, length, seed=0):
    """Return some rows of tokens that stand for text."""
    return torch.randint(3, V, (rows, length), generator=torch.Generator().manual_seed(seed))


def model(name, seed=0):
    return make(PARAMS[name], VOCABULARY, seed)


def drawing_nothing(layers="LML", seed=0):
    """Return a T-DMCA whose training is deterministic: it has neither dropout nor the noise of a gate."""
    params = PARAMS["T-DMCA"].model_copy(update={"layers": layers, "dropout": 0.0, "experts": 0})
    return make(params, VOCABULARY, seed)


def examples(count=6):
    """Return examples of many lengths: the target repeats the first tokens of the source."""
    found = [tokens(1, 3 + index % 7, index)[0].tolist() for index in range(count)]
    return [TokenExample(source, source[: 1 + index % 3]) for index, source in enumerate(found)]
