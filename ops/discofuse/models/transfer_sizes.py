"""The sizes of the models of the transfer experiment.

Belongs here: how large CopyNet is and how it is trained, by default. Not here: the experiment (transfer.py).
"""

from __future__ import annotations

from ops.models.seq2seq.config import CopyNetConfig
from ops.models.training.params import TrainingParams
from ops.params import Params


class TransferSize(Params):
    """How large the models are, and how they are trained: before, after that, and without."""

    model: CopyNetConfig = CopyNetConfig()
    pretraining: TrainingParams = TrainingParams()
    finetuning: TrainingParams = TrainingParams()
    target: TrainingParams = TrainingParams()


def _tiny(epochs: int) -> TrainingParams:
    return TrainingParams(epochs=epochs, batch_size=16, learning_rate=0.003)


def _base(learning_rate: float, validate_every: int) -> TrainingParams:
    return TrainingParams(
        epochs=20,
        batch_size=32,
        learning_rate=learning_rate,
        schedule="exponential",
        decay_every=100,
        warmup=0.0,
        weight_decay=0.0,
        clip=2.0,
        validate_every=validate_every,
        patience=5,
    )


def _paper(
    epochs: int, steps: int, decay_every: int, validate_every: int, checkpoint_every: int
) -> TrainingParams:
    return TrainingParams(
        epochs=epochs,
        steps=steps,
        batch_size=125,
        batch_cost=12800,
        learning_rate=0.001,
        schedule="exponential",
        decay=0.98,
        decay_every=decay_every,
        warmup=0.0,
        weight_decay=0.0,
        validate_every=validate_every,
        checkpoint_every=checkpoint_every,
    )


#: Seconds on the sample; an hour or two on a processor; Table 18, updates of appendix A.3.
SIZES = {
    "tiny": TransferSize(
        model=CopyNetConfig(
            pieces="words", vocabulary=1000, longest=64, growth=8, beam=2, encoder_layers=1, hidden=16
        ),
        pretraining=_tiny(1),
        finetuning=_tiny(2),
        target=_tiny(2),
    ),
    "base": TransferSize(
        model=CopyNetConfig(
            pieces="words", vocabulary=3000, longest=100, growth=8, beam=5, encoder_layers=1, hidden=96
        ),
        pretraining=_base(0.002, 300),
        finetuning=_base(0.001, 150),
        target=_base(0.002, 150),
    ),
    "paper": TransferSize(
        model=CopyNetConfig(
            pieces="bpe",
            vocabulary=32000,
            longest=256,
            growth=16,
            beam=20,
            encoder_layers=3,
            decoder_layers=1,
            hidden=128,
            dropout=0.2,
            scheduled_sampling=0.2,
        ),
        pretraining=_paper(100, 1_000_000, 10_000, 10_000, 2000),
        finetuning=_paper(1000, 100_000, 1000, 1000, 1000),
        target=_paper(1000, 200_000, 2000, 1000, 1000),
    ),
}
