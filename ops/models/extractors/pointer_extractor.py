"""The extractor of Chen and Bansal (2018): from papers to sentences.

Belongs here: decoding without repetition, by beam or greedily. Not here: the network (pointer.py), training
(tasks.py), files (files.py).

The beam is our own: Hugging Face's `generate` counts pieces of one vocabulary, but here the choices are a
paper's sentences, a summary ends at a number of words, and no sentence comes twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from ops.models.extractors.config import PointerConfig
from ops.models.extractors.paper import Extraction, Paper
from ops.models.extractors.pointer import Pointer
from ops.models.extractors.words import word_rows
from ops.models.word_vectors import WordVectors, word_vectors

_STOP = 0


class _Summary(NamedTuple):
    """A summary on its way: the places in the memory that it has, and the log-probability of each choice."""

    places: tuple[int, ...]
    scores: tuple[float, ...]
    done: bool

    @property
    def rank(self) -> float:
        """Its mean log-probability: a longer summary is not worse for its length."""
        return sum(self.scores) / max(1, len(self.scores))


class PointerExtractor:
    """Points at one sentence after the other; a score is the log-probability of a choice when it was made."""

    def __init__(self, config: PointerConfig, seed: int = 0, vectors: WordVectors | None = None) -> None:
        """Make one with random weights; `vectors` replaces the table that the config names."""
        self.config = config
        self.vectors = vectors or word_vectors(config.vectors)
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            self.network = Pointer(self.vectors.dimensions, config.channels, config.hidden, config.dropout)
        self.network.eval()

    def extract(self, paper: Paper, words: int | None = 150) -> Extraction:
        """Return sentences in the order in which the network points at them.

        With a budget, the stop action is passed over until it is met, or the paper has no more; without one,
        the network stops by itself, behind one sentence at least. Memory: a vector a sentence, and the words
        of some hundred sentences at once.
        """
        [rows], table = word_rows([paper.sentences], self.vectors, self.config.sentence_words)
        return self.decode(rows, table, [len(text.split()) for text in paper.sentences], words)

    @torch.no_grad()
    def decode(
        self, rows: Sequence[Tensor], table: Tensor, lengths: Sequence[int], words: int | None
    ) -> Extraction:
        """Return the extraction of a paper given as `word_rows`; `lengths` are its sentences' words."""
        if words is not None and words < 1:
            raise ValueError(f"a summary of {words} words: it must be at least 1")
        if not any(lengths):
            return Extraction((), ())
        network = self.network
        device = network.stop.device
        memory, there = network.encode([[row.to(device) for row in rows]], table.to(device))
        there[0, 1:] &= torch.tensor(lengths, device=device) > 0
        keys = network.keys(memory)
        inputs, state = network.begin(1)
        beam = [_Summary((), (), False)]
        while not all(summary.done for summary in beam):
            growing = [summary for summary in beam if not summary.done]
            count = len(growing)
            scores, state = network.step(
                inputs,
                state,
                (keys[0].expand(count, -1, -1), keys[1].expand(count, -1, -1)),
                there.expand(count, -1),
            )
            grown: list[tuple[_Summary, int]] = [(summary, -1) for summary in beam if summary.done]
            for parent, summary in enumerate(growing):
                grown += [(new, parent) for new in self._grow(summary, scores[parent, 0], lengths, words)]
            grown.sort(key=lambda pair: -pair[0].rank)
            kept = grown[: self.config.beam]
            beam = [summary for summary, _ in kept]
            parents = torch.tensor([parent for summary, parent in kept if not summary.done], device=device)
            if len(parents):
                state = (state[0][:, parents], state[1][:, parents])
                inputs = memory[0, [summary.places[-1] for summary in beam if not summary.done]].unsqueeze(1)
        best = max(beam, key=lambda summary: summary.rank)
        chosen = [(place - 1, score) for place, score in zip(best.places, best.scores, strict=True) if place]
        return Extraction(tuple(index for index, _ in chosen), tuple(score for _, score in chosen))

    def _grow(
        self, summary: _Summary, scores: Tensor, lengths: Sequence[int], words: int | None
    ) -> list[_Summary]:
        """Return the likeliest summaries that are longer by one sentence, or stopped."""
        away = torch.zeros_like(scores, dtype=torch.bool)
        away[list(summary.places)] = True
        # A budget is met whatever the network says; and a summary has a sentence.
        away[_STOP] = words is not None or not summary.places
        scores = torch.log_softmax(scores.masked_fill(away, -torch.inf), dim=0)
        # Stable, so that ties go to the lowest place.
        best, places = (ranked[: self.config.beam] for ranked in scores.sort(descending=True, stable=True))
        left = int((scores > -torch.inf).sum()) - 1
        used = sum(lengths[place - 1] for place in summary.places)
        grown = []
        for place, score in zip(places.tolist(), best.tolist(), strict=True):
            if score == -float("inf"):
                continue
            met = words is not None and place != _STOP and used + lengths[place - 1] >= words
            done = place == _STOP or met or left == 0
            grown.append(_Summary((*summary.places, place), (*summary.scores, score), done))
        return grown
