"""Tiny text-to-text models: a handful of words, and networks that are made in a blink."""

from silverloom.ops.models.seq2seq.config import CopyNetConfig, Pairs, Seq2SeqTransformerConfig
from silverloom.ops.models.seq2seq.files import make
from silverloom.ops.models.seq2seq.pieces import Pieces

NAMES = ["Ann", "Bob", "Chi", "Dee", "Eve", "Flo"]
VERBS = ["sings", "runs", "reads", "rests"]
SOURCES = [f"{name} {verb} . {name} {other} ." for name in NAMES for verb in VERBS[:2] for other in VERBS[2:]]
TARGETS = [source.replace(f" . {source.split()[0]}", " and") for source in SOURCES]

TRANSFORMER = Seq2SeqTransformerConfig(
    vocabulary=300, longest=40, growth=4, beam=2, layers=1, width=16, filter=32, heads=2,
    dropout=0.1, attention_dropout=0.1, relu_dropout=0.1,
)  # fmt: skip
COPYNET = CopyNetConfig(
    pieces="words", vocabulary=260, longest=20, growth=4, beam=3, encoder_layers=2, hidden=8, dropout=0.1
)
CONFIGS = [TRANSFORMER, COPYNET, COPYNET.model_copy(update={"pieces": "bpe", "longest": 40})]


def pairs(start=0, stop=None):
    """Return some pairs; every second name is not in the vocabulary."""
    names = [f"pair-{index}" for index in range(len(SOURCES))]
    return Pairs(names[start:stop], SOURCES[start:stop], TARGETS[start:stop])


def pieces(kind="words"):
    """Return a vocabulary, which lacks half of the names if it consists of words."""
    known = [text for text in [*SOURCES, *TARGETS] if text.split()[0] in NAMES[:3]]
    return Pieces.learn(known, kind, 300)


def model(config, seed=0):
    return make(config, pieces(config.pieces), seed)
