"""The listwise network: the probability of each candidate of a pronoun.

Belongs here: the stored weights, and their use with numpy. Not here: how they were trained
(benchmarks/coreference_training.py), the features of a candidate (features.py).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

#: 16-bit floats, written by `python benchmarks/coreference_training.py`.
WEIGHTS = Path(__file__).with_name("ranker.safetensors")


@dataclass(frozen=True, slots=True)
class Network:
    """F features, H hidden units for candidates, G hidden units for "none of them"."""

    mean: FloatArray
    """F"""
    scale: FloatArray
    """F: the factor of a feature after its mean is subtracted."""
    hidden: FloatArray
    """F x H"""
    hidden_bias: FloatArray
    """H"""
    output: FloatArray
    """H"""
    linear: FloatArray
    """F: the skip connection past the hidden units."""
    none_hidden: FloatArray
    """F x G"""
    none_bias: FloatArray
    """G"""
    none_output: FloatArray
    """G"""
    none_constant: FloatArray
    """1"""
    calibration: FloatArray
    """2: slope and intercept of Platt scaling (1999), on the log-odds of a probability."""

    def probabilities(self, rows: list[list[float]]) -> FloatArray:
        """Return the probabilities of C candidates and, last, of none: C + 1 values that sum to 1."""
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

    def calibrated(self, probability: float) -> float:
        """Return how often a candidate with this probability is right, to 4 digits; monotonic."""
        return calibrated(probability, float(self.calibration[0]), float(self.calibration[1]))

    @classmethod
    def load(cls, file: Path = WEIGHTS) -> Network:
        """Return the network stored in a file."""
        from safetensors.numpy import load_file

        stored = load_file(file)
        return cls(**{field.name: stored[field.name].astype(np.float64) for field in fields(cls)})


def calibrated(probability: float, slope: float, intercept: float) -> float:
    """Return 1 / (1 + exp(-(slope x + intercept))) to 4 digits, where x is the log-odds of `probability`."""
    clipped = min(max(probability, 1e-6), 1.0 - 1e-6)
    odds = np.log(clipped / (1.0 - clipped))
    return round(float(1.0 / (1.0 + np.exp(-(slope * odds + intercept)))), 4)


@lru_cache(maxsize=1)
def network() -> Network:
    """Return the network that comes with the project."""
    return Network.load()


def digest() -> str:
    """Return the sha256 of the weights that come with the project."""
    return hashlib.sha256(WEIGHTS.read_bytes()).hexdigest()
