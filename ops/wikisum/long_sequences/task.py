"""Training of long-sequence models, as a task of the training loop.

Belongs here: the loss, and validation by loss. Not here: the loop and examples on disk (ops/models/training),
making examples and cutting texts into tokens (ops/wikisum/models).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from silverloom.ops.models.training.examples import ExampleStore, TokenExample, examples_in
from silverloom.ops.models.training.task import LossParts, task_identity
from silverloom.ops.wikisum.long_sequences import pretrained
from silverloom.ops.wikisum.long_sequences.model import BATCH, SequenceModel, load

#: The mean loss per token of the target, including its end: the log-perplexity per sub-word.
LOG_PERPLEXITY = "log_perplexity"


class SequenceLoss:
    """The loss of training examples; `tokens` is the mean number of predicted tokens of an example."""

    def __init__(self, model: SequenceModel, training: Sequence[TokenExample], tokens: float) -> None:
        self.model, self._training, self._tokens = model, training, tokens
        self.module = model.network

    def loss(self, indices: Sequence[int]) -> Tensor:
        """Return the summed loss of training examples, divided by their number times the mean token count.

        So every token of the training set has the same weight, whichever batch it is in.
        """
        losses = self.model.losses([self._training[index] for index in indices])
        whole = losses.output.sum() + losses.input.sum()
        return whole / (self._tokens * len(indices)) + losses.balance


def sequence_loss(files: Mapping[str, bytes], rows: Path, tokens: float) -> SequenceLoss:
    """Return the loss that a task's parts describe."""
    model = pretrained.load(files) if pretrained.is_pretrained(files) else load(files)
    return SequenceLoss(model, examples_in(rows), tokens)


class SequenceTask(SequenceLoss):
    """Maximum likelihood over all predicted tokens, each with the same weight.

    Validation gives "loss", the mean over all predicted tokens, and "log_perplexity", the mean over the
    target's tokens.
    """

    def __init__(
        self,
        model: SequenceModel,
        training: ExampleStore,
        validation: ExampleStore,
        counted: int | None = None,
    ) -> None:
        """Take stored examples.

        `counted`: the number of tokens over which "log_perplexity" is averaged. A model with its own
        tokenizer needs it to be comparable with other models.
        """
        self._counted = counted
        self._stored, self._validation = training.rows, validation
        self.names = training.names
        most = model.params.longest_source, model.params.longest_target
        lengths = np.minimum(training.lengths, np.array(most, np.int32))
        # Plus separator and end, or the ends of source and target.
        self.costs: Sequence[int] = lengths.sum(axis=1) + 2
        reads = not model.network.config.is_encoder_decoder
        predicted = lengths[:, 0 if reads else 1 :].sum(axis=1) + 1
        super().__init__(model, training, float(predicted.mean()) if len(training) else 1.0)
        self._identity = task_identity(model.network, model.params, training.digest(), validation.digest())

    def identity(self) -> Mapping[str, Any]:
        """Return the model's params, and digests of its initial weights and of both sets."""
        return self._identity

    def parts(self) -> LossParts:
        """Return what other processes make the loss from."""
        return LossParts(sequence_loss, self.model.files(), self._stored, {"tokens": self._tokens})

    def validate(self) -> dict[str, float]:
        """Return the metrics of the validation set; empty if the set is empty."""
        return token_means(self.model, self._validation, self._counted) if len(self._validation) else {}


@torch.no_grad()
def token_means(model: SequenceModel, examples: ExampleStore, counted: int | None = None) -> dict[str, float]:
    """Return "loss", the mean over predicted tokens, and "log_perplexity", the mean over target tokens.

    If `counted` is given, the second is the sum divided by that many sub-words.
    """
    sums = torch.zeros(4, dtype=torch.float64)
    for start in range(0, len(examples), BATCH):
        parts = model.losses(examples[start : start + BATCH])[:4]
        sums += torch.stack([part.double().sum().cpu() for part in parts])
    output, output_tokens, read, read_tokens = sums.tolist()
    return {
        "loss": (output + read) / (output_tokens + read_tokens),
        LOG_PERPLEXITY: output / (counted or output_tokens),
    }
