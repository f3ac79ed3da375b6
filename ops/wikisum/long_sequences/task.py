"""Training of long-sequence models, as a task of the training loop.

Belongs here: the loss, and validation by loss and by answers. Not here: the loop and examples on disk
(ops/models/training), making examples and cutting texts into tokens (ops/wikisum/models), judging answers
(the caller passes a judge).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from safetensors.torch import save
from torch import Tensor

from silverloom.ops.models.training.examples import ExampleStore
from silverloom.ops.wikisum.long_sequences.model import BATCH, SequenceModel

#: Scores the answers to all validation sources: metric names to values.
TokenJudge = Callable[[Sequence[Sequence[int]]], Mapping[str, float]]

#: The mean loss per token of the target, including its end: the log-perplexity per sub-word.
LOG_PERPLEXITY = "log_perplexity"


class SequenceTask:
    """Maximum likelihood over all predicted tokens, each with the same weight.

    Validation gives "loss", the mean over all predicted tokens, "log_perplexity", the mean over the target's
    tokens, and the judge's scores of the answers, if there is a judge.
    """

    def __init__(
        self,
        model: SequenceModel,
        training: ExampleStore,
        validation: ExampleStore,
        judge: TokenJudge | None = None,
        beam: int | None = None,
        counted: int | None = None,
    ) -> None:
        """Take stored examples; `beam` decodes the answers that are judged.

        `counted`: the number of tokens over which "log_perplexity" is averaged. A model with its own
        tokenizer needs it to be comparable with other models.
        """
        self.model, self._judge, self._beam, self._counted = model, judge, beam, counted
        self._training, self._validation = training, validation
        self.module = model.network
        self.names = training.names
        most = model.params.longest_source, model.params.longest_target
        lengths = np.minimum(training.lengths, np.array(most, np.int32))
        # Plus separator and end, or the ends of source and target.
        self.costs: Sequence[int] = lengths.sum(axis=1) + 2
        reads = not model.network.config.is_encoder_decoder
        predicted = lengths[:, 0 if reads else 1 :].sum(axis=1) + 1
        self._tokens = float(predicted.mean()) if len(training) else 1.0
        self._identity = {
            "model": model.params.model_dump(mode="json"),
            "initial weights": hashlib.sha256(save(model.network.state_dict())).hexdigest(),
            "training set": training.digest(),
            "validation set": validation.digest(),
            "validation beam": beam,
        }

    def identity(self) -> Mapping[str, Any]:
        """Return the model's params, and digests of its initial weights and of both sets."""
        return self._identity

    def loss(self, indices: Sequence[int]) -> Tensor:
        """Return the summed loss of training examples, divided by their number times the mean token count.

        So every token of the training set has the same weight, whichever batch it is in.
        """
        losses = self.model.losses([self._training[index] for index in indices])
        whole = losses.output.sum() + losses.input.sum()
        return whole / (self._tokens * len(indices)) + losses.balance

    @torch.no_grad()
    def validate(self) -> dict[str, float]:
        """Return the metrics of the validation set; empty if the set is empty."""
        if not len(self._validation):
            return {}
        metrics = token_means(self.model, self._validation, self._counted)
        if self._judge is not None:
            sources = [example.source for example in self._validation]
            metrics |= self._judge(self.model.generate(sources, self._beam))
        return metrics


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
