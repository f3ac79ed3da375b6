"""How a model is trained: the params that all systems share, and models of several sizes.

Belongs here: the base classes of a section of params.yaml. Not here: what the params do (loop.py,
processes.py), what a size contains (the systems).
"""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from silverloom.ops.core.params import Params
from silverloom.ops.models.precision import Precision


class TrainingParams(Params):
    """The params of one training run; part of a system's section of params.yaml."""

    epochs: int = Field(10, ge=1, description="passes over the training set at most")
    steps: int | None = Field(None, ge=1, description="updates of the weights at most; null: no limit")
    batch_size: int = Field(8, ge=1, description="examples that a device computes at once, at most")
    batch_cost: int | None = Field(
        None, ge=1, description="of these, their number times the longest one's length at most; null: any"
    )
    accumulation: int = Field(
        1, ge=1, description="parts of as many examples behind one update: it learns from all of them"
    )
    processes: int = Field(
        1,
        ge=1,
        exclude=True,
        description="that train one model together, each on a device of its own, and share the parts of an "
        "update. It changes no byte under strict numerics, and is in no key",
    )
    learning_rate: float = Field(1e-3, gt=0, description="at its highest, of AdamW")
    beta_1: float = Field(
        0.9, ge=0, lt=1, exclude_if=lambda value: value == 0.9, description="of AdamW: of the mean gradient"
    )
    beta_2: float = Field(
        0.999, ge=0, lt=1, exclude_if=lambda value: value == 0.999, description="of AdamW: of its square"
    )
    epsilon: float = Field(
        1e-8, gt=0, exclude_if=lambda value: value == 1e-8, description="of AdamW: added to the root"
    )
    weight_decay: float = Field(0.01, ge=0)
    """Of AdamW."""
    schedule: Literal["constant", "linear", "cosine", "inverse_sqrt", "exponential"] = Field(
        "linear",
        description="how the rate falls behind the warm-up: not at all, to 0 by a line or a cosine, with the "
        "inverse square root of the update, or by a factor again and again",
    )
    decay: float = Field(0.98, gt=0, le=1, description="of schedule exponential: the factor")
    decay_every: int = Field(1000, ge=1, description="of schedule exponential: updates to the factor")
    warmup: float = Field(0.1, ge=0, lt=1, description="share of the updates in which the rate rises from 0")
    clip: float | None = Field(1.0, gt=0, description="greatest norm of the gradient; null: unlimited")
    precision: Precision = Field(
        "float32", description="of products, on a device that is made for it; strict numerics: float32"
    )
    gradient_checkpointing: bool = Field(
        False,
        exclude_if=operator.not_,
        description="what a layer computed is computed again for the gradient: less memory, more time",
    )
    validate_every: int | None = Field(None, ge=1, description="updates; null: at the end of every epoch")
    checkpoint_every: int = Field(100, ge=1, description="updates between two checkpoints")
    metric: str = Field(
        "loss", min_length=1, description="of validation; the weights with its best value stay"
    )
    direction: Literal["min", "max"] = Field("min", description="which value of the metric is better")
    tie: str | None = Field(
        None,
        min_length=1,
        description="of validation: of two equal values of the metric the one with less of this is better; "
        "null: the earlier one",
    )
    patience: int | None = Field(None, ge=1, description="validations without a better value before it ends")
    seed: int = Field(0, ge=0)
    """Of the first weights, and of the order of the examples."""

    @model_validator(mode="after")
    def _parts_for_all(self) -> Self:
        if self.processes > self.accumulation:
            raise ValueError(
                f"processes is {self.processes}, but an update has {self.accumulation} parts to share: raise "
                f"accumulation, which changes what is learnt, or lower processes"
            )
        return self

    def rate(self, step: int, steps: int) -> float:
        """Return the learning rate of update `step` (from 0) of `steps`."""
        rising = round(self.warmup * steps)
        if step < rising:
            return self.learning_rate * (step + 1) / rising
        if self.schedule == "inverse_sqrt":
            # Vaswani et al. (2017), equation 3, with the peak in place of the model's width.
            return self.learning_rate * math.sqrt(max(1, rising) / (step + 1))
        if self.schedule == "exponential":
            return self.learning_rate * math.pow(self.decay, (step - rising) / self.decay_every)
        done = (step - rising) / max(1, steps - rising)
        if self.schedule == "linear":
            return self.learning_rate * (1 - done)
        if self.schedule == "cosine":
            return self.learning_rate * (1 + math.cos(math.pi * done)) / 2
        return self.learning_rate

    def better(
        self, value: float, best: float | None, tie: float | None = None, best_tie: float | None = None
    ) -> bool:
        """Return whether a value of the metric is better than the best so far; NaN never is.

        Between equal values, the one with the lower `tie` is better, if both have one.
        """
        if best is None:
            return not math.isnan(value)
        if value == best and tie is not None and best_tie is not None:
            return tie < best_tie
        return value > best if self.direction == "max" else value < best


class SizedParams(Params):
    """A section with models of several named sizes; a subclass narrows the type of `sizes`.

    Raises ValueError if `size` is not among the sizes, or if a size contradicts a value that is the same in
    all sizes.
    """

    size: str = Field("base", description="which of the sizes")
    sizes: dict[str, Any] = Field(min_length=1)
    """By name: how large the models are, and how they are trained."""

    def same_in_all(self) -> Mapping[str, Mapping[str, str]]:
        """Return the values that are the same in every size, by part and key."""
        return {}

    def part(self, name: str) -> Any:
        """Return a part of the chosen size, including the values that are the same in every size."""
        return getattr(self.sizes[self.size], name).model_copy(update=self.same_in_all().get(name, {}))

    @model_validator(mode="after")
    def _sizes_agree(self) -> Self:
        if self.size not in self.sizes:
            raise ValueError(f"size {self.size!r} is not among the sizes {', '.join(self.sizes)}")
        for size, parts in self.sizes.items():
            for name, same in self.same_in_all().items():
                part = getattr(parts, name)
                for key in sorted(part.model_fields_set & same.keys()):
                    if getattr(part, key) != same[key]:
                        raise ValueError(
                            f"sizes.{size}.{name}.{key} is {getattr(part, key)!r}, but it is "
                            f"{same[key]!r} in every size: leave it out"
                        )
        return self
