"""What every model from text to text can do, and what it is trained on.

Belongs here: examples as numbers, answers to many sources in batches, and pairs as a task of the training
loop: loss, validation by loss and by answers. Not here: the networks (transformer.py, copynet.py,
pretrained.py), the loop (ops/models/training), judging answers (the caller brings a judge), files (files.py).
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save
from torch import Tensor

from ops.models.decoding import Writer
from ops.models.seq2seq.config import BATCH, Pairs, Seq2SeqConfig
from ops.models.seq2seq.pieces import EOS, PAD, Pieces
from ops.models.training.examples import ExampleStore, TokenExample


@dataclass(frozen=True, slots=True)
class Inputs:
    """N sources as the network's `generate` takes them, and the words beyond the vocabulary of each."""

    source: Tensor
    """N x S"""
    options: dict[str, Any]
    words: Sequence[Sequence[str]]


class Seq2Seq(Writer, ABC):
    """A network with its vocabulary, from text to text."""

    config: Seq2SeqConfig
    pieces: Pieces
    network: Any
    """A module with the `generate` of Hugging Face's `GenerationMixin`."""

    def length(self, source: str, target: str) -> int:
        """Return how many pieces the longer one of two texts has; more than `config.longest` is too long."""
        return max(self.pieces.length(text) for text in (source, target))

    @abstractmethod
    def example(self, source: str, target: str) -> TokenExample:
        """Return a pair as numbers of pieces, ends included; of a text that is too long, its beginning."""

    @abstractmethod
    def losses(self, examples: Sequence[TokenExample]) -> Tensor:
        """Return the loss of each of N examples (N): the mean over its target's pieces, in nats."""

    def stored(self, pairs: Iterable[tuple[str, str, str]], folder: Path | None = None) -> ExampleStore:
        """Return pairs, each of a name, a source and a target, as examples on disk, in `folder`."""
        return ExampleStore(((name, self.example(source, target)) for name, source, target in pairs), folder)

    def generate(self, sources: Sequence[str], beam: int | None = None) -> list[str]:
        """Return an answer to each source; `beam` replaces that of the config.

        Equal sources have equal answers. Batches are of sources of like length, and are made of the set of
        sources alone: neither their order nor that one stands there twice changes an answer.
        """
        ordered = sorted(set(sources), key=lambda text: (self.pieces.length(text), text))
        answers = dict(self.answers(ordered, beam))
        return [answers[source] for source in sources]

    def answers(self, ordered: Iterable[str], beam: int | None = None) -> Iterator[tuple[str, str]]:
        """Yield sources with their answers; each source comes once, by number of pieces, then by text."""
        remaining, width = iter(ordered), beam or self.config.beam
        while batch := list(islice(remaining, self.at_once(BATCH))):
            self.network.eval()
            with self.products():
                found = self._answers(batch, width)
            yield from zip(batch, found, strict=True)

    @torch.no_grad()
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
        self,
        model: Seq2Seq,
        training: ExampleStore,
        validation: Pairs,
        judge: AnswerJudge,
        beam: int | None = None,
    ) -> None:
        """Take the pairs to learn from as they are stored; `beam` is that of the answers that are judged."""
        self._model, self._judge, self._beam = model, judge, beam
        self.module = model.network
        self._training, self.names = training, training.names
        self._seen = [
            model.example(*pair) for pair in zip(validation.sources, validation.targets, strict=True)
        ]
        self._sources = validation.sources
        self.costs: Sequence[int] = training.lengths.sum(axis=1)
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
        return self._model.losses([self._training[index] for index in indices]).mean()

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
