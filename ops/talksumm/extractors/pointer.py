"""The extractor of Chen and Bansal (2018), section 2.1: from papers to sentences by a pointer network.

Belongs here: decoding without repetition, by beam or greedily; the network: the convolutional sentence
encoder, the bidirectional LSTM over sentences, the pointer with glimpse and stop action; words of sentences
as rows of a table of vectors. Not here: what it is trained on (tasks.py), files (files.py), the tables
(ops/models/word_vectors.py).

The beam is our own: Hugging Face's `generate` counts pieces of one vocabulary, but here the choices are a
paper's sentences, a summary ends at a number of words, and no sentence comes twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import compress
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_sequence, pad_packed_sequence

from ops.models.word_vectors import WordVectors, word_vectors
from ops.talksumm.extractors.config import PointerConfig
from ops.talksumm.extractors.paper import Extraction, ExtractorPaper

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

    def extract(self, paper: ExtractorPaper, words: int | None = 150) -> Extraction:
        """Return sentences in the order in which the network points at them.

        With a budget, the stop action is passed over until it is met, or the paper has no more; without one,
        the network stops by itself, behind one sentence at least. Memory: a vector a sentence, and the words
        of some hundred sentences at once.
        """
        table = WordTable([paper.sentences], self.vectors, self.config.sentence_words)
        rows = [torch.tensor(row) for row in table.rows(paper.sentences)]
        return self.decode(rows, table.vectors, [len(text.split()) for text in paper.sentences], words)

    @torch.no_grad()
    def decode(
        self, rows: Sequence[Tensor], table: Tensor, lengths: Sequence[int], words: int | None
    ) -> Extraction:
        """Return the extraction of a paper: rows of a `WordTable`, and how many words its sentences have."""
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


PointerState = tuple[Tensor, Tensor]

WINDOWS = (3, 4, 5)
#: Sentences that are convolved at once: memory does not grow with the paper but by one vector a sentence.
_CHUNK = 256


class SentenceEncoder(nn.Module):
    """Convolutions of three widths over word vectors, and the maximum over time (Kim 2014)."""

    def __init__(self, dimensions: int, channels: int, dropout: float) -> None:
        super().__init__()
        self.convolutions = nn.ModuleList(nn.Conv1d(dimensions, channels, window) for window in WINDOWS)
        self.dropout = nn.Dropout(dropout)

    def forward(self, words: Tensor, lengths: Tensor, vectors: Tensor) -> Tensor:
        """Return S x 3C for the words of S sentences (S x W, rows of `vectors`); `lengths` (S) count.

        Windows that reach into the padding count for no sentence but one that is shorter than the window:
        what a sentence is does not depend on those beside it.
        """
        embedded = self.dropout(functional.embedding(words, vectors)).transpose(1, 2)
        found = []
        for width, convolution in zip(WINDOWS, self.convolutions, strict=True):
            seen = functional.relu(convolution(embedded))
            starts = torch.arange(seen.shape[2], device=words.device)
            beyond = starts > (lengths - width).clamp(min=0).unsqueeze(1)
            found.append(seen.masked_fill(beyond.unsqueeze(1), 0).amax(dim=2))
        return torch.cat(found, dim=1)


class _Attention(nn.Module):
    """Additive attention: v tanh(W_m m_j + W_q q), equations 3 and 5."""

    def __init__(self, memory: int, query: int, hidden: int) -> None:
        super().__init__()
        self.of_memory = nn.Linear(memory, hidden, bias=False)
        self.of_query = nn.Linear(query, hidden, bias=False)
        self.score = nn.Linear(hidden, 1, bias=False)

    def forward(self, keys: Tensor, query: Tensor) -> Tensor:
        """Return B x T x M for keys (B x M x H, from `of_memory`) and queries (B x T x Q)."""
        mixed = torch.tanh(keys.unsqueeze(1) + self.of_query(query).unsqueeze(2))
        scores: Tensor = self.score(mixed).squeeze(3)
        return scores


class Pointer(nn.Module):
    """Reads the sentences of a paper and points at one after the other, at last at the stop action."""

    def __init__(self, dimensions: int, channels: int, hidden: int, dropout: float) -> None:
        super().__init__()
        self.sentence = SentenceEncoder(dimensions, channels, dropout)
        self.paper = nn.LSTM(len(WINDOWS) * channels, hidden, bidirectional=True, batch_first=True)
        self.dropout = nn.Dropout(dropout)
        width = 2 * hidden
        self.stop = nn.Parameter(torch.empty(width).uniform_(-0.1, 0.1))
        self.start = nn.Parameter(torch.empty(width).uniform_(-0.1, 0.1))
        self.first_hidden = nn.Parameter(torch.zeros(hidden))
        self.first_cell = nn.Parameter(torch.zeros(hidden))
        self.decoder = nn.LSTM(width, hidden, batch_first=True)
        self.glimpse = _Attention(width, hidden, hidden)
        self.pointer = _Attention(width, hidden, hidden)

    def encode(self, papers: Sequence[Sequence[Tensor]], vectors: Tensor) -> tuple[Tensor, Tensor]:
        """Return the memory of B papers, B x (N + 1) x 2H, and which of it is there, B x (N + 1).

        The stop action is in place 0 and sentence i in place i + 1. A sentence is a tensor of word rows; all
        are convolved by length, some hundred at once, so that memory grows by one vector a sentence.
        """
        sentences = [sentence for paper in papers for sentence in paper]
        order = sorted(range(len(sentences)), key=lambda index: len(sentences[index]))
        parts = []
        for start in range(0, len(order), _CHUNK):
            chunk = [sentences[index] for index in order[start : start + _CHUNK]]
            longest = max(len(chunk[-1]), max(WINDOWS))
            padded = torch.stack([functional.pad(words, (0, longest - len(words))) for words in chunk])
            lengths = torch.tensor([len(words) for words in chunk], device=vectors.device)
            parts.append(self.sentence(padded, lengths, vectors))
        back = torch.tensor(order, device=vectors.device).argsort()
        sizes = [len(paper) for paper in papers]
        rows = self.dropout(torch.cat(parts)[back]).split(sizes)
        packed = pack_sequence(list(rows), enforce_sorted=False)
        encoded, _ = pad_packed_sequence(self.paper(packed)[0], batch_first=True)
        memory = torch.cat([self.stop.expand(len(papers), 1, -1), self.dropout(encoded)], dim=1)
        places = torch.arange(memory.shape[1], device=vectors.device)
        there = places <= torch.tensor(sizes, device=vectors.device).unsqueeze(1)
        return memory, there

    def keys(self, memory: Tensor) -> tuple[Tensor, Tensor]:
        """Return what the glimpse and the pointer see of a memory."""
        return self.glimpse.of_memory(memory), self.pointer.of_memory(memory)

    def begin(self, count: int) -> tuple[Tensor, PointerState]:
        """Return the first input of the decoder (B x 1 x 2H) and its state."""
        hidden, cell = (
            parameter.expand(1, count, -1).contiguous() for parameter in (self.first_hidden, self.first_cell)
        )
        return self.start.expand(count, 1, -1), (hidden, cell)

    def step(
        self, inputs: Tensor, state: PointerState, keys: tuple[Tensor, Tensor], there: Tensor
    ) -> tuple[Tensor, PointerState]:
        """Return scores (B x T x (N + 1)) of what follows T inputs (B x T x 2H), and the new state."""
        hidden, state = self.decoder(inputs, state)
        away = ~there.unsqueeze(1)
        of_glimpse, of_pointer = keys
        weights = torch.softmax(self.glimpse(of_glimpse, hidden).masked_fill(away, -torch.inf), dim=2)
        return self.pointer(of_pointer, weights @ of_glimpse).masked_fill(away, -torch.inf), state

    def loss(
        self, papers: Sequence[Sequence[Tensor]], vectors: Tensor, labels: Sequence[Sequence[int]]
    ) -> Tensor:
        """Return the negative log-likelihood of the labels in their order and of the stop behind them.

        It is the mean over a paper's actions, then over papers.
        """
        memory, there = self.encode(papers, vectors)
        begin, state = self.begin(len(papers))
        longest = max(map(len, labels))
        places = torch.zeros(len(papers), longest + 1, dtype=torch.long, device=vectors.device)
        acts = torch.zeros_like(places, dtype=torch.float32)
        for row, chosen in enumerate(labels):
            places[row, : len(chosen)] = torch.tensor(chosen, device=vectors.device) + 1
            acts[row, : len(chosen) + 1] = 1 / (len(chosen) + 1)
        chosen_before = memory.gather(1, places[:, :-1].unsqueeze(2).expand(-1, -1, memory.shape[2]))
        scores, _ = self.step(torch.cat([begin, chosen_before], dim=1), state, self.keys(memory), there)
        losses = functional.cross_entropy(scores.transpose(1, 2), places, reduction="none")
        return (losses * acts).sum() / len(papers)


_TOKEN = re.compile(r"\w+|[^\w\s]")
_PADDING, _UNKNOWN = 0, 1


class WordTable:
    """The words of some papers that have vectors, by the rows of a table (V x D).

    Row 0 pads (zeros) and row 1 is a word that has no vector (the mean of all). Of a sentence the first
    `longest` tokens count; one without tokens is a single unknown word.
    """

    def __init__(self, papers: Iterable[Sequence[str]], vectors: WordVectors, longest: int) -> None:
        """Read papers, which are taken one after the other, as their sentences."""
        self._longest = longest
        known: set[str] = set()
        for sentences in papers:
            words = sorted({word for text in sentences for word in self._words(text)} - known)
            known.update(compress(words, vectors.vectors(words)[1].tolist()))
        ordered = sorted(known)
        special = np.stack([np.zeros(vectors.dimensions), vectors.mean]).astype(np.float32)
        self.vectors = torch.from_numpy(np.concatenate([special, vectors.vectors(ordered)[0]]))
        self._places = {word: place for place, word in enumerate(ordered, start=_UNKNOWN + 1)}

    def rows(self, sentences: Sequence[str]) -> list[list[int]]:
        """Return the words of every sentence of a paper as rows of the table."""
        return [
            [self._places.get(word, _UNKNOWN) for word in self._words(text)] or [_UNKNOWN]
            for text in sentences
        ]

    def _words(self, text: str) -> list[str]:
        return _TOKEN.findall(text.lower())[: self._longest]
