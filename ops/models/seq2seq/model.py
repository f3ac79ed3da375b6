"""What every model from text to text can do, and what it is trained on.

Belongs here: examples as numbers, answers to many sources in batches, and pairs as a task of the training
loop: loss, validation by loss and by answers. Not here: the networks (transformer.py, copynet.py,
pretrained.py), the loop (ops/models/training), judging answers (the caller brings a judge), files (files.py).
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from safetensors.torch import save
from torch import Tensor

from ops.models.seq2seq.config import BATCH, Pairs, Seq2SeqConfig
from ops.models.seq2seq.pieces import EOS, PAD, Pieces


@dataclass(frozen=True, slots=True)
class Example:
    """A source and its target as numbers of pieces; both end with the end of a text."""

    source: Sequence[int]
    target: Sequence[int]

    @property
    def cost(self) -> int:
        """Pieces of both."""
        return len(self.source) + len(self.target)


@dataclass(frozen=True, slots=True)
class Inputs:
    """N sources as the network's `generate` takes them, and the words beyond the vocabulary of each."""

    source: Tensor
    """N x S"""
    options: dict[str, Any]
    words: Sequence[Sequence[str]]


class Seq2Seq(ABC):
    """A network with its vocabulary, from text to text."""

    config: Seq2SeqConfig
    pieces: Pieces
    network: Any
    """A module with the `generate` of Hugging Face's `GenerationMixin`."""

    def length(self, source: str, target: str) -> int:
        """Return how many pieces the longer one of two texts has; more than `config.longest` is too long."""
        return max(len(self.pieces.numbers(text)) for text in (source, target))

    def place(self, strict: bool) -> None:
        """Move the network to a GPU, if there is one and numerics are not strict."""
        if not strict and torch.cuda.is_available():
            self.network.to("cuda")

    @abstractmethod
    def example(self, source: str, target: str) -> Example:
        """Return a pair as numbers; of a text that is too long, its beginning."""

    @abstractmethod
    def losses(self, examples: Sequence[Example]) -> Tensor:
        """Return the loss of each of N examples (N): the mean over its target's pieces, in nats."""

    def generate(self, sources: Sequence[str], beam: int | None = None) -> list[str]:
        """Return an answer to each source; `beam` replaces that of the config.

        Equal sources have equal answers. Batches are of sources of like length, and are made of the set of
        sources alone: neither their order nor that one stands there twice changes an answer.
        """
        found = self.answers(sources, beam)
        return [found[source] for source in sources]

    @torch.no_grad()
    def answers(
        self, sources: Sequence[str], beam: int | None = None, batches: range | None = None
    ) -> dict[str, str]:
        """Return the answers of `generate` by their sources; of the batches with these numbers alone."""
        self.network.eval()
        width = beam or self.config.beam
        ordered = sorted(set(sources), key=lambda text: (len(self.pieces.numbers(text)), text))
        found: dict[str, str] = {}
        for number, start in enumerate(range(0, len(ordered), BATCH)):
            if batches is None or number in batches:
                batch = ordered[start : start + BATCH]
                found.update(zip(batch, self._answers(batch, width), strict=True))
        return found

    def _answers(self, sources: Sequence[str], beam: int) -> list[str]:
        inputs = self._inputs(sources)
        found = self.network.generate(
            input_ids=inputs.source,
            max_new_tokens=self._most(inputs.source.shape[1] - 1),
            num_beams=beam,
            do_sample=False,
            length_penalty=self.config.length_penalty if beam > 1 else None,
            **inputs.options,
        )
        return [self.pieces.text(row, words) for row, words in zip(found.tolist(), inputs.words, strict=True)]

    @abstractmethod
    def _inputs(self, sources: Sequence[str]) -> Inputs: ...

    def _cut(self, numbers: Sequence[int]) -> list[int]:
        return [*numbers[: self.config.longest], EOS]

    def _most(self, longest_source: int) -> int:
        """Return how many pieces, the end included, the answers to a batch have at most."""
        most = self.config.longest
        if self.config.growth is not None:
            most = min(most, longest_source + self.config.growth)
        return most + 1


def padded(rows: Sequence[Sequence[int]], device: torch.device) -> Tensor:
    """Return rows of numbers as N x longest, filled up with padding."""
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[PAD] * (longest - len(row))] for row in rows], device=device)


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
