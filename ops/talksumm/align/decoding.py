"""The most probable path of a hidden Markov model with geometric transitions, in bounded memory.

Belongs here: exact decoding by blocks of steps. Not here: inner loops (kernels.py), what the states and
observations are (hmm.py).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ops.talksumm.align.transition import GeometricTransition

#: Cells of the trellis, a byte each, that are held at once, unless it is very wide.
BLOCK_CELLS = 2**26


class Rows(Protocol):
    """Emissions by row: a table in memory, or one whose rows are made when they are needed."""

    @property
    def at_once(self) -> int:
        """How many steps may be asked for."""

    def rows(self, observations: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return a table of log-emissions (n x K) and the row of it for each observation."""


class Decoded(NamedTuple):
    """A path (T) and the log-emission of each of its steps (T)."""

    states: NDArray[np.int32]
    emitted: NDArray[np.float64]


@dataclass(frozen=True)
class DecodingTable:
    """Emissions that are all in memory."""

    table: NDArray[np.float64]
    at_once: int

    def rows(self, observations: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return the whole table."""
        return self.table, observations


def viterbi(
    log_emission: NDArray[np.float64],
    log_start: NDArray[np.float64],
    transition: GeometricTransition,
    observations: NDArray[np.int64] | None = None,
) -> NDArray[np.int32]:
    """Return the most probable state at each of T steps, exactly, in O(T K) time.

    log_emission (T x K) has a row for every step; or it has a row for every distinct word (V x K), and
    `observations` (T) says which row each step takes. The transition weights decay geometrically with
    distance, so the best predecessor of every state is found by one running maximum from the left and one
    from the right (Felzenszwalb and Huttenlocher 2004 use the same device for distance transforms).

    Ties go to the lowest state. Raises ValueError if T or K is 0, a row holds no finite value, a value is
    NaN or plus infinity, shapes disagree, or every path has probability 0.
    """
    table = np.ascontiguousarray(log_emission, np.float64)
    if table.ndim != 2 or not table.size:
        raise ValueError(f"log_emission must be T x K with T and K above 0, not {table.shape}")
    rows = np.arange(len(table)) if observations is None else np.asarray(observations, np.int64)
    if rows.ndim != 1 or not rows.size or rows.min() < 0 or rows.max() >= len(table):
        raise ValueError(f"observations must be T > 0 indices of the {len(table)} rows of log_emission")
    start = np.ascontiguousarray(log_start, np.float64)
    if start.shape != (table.shape[1],) or transition.states != table.shape[1]:
        raise ValueError(
            f"{table.shape[1]} states in log_emission, {transition.states} in the transition, "
            f"log_start of shape {start.shape}"
        )
    best = table.max(axis=1)
    if not np.isfinite(best).all():
        bad = int(np.flatnonzero(~np.isfinite(best))[0])
        raise ValueError(f"row {bad} of log_emission holds no finite value, or NaN or plus infinity")
    if np.isnan(start).any() or not np.isfinite(start.max()):
        raise ValueError("log_start holds no finite value, or NaN or plus infinity")
    return decode(DecodingTable(table, len(rows)), start, transition, rows).states


def decode(
    emission: Rows,
    log_start: NDArray[np.float64],
    transition: GeometricTransition,
    observations: NDArray[np.int64],
    block_cells: int = BLOCK_CELLS,
) -> Decoded:
    """Return the most probable path; arguments, which are not checked, and ties as in `viterbi`.

    The trellis takes a byte a cell. If that is more than `block_cells`, one block of steps is held at a time:
    the scores before every block are kept on the way forward, and on the way back each block but the last is
    computed again from them, to the same bits, in up to twice the time. Raises ValueError if every path has
    probability 0.
    """
    from ops.talksumm.align import kernels

    steps, states = len(observations), len(log_start)
    # As many bytes for the block as for the scores before all blocks, where the block would be smaller.
    length = min(max(math.isqrt(8 * steps) + 1, block_cells // states), emission.at_once, steps)
    trellis = np.empty((length, states), np.uint8)
    score = log_start.copy()

    def advance(first: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        table, rows = emission.rows(observations[first : first + length])
        kernels.advance(score, trellis, first, table, rows, *transition.logs)
        return table, rows

    firsts = range(0, steps, length)
    before = np.empty((len(firsts), states))
    for block, first in enumerate(firsts):
        before[block] = score
        table, rows = advance(first)
    state = int(np.argmax(score))
    if not score[state] > -math.inf:
        raise ValueError("every path has probability 0: no start state can emit the first observation")
    path, emitted = np.empty(steps, np.int32), np.empty(steps)
    for block, first in reversed(list(enumerate(firsts))):
        if first != firsts[-1]:
            score[:] = before[block]
            table, rows = advance(first)
        here = slice(first, first + len(rows))
        state = kernels.trace(path[here], trellis, state)
        emitted[here] = table[rows, path[here]]
    return Decoded(path, emitted)


def path_log_probability(
    states: NDArray[np.int32],
    log_emission: NDArray[np.float64],
    log_start: NDArray[np.float64],
    transition: GeometricTransition,
    observations: NDArray[np.int64] | None = None,
) -> float:
    """Return ln p(path, observations) of a path (T), correctly summed; arguments as in `viterbi`."""
    rows = np.arange(len(states)) if observations is None else observations
    return log_probability(Decoded(states, log_emission[rows, states]), log_start, transition)


def log_probability(
    decoded: Decoded, log_start: NDArray[np.float64], transition: GeometricTransition
) -> float:
    """Return ln p(path, observations), correctly summed."""
    states, emitted = decoded
    terms: list[Any] = [log_start[states[0]], *emitted, *transition.log_probabilities(states)]
    return math.fsum(terms)
