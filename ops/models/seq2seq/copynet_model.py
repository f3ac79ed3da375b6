"""CopyNet from text to text.

Belongs here: numbers for words that the vocabulary has not, losses, and what answers are generated from. Not
here: the network (copynet.py), training (task.py), files (files.py).
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from ops.models.seq2seq.config import CopyNetConfig
from ops.models.seq2seq.copynet import CopyNet
from ops.models.seq2seq.model import Example, Inputs, Seq2Seq, padded
from ops.models.seq2seq.pieces import PAD, UNK, Pieces


class CopyNetModel(Seq2Seq):
    """Generates pieces of its vocabulary, and copies any of the source."""

    network: CopyNet

    def __init__(self, config: CopyNetConfig, pieces: Pieces, seed: int = 0) -> None:
        """Make one with random weights."""
        self.config: CopyNetConfig = config
        self.pieces = pieces
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            self.network = CopyNet(
                len(pieces), config.hidden, config.encoder_layers, config.decoder_layers, config.dropout
            )
        self.network.eval()

    def example(self, source: str, target: str) -> Example:
        """Return a pair as numbers; of a text that is too long, its beginning.

        A word of the target that neither the vocabulary nor the source has is unknown.
        """
        numbers, others = self._numbers(source)
        known = {word: len(self.pieces) + place for place, word in enumerate(others)}
        return Example(self._cut(numbers), self._cut(self._with(target, known)))

    def losses(self, examples: Sequence[Example]) -> Tensor:
        """Return the mean negative log-likelihood of the pieces of each of N targets (N)."""
        network = self.network
        memory, state = network.encode(padded([example.source for example in examples], self.device))
        target = padded([example.target for example in examples], self.device)
        tops, copies = network.follow(memory, state, target, self.config.scheduled_sampling)
        there = target != PAD
        losses = -network.log_likelihood(tops, copies, memory.numbers, target)
        return (losses * there).sum(dim=1) / there.sum(dim=1)

    def _inputs(self, sources: Sequence[str]) -> Inputs:
        rows = [self._numbers(text) for text in sources]
        words = [others for _, others in rows]
        source = padded([self._cut(numbers) for numbers, _ in rows], self.device)
        options = {
            "encoder_outputs": self.network.begun(source),
            "others": max(map(len, words)),
            "suppress_tokens": [PAD, UNK],
        }
        return Inputs(source, options, words)

    def _numbers(self, source: str) -> tuple[list[int], list[str]]:
        """Return the numbers of a source, and its words that the vocabulary has not, each once."""
        numbers = self.pieces.numbers(source)
        if UNK not in numbers:
            return numbers, []
        words = self.pieces.names(source)
        others = list(
            dict.fromkeys(word for word, number in zip(words, numbers, strict=True) if number == UNK)
        )
        return self._with(
            source, {word: len(self.pieces) + place for place, word in enumerate(others)}
        ), others

    def _with(self, text: str, others: dict[str, int]) -> list[int]:
        """Return the numbers of a text; words that the vocabulary has not are numbered by `others`."""
        numbers = self.pieces.numbers(text)
        if UNK not in numbers:
            return numbers
        words = self.pieces.names(text)
        return [
            others.get(word, UNK) if number == UNK else number
            for word, number in zip(words, numbers, strict=True)
        ]
