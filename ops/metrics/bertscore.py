"""BERTScore (Zhang et al. 2020): how well the tokens of two sentences match by their contextual embeddings.

Belongs here: scores of pairs, in bounded memory. Not here: the embeddings of tokens
(ops/models/encoder.py), and thresholds, which a later step applies. torch is loaded when the first score is
computed.

The scores equal those of the package bert-score without idf weights and without a baseline. Every token of
one sentence takes its best cosine among all tokens of the other, including the model's own ([CLS], [SEP]);
the mean is over the sentence's own tokens. Values therefore fill only a part of 0..1, which differs by
encoder and layer, so a threshold is valid for one encoder and layer only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from silverloom.ops.models.encoder import ENCODER, TokenEmbeddings

if TYPE_CHECKING:
    from torch import Tensor

#: Most cosines in a batch, and most tokens on one side of it, padding included.
_COSINES, _TOKENS = 2**22, 2**14


class BertScore(NamedTuple):
    """Precision, recall and F1 of N pairs: N float32 values each."""

    precision: NDArray[np.float32]
    recall: NDArray[np.float32]
    f1: NDArray[np.float32]


def bertscore(
    candidates: Sequence[str], references: Sequence[str], encoder: str | None = None, layer: int = 5
) -> BertScore:
    """Return the BERTScore of N candidates, each against the reference at the same index.

    `encoder` is a name of the registry (None: its default); `layer` counts from 1. A sentence that is too
    long for the encoder is cut (`TokenEmbeddings.truncated` reports which); a sentence without tokens
    scores 0. Raises ValueError for lists of different length and for a layer that the encoder does not have.
    """
    return BertScorer(encoder, layer).score(candidates, references)


class BertMatch(NamedTuple):
    """BERTScore of N pairs, with the mean of their weakest matches: N float32 values each."""

    precision: NDArray[np.float32]
    recall: NDArray[np.float32]
    f1: NDArray[np.float32]
    weakest: NDArray[np.float32]
    """Mean over the worst-matching quarter of a side's tokens; the lower of the two sides."""


class BertScorer:
    """Scores pairs, and keeps the embeddings of their sentences for the next call.

    `memory` is how many bytes of embeddings it keeps. However many pairs there are, each sentence is encoded
    once, as long as the sentences of neighbouring pairs fit into memory together.
    """

    def __init__(
        self, encoder: str | None = None, layer: int = 5, strict: bool = True, memory: int = 2**30
    ) -> None:
        self.tokens = TokenEmbeddings(encoder or ENCODER, layer, strict, memory)

    def score(self, candidates: Sequence[str], references: Sequence[str]) -> BertScore:
        """Return the BERTScore of N pairs; raises as `bertscore` does."""
        return BertScore(*self.match(candidates, references)[:3])

    def match(self, candidates: Sequence[str], references: Sequence[str]) -> BertMatch:
        """Return the BERTScore and the weakest matches: a detail missing on one side hardly moves a mean."""
        if len(candidates) != len(references):
            raise ValueError(f"{len(candidates)} candidates and {len(references)} references")
        scores = np.zeros((4, len(candidates)), np.float32)
        for chunk in self._chunks(candidates, references) if candidates else ():
            self._score(chunk, candidates, references, scores)
        return BertMatch(*scores)

    def _chunks(self, candidates: Sequence[str], references: Sequence[str]) -> Iterator[list[int]]:
        """Yield the indices of all pairs in chunks of neighbours that fit into memory."""
        chunk: list[int] = []
        texts: set[str] = set()
        size = 0
        for index in _neighbours(candidates, references):
            new = {candidates[index], references[index]} - texts
            needed = sum(map(self.tokens.size, new))
            if chunk and size + needed > self.tokens.memory:
                yield chunk
                chunk, texts, size = [], set(), 0
                new = {candidates[index], references[index]}
                needed = sum(map(self.tokens.size, new))
            chunk.append(index)
            texts |= new
            size += needed
        if chunk:
            yield chunk

    def _score(
        self,
        chunk: Sequence[int],
        candidates: Sequence[str],
        references: Sequence[str],
        scores: NDArray[np.float32],
    ) -> None:
        texts = dict.fromkeys(text for index in chunk for text in (candidates[index], references[index]))
        known = dict(zip(texts, self.tokens.of(list(texts)), strict=True))
        pairs = [(known[candidates[index]], known[references[index]]) for index in chunk]
        for batch in _batches([(len(first), len(second)) for first, second in pairs]):
            batch_scores = _match([pairs[place][0] for place in batch], [pairs[place][1] for place in batch])
            scores[:, [chunk[place] for place in batch]] = batch_scores


def _neighbours(candidates: Sequence[str], references: Sequence[str]) -> NDArray[np.intp]:
    """Return an order of the pairs in which pairs that share sentences are close together.

    The pairs are sorted by the reverse Cuthill-McKee ranks of their sentences, so that the embeddings of a
    sentence are needed only for a short time.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    numbers: dict[str, int] = {}
    first = [numbers.setdefault(text, len(numbers)) for text in candidates]
    second = [numbers.setdefault(text, len(numbers)) for text in references]
    ends = [*first, *second], [*second, *first]
    graph = coo_array((np.ones(len(ends[0]), bool), ends), shape=(len(numbers), len(numbers))).tocsr()
    rank = np.empty(len(numbers), np.intp)
    rank[reverse_cuthill_mckee(graph, symmetric_mode=True)] = np.arange(len(numbers))
    places = np.sort(rank[np.array([first, second], np.intp)], axis=0)
    return np.lexsort(places)


def _batches(lengths: Sequence[tuple[int, int]]) -> Iterator[list[int]]:
    """Yield batches of the indices of pairs of similar length, as many as a batch may hold."""
    batch: list[int] = []
    widest = longest = 0
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        wide, long = max(widest, lengths[place][0]), max(longest, lengths[place][1])
        count = len(batch) + 1
        if batch and (count * wide * long > _COSINES or count * max(wide, long) > _TOKENS):
            yield batch
            batch, (wide, long) = [], lengths[place]
        batch.append(place)
        widest, longest = wide, long
    if batch:
        yield batch


def _match(candidates: Sequence[Tensor], references: Sequence[Tensor]) -> NDArray[np.float32]:
    """Return precision, recall, F1 and weakest matches (4 x B) of B pairs, whose rows have unit length."""
    import torch
    from torch.nn.utils.rnn import pad_sequence

    left, right = (pad_sequence(list(side), batch_first=True) for side in (candidates, references))
    lengths = [
        torch.tensor([len(rows) for rows in side], device=left.device) for side in (candidates, references)
    ]
    inside = [
        torch.arange(side.shape[1], device=left.device) < its[:, None]
        for side, its in zip((left, right), lengths, strict=True)
    ]
    cosines = left @ right.transpose(1, 2)
    best = [
        cosines.masked_fill(~inside[1][:, None, :], -2).amax(2),
        cosines.masked_fill(~inside[0][:, :, None], -2).amax(1),
    ]
    means, weakest = [], []
    for values, mask, its in zip(best, inside, lengths, strict=True):
        own = mask & (torch.arange(mask.shape[1], device=left.device) < its[:, None] - 1)
        own[:, 0] = False
        count = own.sum(1)
        means.append((values * own).sum(1) / count)
        # Masked places get 2, above any cosine, so that they sort after the sentence's own tokens.
        quarter = torch.clamp((count + 3) // 4, min=1)
        worst = values.masked_fill(~own, 2).sort(1).values
        among = torch.arange(worst.shape[1], device=left.device) < quarter[:, None]
        weakest.append((worst * among).sum(1) / quarter)
    both = (lengths[0] > 2) & (lengths[1] > 2)
    precision, recall = (torch.where(both, mean, 0.0) for mean in means)
    f1 = torch.where(precision + recall == 0, 0.0, 2 * precision * recall / (precision + recall))
    least = torch.where(both, torch.minimum(*weakest), 0.0)
    return torch.stack([precision, recall, f1, least]).cpu().numpy()
