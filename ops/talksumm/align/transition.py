"""How a speaker moves between sentences: the transition model of Lev et al. (2019), section 3.2.

Belongs here: T(k, l), its normalisation, the stay probability. Not here: decoding (hmm.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray


def stay_probability(states: int, steps: int, delta: float, epsilon: float) -> float:
    """Return alpha = max(delta (1 - K / T), epsilon) for K sentences and T spoken words."""
    return max(delta * (1 - states / steps), epsilon)


@dataclass(frozen=True)
class GeometricTransition:
    """Transitions between K states in order: probable to stay or near, forward before backward.

    stay alpha: T(k, k); forward T(k, k + j) = beta_k lambda^(j - 1); backward T(k, k - j) = gamma beta_k
    lambda^(j - 1), with lambda = `forward_decay` and gamma = `backward_factor` in (0, 1]. beta_k makes row
    k sum to 1 over the states that exist on either side. With one state there is nowhere to go: it stays
    with probability 1, whatever `stay` says. Raises ValueError for values out of range.
    """

    states: int
    stay: float
    forward_decay: float = 0.75
    backward_factor: float = 0.5

    def __post_init__(self) -> None:
        if self.states < 1:
            raise ValueError(f"a transition needs at least one state, not {self.states}")
        if self.states == 1:
            object.__setattr__(self, "stay", 1.0)
        elif not 0 < self.stay < 1:
            raise ValueError(f"stay must lie between 0 and 1, not {self.stay}")
        for name in ("forward_decay", "backward_factor"):
            if not 0 < getattr(self, name) <= 1:
                raise ValueError(f"{name} must lie in (0, 1], not {getattr(self, name)}")

    @cached_property
    def beta(self) -> NDArray[np.float64]:
        """beta_k (K): the probability of the next sentence; 0 if there is only one state."""
        # Sum of lambda^(j-1) over j = 1..n, for n = 0..K-1.
        sums = np.zeros(self.states)
        for count in range(1, self.states):
            sums[count] = 1 + self.forward_decay * sums[count - 1]
        weights = sums[::-1] + self.backward_factor * sums
        beta: NDArray[np.float64] = (1 - self.stay) / weights if self.states > 1 else np.zeros(1)
        return beta

    def dense(self) -> NDArray[np.float64]:
        """Return the matrix T (K x K), row k holding the probabilities of what follows k."""
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
        from ops.talksumm.align import kernels

        stay, decay, backward = (
            float(kernels.log(value)) for value in (self.stay, self.forward_decay, self.backward_factor)
        )
        return kernels.logs(self.beta), stay, decay, backward

    def log_probabilities(self, states: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return ln T(s(t), s(t + 1)) for the T - 1 moves of a path (T)."""
        log_beta, stay, decay, backward = self.logs
        jumps = np.diff(states.astype(np.int64))
        moves = log_beta[states[:-1]] + (np.abs(jumps) - 1) * decay + np.where(jumps < 0, backward, 0.0)
        return np.where(jumps == 0, stay, moves)
