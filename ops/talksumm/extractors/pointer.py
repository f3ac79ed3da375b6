"""The extractor of Chen and Bansal (2018), section 2.1: a pointer network that chooses sentences of a paper.

Belongs here: decoding without repetition, by beam search or greedily; the network (convolutional sentence
encoder, bidirectional LSTM over sentences, pointer with glimpse and stop action); words of sentences as rows
of a vector table. Not here: training (tasks.py), files (files.py), vectors (ops/models/word_vectors.py).

The beam search is our own. Hugging Face's `generate` chooses from a fixed vocabulary, but here the choices
are a paper's sentences, a summary ends at a number of words, and no sentence is repeated.
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

from silverloom.ops.models.word_vectors import WordVectors, word_vectors
from silverloom.ops.talksumm.extractors.config import PointerConfig
from silverloom.ops.talksumm.extractors.paper import Extraction, ExtractorPaper

_STOP = 0


class _Summary(NamedTuple):
    """A partial summary: its positions in the memory, and the log-probability of each choice."""

    places: tuple[int, ...]
    scores: tuple[float, ...]
    done: bool

    @property
    def rank(self) -> float:
        """Its mean log-probability, so that length is no disadvantage."""
        return sum(self.scores) / max(1, len(self.scores))


class PointerExtractor:
    """Points at sentences one by one; a score is the log-probability of a choice when it was made."""

    def __init__(self, config: PointerConfig, seed: int = 0, vectors: WordVectors | None = None) -> None:
        """Create one with random weights; `vectors` replaces the table that the config names."""
        self.config = config
        self.vectors = vectors or word_vectors(config.vectors)
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            self.network = Pointer(self.vectors.dimensions, config.channels, config.hidden, config.dropout)
        self.network.eval()

    def extract(self, paper: ExtractorPaper, words: int | None = 150) -> Extraction:
        """Return sentences in the order in which the network points at them.

        With a budget, the stop action is ignored until the budget is reached or the paper has no more
        sentences. Without one, the network stops by itself, after at least one sentence. Memory: a vector per
        sentence, and the words of a few hundred sentences at a time.
        """
        table = WordTable([paper.sentences], self.vectors, self.config.sentence_words)
        rows = [torch.tensor(row) for row in table.rows(paper.sentences)]
        return self.decode(rows, table.vectors, [len(text.split()) for text in paper.sentences], words)

    @torch.no_grad()
    def decode(
        self, rows: Sequence[Tensor], table: Tensor, lengths: Sequence[int], words: int | None
    ) -> Extraction:
        """Return the extraction of a paper, given rows of a `WordTable` and its sentences' word counts."""
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
            survivors = grown[: self.config.beam]
            beam = [summary for summary, _ in survivors]
            parents = torch.tensor(
                [parent for summary, parent in survivors if not summary.done], device=device
            )
            if len(parents):
                state = (state[0][:, parents], state[1][:, parents])
                inputs = memory[0, [summary.places[-1] for summary in beam if not summary.done]].unsqueeze(1)
        best = max(beam, key=lambda summary: summary.rank)
        chosen = [(place - 1, score) for place, score in zip(best.places, best.scores, strict=True) if place]
        return Extraction(tuple(index for index, _ in chosen), tuple(score for _, score in chosen))

    def _grow(
        self, summary: _Summary, scores: Tensor, lengths: Sequence[int], words: int | None
    ) -> list[_Summary]:
        """Return the most probable summaries that have one more sentence, or have stopped."""
        away = torch.zeros_like(scores, dtype=torch.bool)
        away[list(summary.places)] = True
        # With a budget, the network cannot stop early; without one, it may stop after the first sentence.
        away[_STOP] = words is not None or not summary.places
        scores = torch.log_softmax(scores.masked_fill(away, -torch.inf), dim=0)
        # Stable sort: ties go to the lowest position.
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
#: Sentences convolved at once, so that memory grows by only one vector per sentence of a paper.
_CHUNK = 256


class SentenceEncoder(nn.Module):
    """Convolutions of three widths over word vectors, with max-pooling over time (Kim 2014)."""

    def __init__(self, dimensions: int, channels: int, dropout: float) -> None:
        super().__init__()
        self.convolutions = nn.ModuleList(nn.Conv1d(dimensions, channels, window) for window in WINDOWS)
        self.dropout = nn.Dropout(dropout)

    def forward(self, words: Tensor, lengths: Tensor, vectors: Tensor) -> Tensor:
        """Return S x 3C for the words of S sentences (S x W, rows of `vectors`) with `lengths` (S).

        Windows that reach into the padding are ignored, unless the sentence is shorter than the window. So
        the encoding of a sentence does not depend on the others in the batch.
        """
        embedded = self.dropout(functional.embedding(words, vectors)).transpose(1, 2)
        pooled = []
        for width, convolution in zip(WINDOWS, self.convolutions, strict=True):
            seen = functional.relu(convolution(embedded))
            starts = torch.arange(seen.shape[2], device=words.device)
            beyond = starts > (lengths - width).clamp(min=0).unsqueeze(1)
            pooled.append(seen.masked_fill(beyond.unsqueeze(1), 0).amax(dim=2))
        return torch.cat(pooled, dim=1)


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
    """Reads the sentences of a paper and points at one after the other, and finally at the stop action."""

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
        """Return the memory of B papers, B x (N + 1) x 2H, and its mask, B x (N + 1).

        Position 0 is the stop action, and sentence i is at position i + 1. A sentence is a tensor of word
        rows. All are convolved sorted by length, a few hundred at a time, so that memory grows by one vector
        per sentence.
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
        """Return the keys of a memory for the glimpse and for the pointer."""
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
        """Return scores (B x T x (N + 1)) of the choices after T inputs (B x T x 2H), and the new state."""
        hidden, state = self.decoder(inputs, state)
        away = ~there.unsqueeze(1)
        of_glimpse, of_pointer = keys
        weights = torch.softmax(self.glimpse(of_glimpse, hidden).masked_fill(away, -torch.inf), dim=2)
        return self.pointer(of_pointer, weights @ of_glimpse).masked_fill(away, -torch.inf), state

    def loss(
        self, papers: Sequence[Sequence[Tensor]], vectors: Tensor, labels: Sequence[Sequence[int]]
    ) -> Tensor:
        """Return the negative log-likelihood of the labels in order, followed by the stop action.

        It is averaged over each paper's actions, then over papers.
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
    """The words of some papers that have vectors, as rows of a table (V x D).

    Row 0 is padding (zeros), and row 1 an unknown word (the mean of all vectors). Only the first `longest`
    tokens of a sentence count; a sentence without tokens is a single unknown word.
    """

    def __init__(self, papers: Iterable[Sequence[str]], vectors: WordVectors, longest: int) -> None:
        """Read the sentences of papers, one paper after the other."""
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
