"""Training of text-to-text models, as a task of the training loop.

Belongs here: the loss of pairs; validation by loss and by outputs. Not here: the models (model.py), the loop
(ops/models/training), scoring outputs (the caller passes a judge).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from silverloom.ops.models.seq2seq.config import BATCH, Pairs
from silverloom.ops.models.seq2seq.files import load
from silverloom.ops.models.seq2seq.model import Seq2Seq
from silverloom.ops.models.training.examples import ExampleStore, TokenExample, examples_in
from silverloom.ops.models.training.task import LossParts, task_identity

#: Scores the outputs for all validation sources: returns metrics by name.
AnswerJudge = Callable[[Sequence[str]], Mapping[str, float]]


class Seq2SeqLoss:
    """Maximum likelihood of the targets."""

    def __init__(self, model: Seq2Seq, training: Sequence[TokenExample]) -> None:
        self._model, self._training = model, training
        self.module = model.network

    def loss(self, indices: Sequence[int]) -> Tensor:
        """Return the mean loss of the training pairs at these indices."""
        return self._model.losses([self._training[index] for index in indices]).mean()


def seq2seq_loss(files: Mapping[str, bytes], rows: Path) -> Seq2SeqLoss:
    """Return the loss that a task's parts describe."""
    return Seq2SeqLoss(load(files), examples_in(rows))


class Seq2SeqTask(Seq2SeqLoss):
    """Maximum likelihood of the targets; validation gives "loss" and the judge's metrics of the outputs."""

    def __init__(
        self,
        model: Seq2Seq,
        training: ExampleStore,
        validation: Pairs,
        judge: AnswerJudge,
        beam: int | None = None,
    ) -> None:
        """Create a task from stored training pairs; `beam` is the beam width of the outputs in validation."""
        super().__init__(model, training)
        self._judge, self._beam = judge, beam
        self._stored, self.names = training.rows, training.names
        self._seen = [
            model.example(*pair) for pair in zip(validation.sources, validation.targets, strict=True)
        ]
        self._sources = validation.sources
        self.costs: Sequence[int] = training.lengths.sum(axis=1)
        self._identity = task_identity(
            model.network,
            model.config,
            training.digest(),
            validation.digest(),
            pieces=hashlib.sha256(model.pieces.content).hexdigest(),
            beam=beam,
        )

    def identity(self) -> Mapping[str, Any]:
        """Return the model's config, and digests of its initial weights, its pieces and both sets."""
        return self._identity

    def parts(self) -> LossParts:
        """Return what other processes make the loss from."""
        return LossParts(seq2seq_loss, self._model.files(), self._stored)

    @torch.no_grad()
    def validate(self) -> dict[str, float]:
        """Return the mean "loss" of the validation pairs, and the judge's metrics of the outputs."""
        metrics = {}
        if self._seen:
            parts = [
                self._model.losses(self._seen[start : start + BATCH])
                for start in range(0, len(self._seen), BATCH)
            ]
            metrics["loss"] = float(torch.cat(parts).double().mean())
            metrics |= self._judge(self._model.generate(self._sources, self._beam))
        return metrics
