"""The interface of all text-to-text models.

Belongs here: examples as numbers, outputs for many sources in batches, a model's own files. Not here: the
networks (transformer.py, copynet.py, pretrained.py), training (task.py), models made from files (files.py).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from silverloom.ops.models.decoding import Writer
from silverloom.ops.models.seq2seq.config import BATCH, Seq2SeqConfig
from silverloom.ops.models.seq2seq.pieces import EOS, PAD, Pieces
from silverloom.ops.models.trained import network_files
from silverloom.ops.models.training.examples import ExampleStore, TokenExample

#: The file of the vocabulary among the files of a model.
PIECES = "tokenizer.json"


@dataclass(frozen=True, slots=True)
class Inputs:
    """N sources as inputs of the network's `generate`, and the words of each outside the vocabulary."""

    source: Tensor
    """N x S"""
    options: dict[str, Any]
    words: Sequence[Sequence[str]]


class Seq2Seq(Writer, ABC):
    """A text-to-text model: a network with its vocabulary."""

    config: Seq2SeqConfig
    pieces: Pieces
    network: Any
    """A module with the `generate` of Hugging Face's `GenerationMixin`."""

    def length(self, source: str, target: str) -> int:
        """Return the number of pieces of the longer text; more than `config.longest` is too long."""
        return max(self.pieces.length(text) for text in (source, target))

    @abstractmethod
    def example(self, source: str, target: str) -> TokenExample:
        """Return a pair as numbers of pieces, with end markers; cut a text that is too long at its end."""

    @abstractmethod
    def losses(self, examples: Sequence[TokenExample]) -> Tensor:
        """Return the loss of each of N examples (N): the mean over the pieces of its target, in nats."""

    def files(self) -> dict[str, bytes]:
        """Return the model as named bytes; the same weights give the same bytes."""
        return {**network_files(self.config, self.network), PIECES: self.pieces.content}

    def stored(self, pairs: Iterable[tuple[str, str, str]], folder: Path | None = None) -> ExampleStore:
        """Store pairs (name, source, target) as examples on disk, in `folder`, and return them."""
        return ExampleStore(((name, self.example(source, target)) for name, source, target in pairs), folder)

    def generate(self, sources: Sequence[str], beam: int | None = None) -> list[str]:
        """Return the output for each source; `beam` overrides the config's.

        Equal sources have equal outputs. Batches hold sources of similar length and depend only on the set of
        sources: their order and duplicates do not change any output.
        """
        ordered = sorted(set(sources), key=lambda text: (self.pieces.length(text), text))
        answers = dict(self.answers(ordered, beam))
        return [answers[source] for source in sources]

    def answers(self, ordered: Iterable[str], beam: int | None = None) -> Iterator[tuple[str, str]]:
        """Yield sources with their outputs. `ordered` has distinct sources, sorted by pieces, then text."""
        remaining, width = iter(ordered), beam or self.config.beam
        while batch := list(islice(remaining, self.at_once(BATCH))):
            self.network.eval()
            with self.products():
                outputs = self._answers(batch, width)
            yield from zip(batch, outputs, strict=True)

    @torch.no_grad()
    def _answers(self, sources: Sequence[str], beam: int) -> list[str]:
        inputs = self._inputs(sources)
        ids = self.network.generate(
            input_ids=inputs.source,
            max_new_tokens=self._most(inputs.source.shape[1] - 1),
            num_beams=beam,
            do_sample=False,
            length_penalty=self.config.length_penalty if beam > 1 else None,
            **inputs.options,
        )
        return [self.pieces.text(row, words) for row, words in zip(ids.tolist(), inputs.words, strict=True)]

    @abstractmethod
    def _inputs(self, sources: Sequence[str]) -> Inputs: ...

    def _cut(self, numbers: Sequence[int]) -> list[int]:
        return [*numbers[: self.config.longest], EOS]

    def _most(self, longest_source: int) -> int:
        """Return the most pieces, end marker included, of the outputs for a batch."""
        most = self.config.longest
        if self.config.growth is not None:
            most = min(most, longest_source + self.config.growth)
        return most + 1


def padded(rows: Sequence[Sequence[int]], device: torch.device) -> Tensor:
    """Return rows of numbers as N x longest, padded at the end."""
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[PAD] * (longest - len(row))] for row in rows], device=device)
