"""The probabilities of moving from one sentence of a paper to another.

Belongs here: transitions that decay geometrically with distance. Not here: decoding with them (hmm.py), their
parameters (hmm.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class GeometricTransition:
    """Transitions between K ordered states: staying and short moves are likely, forward more than backward.

    stay alpha: T(k, k); forward T(k, k + j) = beta_k lambda^(j - 1); backward T(k, k - j) = gamma beta_k
    lambda^(j - 1), with lambda = `forward_decay` and gamma = `backward_factor` in (0, 1]. With a single
    state, the probability of staying is 1, whatever `stay` is.

    beta_k makes row k sum to 1 over the existing states on either side, as in the paper. So the first and the
    last state have up to three times the weight of others for a move to a neighbour, and a path that moves
    back and forth between the last two costs less than one that stays. With `open_ends` [ours] every beta_k
    is that of a state far from both ends, (1 - stay) (1 - lambda) / (1 + gamma): what would move beyond an
    end is lost, and rows near the ends sum to less than 1. Raises ValueError for values out of range, and for
    open ends with lambda 1.
    """

    states: int
    stay: float
    forward_decay: float = 0.75
    backward_factor: float = 0.5
    open_ends: bool = False

    def __post_init__(self) -> None:
        if self.states < 1:
            raise ValueError(f"a transition needs at least one state, not {self.states}")
        if self.states == 1:
            object.__setattr__(self, "stay", 1.0)
        elif not 0 < self.stay < 1:
            raise ValueError(f"stay must be between 0 and 1, not {self.stay}")
        for name in ("forward_decay", "backward_factor"):
            if not 0 < getattr(self, name) <= 1:
                raise ValueError(f"{name} must be in (0, 1], not {getattr(self, name)}")
        if self.open_ends and self.forward_decay == 1:
            raise ValueError("forward_decay must be below 1 if the ends are open")

    @cached_property
    def beta(self) -> NDArray[np.float64]:
        """beta_k (K): the probability of moving to the next sentence; 0 if there is only one state."""
        if self.states == 1:
            return np.zeros(1)
        if self.open_ends:
            inner = (1 - self.stay) * (1 - self.forward_decay) / (1 + self.backward_factor)
            return np.full(self.states, inner)
        # Sum of lambda^(j-1) over j = 1..n, for n = 0..K-1.
        sums = np.zeros(self.states)
        for count in range(1, self.states):
            sums[count] = 1 + self.forward_decay * sums[count - 1]
        weights = sums[::-1] + self.backward_factor * sums
        beta: NDArray[np.float64] = (1 - self.stay) / weights
        return beta

    def dense(self) -> NDArray[np.float64]:
        """Return the matrix T (K x K); row k has the probabilities of the states after k."""
        states = np.arange(self.states)
        distance = states[np.newaxis, :] - states[:, np.newaxis]
        decay = self.forward_decay ** (np.abs(distance) - 1.0)
        matrix: NDArray[np.float64] = self.beta[:, np.newaxis] * decay
        matrix[distance < 0] *= self.backward_factor
        matrix[distance == 0] = self.stay
        return matrix

    @cached_property
    def logs(self) -> tuple[NDArray[np.float64], float, float, float]:
        """ln of beta (K), stay, forward_decay and backward_factor."""
        from silverloom.ops.core.logarithms import log, logs

        stay, decay, backward = map(log, (self.stay, self.forward_decay, self.backward_factor))
        return logs(self.beta), stay, decay, backward

    def log_probabilities(self, states: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return ln T(s(t), s(t + 1)) for the T - 1 moves of a path (T)."""
        log_beta, stay, decay, backward = self.logs
        jumps = np.diff(states.astype(np.int64))
        moves = log_beta[states[:-1]] + (np.abs(jumps) - 1) * decay + np.where(jumps < 0, backward, 0.0)
        return np.where(jumps == 0, stay, moves)
