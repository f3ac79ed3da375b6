"""Fit the network of the coreference ranker to annotated pronouns, and to boosted trees for all others.

Belongs here: padded lists of pronouns, the fit, the teacher, the mean of networks, storing weights. Not
here: the steps of training (coreference_training.py), the use of the weights (ops/coreference/network.py).

The training loop is our own, not ops/models/training. The weights in the project were trained with a
one-cycle schedule of learning rate and momentum, which that loop lacks; other weights would change the links
of every dataset.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.numpy import save_file
from sklearn.ensemble import HistGradientBoostingClassifier

from silverloom.ops.coreference.network import FloatArray, Network

#: Hidden units of a network, for candidates and for "none of them".
HIDDEN, NONE_HIDDEN = 32, 12
_EPOCHS, _BATCH, _RATE, _DECAY, _DROPOUT = 16, 64, 8e-3, 0.1, 0.3
#: Weight in the loss of a pronoun with only the teacher's target, relative to an annotated one.
_TAUGHT = 0.5
#: Number of networks, and number of tree ensembles, in the teacher.
_MEMBERS = 3

Booleans = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Lists:
    """N pronouns with at most C candidates each, and F features."""

    rows: FloatArray
    """N x C+1 x F: "none of them" first."""
    there: Booleans
    """N x C+1: false for padding."""
    target: FloatArray
    """N x C+1: 1 for each possible antecedent; or the teacher's probabilities."""
    taught: Booleans
    """N: whether the target is the teacher's."""

    @classmethod
    def of(cls, rows: Sequence[list[list[float]]], targets: Sequence[list[float]]) -> Lists:
        """Pad the rows and the targets of N pronouns; in both, "none" comes last."""
        width, features = max(map(len, rows)), len(rows[0][0])
        padded = np.zeros((len(rows), width, features))
        there = np.zeros((len(rows), width), dtype=bool)
        target = np.zeros((len(rows), width))
        for index, (listed_rows, wanted) in enumerate(zip(rows, targets, strict=True)):
            padded[index, : len(listed_rows)] = [listed_rows[-1], *listed_rows[:-1]]
            there[index, : len(listed_rows)] = True
            target[index, : len(listed_rows)] = [wanted[-1], *wanted[:-1]]
        return cls(padded, there, target, np.zeros(len(rows), dtype=bool))

    def taught_by(self, probabilities: FloatArray) -> Lists:
        """Return the lists with a teacher's probabilities in place of annotated targets."""
        return Lists(self.rows, self.there, probabilities, np.ones(len(self.rows), dtype=bool))

    def __add__(self, other: Lists) -> Lists:
        width = max(self.there.shape[1], other.there.shape[1])

        def wide(array: NDArray[np.generic]) -> NDArray[np.generic]:
            padding = [(0, 0), (0, width - array.shape[1])] + [(0, 0)] * (array.ndim - 2)
            return np.pad(array, padding)

        return Lists(
            np.concatenate([wide(self.rows), wide(other.rows)]),
            np.concatenate([wide(self.there), wide(other.there)]),
            np.concatenate([wide(self.target), wide(other.target)]),
            np.concatenate([self.taught, other.taught]),
        )


def fit(lists: Lists, seed: int) -> Network:
    """Return the network that maximises the probability of the target; regularised by dropout and decay.

    The loss of an annotated pronoun is -log of the total probability of all possible antecedents. The loss of
    a taught pronoun is the cross-entropy to the teacher.
    """
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    real = lists.rows[lists.there]
    mean, scale = real.mean(axis=0), 1.0 / (real.std(axis=0) + 1e-2)
    # Rounded to the 16-bit floats that are stored, so that the network is fitted to these.
    mean, scale = (array.astype(np.float16).astype(np.float64) for array in (mean, scale))
    rows = torch.tensor((lists.rows - mean) * scale, dtype=torch.float32)
    there, target = torch.tensor(lists.there), torch.tensor(lists.target, dtype=torch.float32)
    taught = torch.tensor(lists.taught)
    features = rows.shape[2]
    hidden, none = torch.nn.Linear(features, HIDDEN), torch.nn.Linear(features, NONE_HIDDEN)
    output, none_output = torch.nn.Linear(HIDDEN, 1, bias=False), torch.nn.Linear(NONE_HIDDEN, 1)
    linear, drop = torch.nn.Linear(features, 1, bias=False), torch.nn.Dropout(_DROPOUT)
    parts = torch.nn.ModuleList([hidden, none, output, none_output, linear])
    # fused: the other kernels call MKL's square root, whose bits differ between processors
    optimiser = torch.optim.AdamW(parts.parameters(), lr=_RATE, weight_decay=_DECAY, fused=True)
    batches = -(-len(rows) // _BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, _RATE, total_steps=_EPOCHS * batches)
    order = torch.Generator().manual_seed(seed)
    for _ in range(_EPOCHS):
        for chosen in torch.split(torch.randperm(len(rows), generator=order), _BATCH):
            batch = rows[chosen]
            scores = (output(drop(torch.tanh(hidden(drop(batch))))) + linear(batch))[..., 0]
            first = none_output(torch.tanh(none(batch[:, 0])))
            scores = torch.cat([first, scores[:, 1:]], dim=1).masked_fill(~there[chosen], -1e9)
            logs = torch.log_softmax(scores, dim=1)
            wanted = target[chosen]
            marked = -torch.logsumexp(logs.masked_fill(wanted == 0, -1e9), dim=1)
            soft = -(wanted * logs.masked_fill(~there[chosen], 0.0)).sum(dim=1)
            loss = torch.where(taught[chosen], _TAUGHT * soft, marked).mean()
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            schedule.step()

    def array(parameter: torch.Tensor) -> FloatArray:
        return parameter.detach().numpy().astype(np.float64)

    return Network(
        mean=mean,
        scale=scale,
        hidden=array(hidden.weight).T.copy(),
        hidden_bias=array(hidden.bias),
        output=array(output.weight)[0],
        linear=array(linear.weight)[0],
        none_hidden=array(none.weight).T.copy(),
        none_bias=array(none.bias),
        none_output=array(none_output.weight)[0],
        none_constant=array(none_output.bias),
        calibration=np.array([1.0, 0.0]),
    )


def teach(marked: Lists, others: Lists, seed: int) -> Lists:
    """Return the other pronouns with probabilities averaged over boosted trees and several networks."""
    members = [fit(marked, seed + number) for number in range(_MEMBERS)]
    mean = np.zeros(others.there.shape)
    for index, there in enumerate(others.there):
        candidates = others.rows[index, there]
        listed = np.concatenate([candidates[1:], candidates[:1]]).tolist()
        for member in members:
            probabilities = member.probabilities(listed)
            mean[index, there] += np.concatenate([probabilities[-1:], probabilities[:-1]])
    mean /= _MEMBERS
    forests = [_trees(marked, others, seed + number) for number in range(_MEMBERS)]
    return others.taught_by((mean + np.mean(forests, axis=0)) / 2)


def _trees(marked: Lists, others: Lists, seed: int) -> FloatArray:
    """Return the probabilities of gradient-boosted trees that were fitted to single candidates."""
    known = marked.there & ((marked.target[:, :1] == 0) | (marked.target == 0))
    known[:, 0] = False
    trees = HistGradientBoostingClassifier(
        max_iter=200,
        learning_rate=0.06,
        max_leaf_nodes=12,
        max_features=0.5,
        l2_regularization=5.0,
        random_state=seed,
        early_stopping=False,
    ).fit(marked.rows[known], marked.target[known] > 0)
    scores = np.full(others.there.shape, -np.inf)
    scores[others.there] = trees.decision_function(others.rows[others.there])
    scores[:, 0] = -4.0
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def together(members: Sequence[Network]) -> Network:
    """Return a network whose scores are the means of the members' scores; they share mean and scale."""
    first, share = members[0], 1.0 / len(members)
    return Network(
        mean=first.mean,
        scale=first.scale,
        hidden=np.concatenate([member.hidden for member in members], axis=1),
        hidden_bias=np.concatenate([member.hidden_bias for member in members]),
        output=np.concatenate([member.output for member in members]) * share,
        linear=np.mean([member.linear for member in members], axis=0),
        none_hidden=np.concatenate([member.none_hidden for member in members], axis=1),
        none_bias=np.concatenate([member.none_bias for member in members]),
        none_output=np.concatenate([member.none_output for member in members]) * share,
        none_constant=np.mean([member.none_constant for member in members], axis=0),
        calibration=first.calibration,
    )


def save(network: Network, file: Path) -> None:
    """Write weights as 16-bit floats."""
    save_file(
        {field.name: getattr(network, field.name).astype(np.float16) for field in fields(network)}, file
    )
