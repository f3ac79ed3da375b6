"""The extractor of Chen and Bansal (2018), section 2.1: the network.

Belongs here: the convolutional sentence encoder, the bidirectional LSTM over sentences, the pointer network
with glimpse and stop action. Not here: decoding (pointer_extractor.py), and what it is trained on (tasks.py).
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_sequence, pad_packed_sequence

State = tuple[Tensor, Tensor]

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

    def begin(self, count: int) -> tuple[Tensor, State]:
        """Return the first input of the decoder (B x 1 x 2H) and its state."""
        hidden, cell = (
            parameter.expand(1, count, -1).contiguous() for parameter in (self.first_hidden, self.first_cell)
        )
        return self.start.expand(count, 1, -1), (hidden, cell)

    def step(
        self, inputs: Tensor, state: State, keys: tuple[Tensor, Tensor], there: Tensor
    ) -> tuple[Tensor, State]:
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
