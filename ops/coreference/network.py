"""The listwise network: of the candidates of one pronoun, how probable is each?

Belongs here: weights as they are stored, and their use by numpy. Not here: training (train.py), what the
numbers of a candidate are (features.py).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

#: 16-bit floats; made by `python -m ops.coreference.train`.
WEIGHTS = Path(__file__).with_name("ranker.safetensors")


@dataclass(frozen=True, slots=True)
class Network:
    """F features, H hidden units for candidates, G for "none of them"."""

    mean: FloatArray
    """F"""
    scale: FloatArray
    """F: what a feature is multiplied by after the mean is taken off."""
    hidden: FloatArray
    """F x H"""
    hidden_bias: FloatArray
    """H"""
    output: FloatArray
    """H"""
    linear: FloatArray
    """F: the way past the hidden units."""
    none_hidden: FloatArray
    """F x G"""
    none_bias: FloatArray
    """G"""
    none_output: FloatArray
    """G"""
    none_constant: FloatArray
    """1"""
    calibration: FloatArray
    """2: slope and intercept of Platt (1999), on the log-odds of a probability."""

    def probabilities(self, rows: list[list[float]]) -> FloatArray:
        """Return the probability of each of C candidates, and last that of none: C + 1 that sum to 1."""
        table = (np.asarray(rows, dtype=np.float64) - self.mean) * self.scale
        candidates = table[:-1]
        scores = np.empty(len(rows))
        scores[:-1] = np.tanh(candidates @ self.hidden + self.hidden_bias) @ self.output + (
            candidates @ self.linear
        )
        scores[-1] = (
            np.tanh(table[-1] @ self.none_hidden + self.none_bias) @ self.none_output + self.none_constant[0]
        )
        weights = np.exp(scores - scores.max())
        return np.asarray(weights / weights.sum())

    @classmethod
    def together(cls, members: Sequence[Network]) -> Network:
        """Return a network whose scores are the mean of several networks'; they have one mean and scale."""
        first, share = members[0], 1.0 / len(members)
        return cls(
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

    def calibrated(self, probability: float) -> float:
        """Return how often a candidate of this probability is right, to 4 digits; it grows with it."""
        return calibrated(probability, float(self.calibration[0]), float(self.calibration[1]))

    def save(self, file: Path) -> None:
        """Write the weights as 16-bit floats."""
        from safetensors.numpy import save_file

        save_file({field.name: getattr(self, field.name).astype(np.float16) for field in fields(self)}, file)

    @classmethod
    def load(cls, file: Path = WEIGHTS) -> Network:
        """Return the network of a file."""
        from safetensors.numpy import load_file

        stored = load_file(file)
        return cls(**{field.name: stored[field.name].astype(np.float64) for field in fields(cls)})


def calibrated(probability: float, slope: float, intercept: float) -> float:
    """Return 1 / (1 + exp(-(slope x + intercept))), x the log-odds of a probability, to 4 digits."""
    clipped = min(max(probability, 1e-6), 1.0 - 1e-6)
    odds = np.log(clipped / (1.0 - clipped))
    return round(float(1.0 / (1.0 + np.exp(-(slope * odds + intercept)))), 4)


@lru_cache(maxsize=1)
def network() -> Network:
    """Return the network that the project brings."""
    return Network.load()


def digest() -> str:
    """Return the sha256 of the weights that the project brings."""
    return hashlib.sha256(WEIGHTS.read_bytes()).hexdigest()
