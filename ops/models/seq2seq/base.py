"""The size "base" of DiscoFuse's fusion models and ParaSCI's generator: a Transformer for a CPU.

Belongs here: what both share. Not here: how they differ, and their other sizes (`SIZES` of each).
"""

from __future__ import annotations

from silverloom.ops.models.seq2seq.config import Seq2SeqTransformerConfig
from silverloom.ops.models.training import TrainingParams

BASE_MODEL = Seq2SeqTransformerConfig(
    vocabulary=8000,
    longest=128,
    growth=16,
    beam=4,
    layers=3,
    width=256,
    filter=1024,
    heads=4,
    dropout=0.1,
    attention_dropout=0.1,
    relu_dropout=0.1,
)

BASE_TRAINING = TrainingParams(
    epochs=20,
    batch_size=64,
    batch_cost=8000,
    learning_rate=0.001,
    weight_decay=0.0,
    schedule="inverse_sqrt",
    warmup=0.05,
    precision="bfloat16",
    validate_every=1000,
    checkpoint_every=500,
    patience=10,
)
