"""The sizes of summarizers.

Belongs here: how large the models of the four architectures are and how they are trained, by default. Not
here: training one (summarizer_training.py).
"""

from __future__ import annotations

from pydantic import Field, JsonValue, model_validator

from ops.models.long_sequences.sizes import DecoderParams, EncoderDecoderParams, LstmParams, ModelParams
from ops.models.training.params import TrainingParams
from ops.params import Params

#: By what the weights of a training are kept, whatever its size: section 5.1 finds it to go with ROUGE.
KEPT_BY = {"metric": "log_perplexity", "direction": "min"}


class Size(Params):
    """How large the models are, by name, and how each is trained."""

    architectures: dict[str, ModelParams] = Field({"t_dmca": DecoderParams()}, min_length=1)
    training: TrainingParams = TrainingParams()
    trainings: dict[str, dict[str, JsonValue]] = Field(
        {}, description="of an architecture, by its name: what differs from `training`"
    )

    @model_validator(mode="after")
    def _known(self) -> Size:
        if unknown := sorted(self.trainings.keys() - self.architectures.keys()):
            there = ", ".join(self.architectures)
            raise ValueError(f"trainings names {', '.join(unknown)}: there are {there}")
        for name in self.trainings:
            if fixed := sorted(self.trainings[name].keys() & KEPT_BY.keys()):
                raise ValueError(f"trainings.{name}: {', '.join(fixed)} is the same in every training")
            self.training_of(name)
        return self

    def training_of(self, architecture: str) -> TrainingParams:
        """Return how the models of an architecture are trained."""
        own = self.trainings.get(architecture, {})
        return TrainingParams.model_validate({**self.training.model_dump(), **own, **KEPT_BY})


#: The target is not cut: the longest lead of the corpus is shorter.
_UNCUT = 16384


def _tiny_decoder(layers: str, block: int = 256) -> DecoderParams:
    return DecoderParams(layers=layers, block=block, width=32, filter=64, heads=2, longest_target=40, beam=2)


def _base_decoder(layers: str) -> DecoderParams:
    return DecoderParams(layers=layers, width=256, filter=1024, heads=4)


def _paper_decoder(layers: str, experts: int = 0) -> DecoderParams:
    return DecoderParams(
        layers=layers, experts=experts, width=512, filter=2048, heads=8, longest_target=_UNCUT,
        label_smoothing=0.1,
    )  # fmt: skip


#: Seconds on the sample, too small to learn to write; hours on a GPU; tensor2tensor's lstm_attention and
#: transformer_base_v1.
SIZES = {
    "tiny": Size(
        architectures={
            "seq2seq": LstmParams(hidden=16, layers=1, longest_target=40, beam=2),
            "t_ed": EncoderDecoderParams(layers=1, width=32, filter=64, heads=2, longest_target=40, beam=2),
            "t_d": _tiny_decoder("FF"),
            "t_dmca": _tiny_decoder("LML", block=32),
        },
        training=TrainingParams(epochs=3, learning_rate=0.003, batch_size=8),
    ),
    "base": Size(
        architectures={
            "seq2seq": LstmParams(hidden=128, layers=2),
            "t_ed": EncoderDecoderParams(layers=4, width=256, filter=1024, heads=4),
            "t_d": _base_decoder("FFFF"),
            "t_dmca": _base_decoder("LMLML"),
        },
        training=TrainingParams(
            epochs=20,
            batch_size=64,
            batch_cost=16000,
            learning_rate=0.001,
            schedule="inverse_sqrt",
            warmup=0.02,
            weight_decay=0.0,
            precision="bfloat16",
            validate_every=1000,
            checkpoint_every=500,
            patience=10,
        ),
    ),
    "paper": Size(
        architectures={
            "seq2seq": LstmParams(
                hidden=128, layers=2, longest_target=_UNCUT, dropout=0.2, label_smoothing=0.1
            ),
            "t_ed": EncoderDecoderParams(
                layers=6, width=512, filter=2048, heads=8, longest_target=_UNCUT, label_smoothing=0.1
            ),
            "t_d": _paper_decoder("FFFFFF"),
            "t_dmca": _paper_decoder("LMLML"),
            "t_dmca_moe": _paper_decoder("LMLML", experts=128),
            "t_dmca_moe_256": _paper_decoder("LMLML", experts=256),
        },
        training=TrainingParams(
            epochs=100,
            steps=1_000_000,
            batch_size=64,
            batch_cost=4096,
            beta_1=0.9,
            beta_2=0.98,
            epsilon=1e-9,
            clip=None,
            learning_rate=0.00069877,
            schedule="inverse_sqrt",
            warmup=0.004,
            weight_decay=0.0,
            precision="bfloat16",
            gradient_checkpointing=True,
            validate_every=5000,
            checkpoint_every=1000,
        ),
        trainings={
            "seq2seq": {
                "batch_cost": 1024,
                "beta_1": 0.85,
                "beta_2": 0.997,
                "epsilon": 1e-6,
                "clip": 2.0,
                "learning_rate": 0.0002,
                "schedule": "constant",
                "warmup": 0.0001,
            }
        },
    ),
}
