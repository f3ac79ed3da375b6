"""Beam search over a network that gives log-probabilities piece by piece.

Belongs here: which answers are followed. Not here: the network (copynet.py); Transformers brings its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from ops.models.seq2seq.pieces import EOS, PAD

#: From the last pieces (R) and the state's tensors (R x ...) to log-probabilities of the next one (R x V),
#: and the new state.
Step = Callable[[Tensor, Sequence[Tensor]], tuple[Tensor, Sequence[Tensor]]]


def beam_search(
    step: Step, state: Sequence[Tensor], count: int, width: int, most: int, penalty: float
) -> list[list[int]]:
    """Return the best answer to each of `count` sources, as numbers, with its end if it has one.

    Rows of the state are `count` x `width`, source by source. Answers compare by log-probability over
    length ** penalty, those that have ended with those that have not; a search ends where none that goes on
    can come before the best that has ended, or at `most` pieces. Width 1 is the greedy answer; a beam that
    holds all answers finds the best one. Padding is never chosen.
    """
    device = state[0].device
    inputs = torch.full((count * width,), PAD, device=device)
    # One answer a source to begin with: the others are impossible.
    scores = torch.full((count, width), -torch.inf, device=device)
    scores[:, 0] = 0.0
    ended = torch.zeros((count, width), dtype=torch.bool, device=device)
    lengths = torch.zeros((count, width), device=device)
    found = torch.zeros((count, width, 0), dtype=torch.long, device=device)
    rows = torch.arange(count, device=device).unsqueeze(1) * width
    for _ in range(most):
        if bool(_settled(scores, lengths, ended, most, penalty).all()):
            break
        new, state = step(inputs, state)
        new = new.view(count, width, -1).clone()
        size = new.shape[2]
        # What has ended goes on with padding alone, at no cost.
        new[:, :, PAD] = -torch.inf
        new = torch.where(ended.unsqueeze(2), torch.full_like(new, -torch.inf), new)
        new[:, :, PAD] = torch.where(ended, 0.0, new[:, :, PAD])
        grown = lengths + ~ended
        totals = scores.unsqueeze(2) + new
        ranks = totals / grown.clamp(min=1).unsqueeze(2) ** penalty
        best = ranks.view(count, -1).topk(width, dim=1).indices
        parents, pieces = best // size, best % size
        scores = totals.view(count, -1).gather(1, best)
        lengths = grown.gather(1, parents)
        ended = ended.gather(1, parents) | (pieces == EOS)
        found = torch.cat(
            [found.gather(1, parents.unsqueeze(2).expand(-1, -1, found.shape[2])), pieces.unsqueeze(2)], dim=2
        )
        inputs, moved = pieces.view(-1), (rows + parents).view(-1)
        state = [tensor[moved] for tensor in state]
    best_answers = _ranks(scores, lengths, penalty).argmax(dim=1)
    answers: list[list[int]] = found[torch.arange(count, device=device), best_answers].tolist()
    return [[piece for piece in answer if piece != PAD] for answer in answers]


def _ranks(scores: Tensor, lengths: Tensor, penalty: float) -> Tensor:
    return scores / lengths.clamp(min=1) ** penalty


def _settled(scores: Tensor, lengths: Tensor, ended: Tensor, most: int, penalty: float) -> Tensor:
    """Say of each source whether its best answer is known: growing to `most`, no other comes before it."""
    nothing = torch.full_like(scores, -torch.inf)
    best = torch.where(ended, _ranks(scores, lengths, penalty), nothing).max(dim=1).values
    hope = torch.where(ended, nothing, scores / most**penalty).max(dim=1).values
    return ended.any(dim=1) & (best >= hope)
