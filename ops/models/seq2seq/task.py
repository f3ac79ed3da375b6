"""What models from text to text are trained on: pairs, as a task of the training loop.

Belongs here: loss, validation by loss and by answers. Not here: the loop (ops/models/training), and judging
answers (the caller brings a judge).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from safetensors.torch import save
from torch import Tensor

from ops.models.seq2seq.model import BATCH, Seq2Seq
from ops.models.seq2seq.pairs import Pairs

#: Says how good the answers to all validation sources are, by the names of metrics.
AnswerJudge = Callable[[Sequence[str]], Mapping[str, float]]


class Seq2SeqTask:
    """Maximum likelihood of the targets; validation gives "loss", and what a judge says of the answers."""

    def __init__(
        self, model: Seq2Seq, training: Pairs, validation: Pairs, judge: AnswerJudge, beam: int | None = None
    ) -> None:
        """Cut all pairs into pieces; `beam` is that of the answers that are judged."""
        self._model, self._judge, self._beam = model, judge, beam
        self.module = model.network
        self.names = training.names
        self._examples = [
            model.example(*pair) for pair in zip(training.sources, training.targets, strict=True)
        ]
        self._seen = [
            model.example(*pair) for pair in zip(validation.sources, validation.targets, strict=True)
        ]
        self._sources = validation.sources
        self.costs = [example.cost for example in self._examples]
        self._identity = {
            "model": model.config.model_dump(mode="json"),
            "initial weights": hashlib.sha256(save(model.network.state_dict())).hexdigest(),
            "pieces": hashlib.sha256(model.pieces.content).hexdigest(),
            "training set": training.digest(),
            "validation set": validation.digest(),
            "validation beam": beam,
        }

    def identity(self) -> Mapping[str, Any]:
        """Return the model's config, and digests of its first weights, its pieces and both sets."""
        return self._identity

    def loss(self, indices: Sequence[int]) -> Tensor:
        """Return the mean loss of some training pairs."""
        return self._model.losses([self._examples[index] for index in indices]).mean()

    @torch.no_grad()
    def validate(self) -> dict[str, float]:
        """Return the mean "loss" of the validation pairs, and what the judge says of the answers."""
        metrics = {}
        if self._seen:
            parts = [
                self._model.losses(self._seen[start : start + BATCH])
                for start in range(0, len(self._seen), BATCH)
            ]
            metrics["loss"] = float(torch.cat(parts).double().mean())
            metrics |= self._judge(self._model.generate(self._sources, self._beam))
        return metrics
