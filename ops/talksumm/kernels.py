"""The inner loops of the alignment, compiled by numba.

Belongs here: loops over arrays, nothing else; callers check their input. Not here: what the numbers mean
(emission.py, transition.py, hmm.py). Imported when first needed: numba takes a third of a second.

The same bytes on every processor: no BLAS, no fast-math, sums in one order; exp and log are made of IEEE
additions, multiplications and divisions, since those of glibc and NumPy depend on the instruction set in
their last bits.
"""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

_LN_2 = math.log(2.0)
_SQRT_HALF = math.sqrt(0.5)

#: What is known of a cell of the trellis, in one byte: where its best predecessor lies, and whether the
#: running maximum from a side found its best in the very next state. Back pointers are rebuilt from it.
_FROM_LEFT, _STAY, _FROM_RIGHT, _SIDE = np.uint8(0), np.uint8(1), np.uint8(2), np.uint8(3)
_LEFT_NEIGHBOUR, _RIGHT_NEIGHBOUR, _NONE = np.uint8(4), np.uint8(8), np.uint8(0)

#: Steps after which the best score is subtracted from all: near 0 doubles are dense.
_RESCALE = 64


@numba.njit(cache=True)  # type: ignore[untyped-decorator, unused-ignore]
def exp(x: float) -> float:
    """Return e^x for -1 <= x <= 1: the Taylor polynomial of degree 20, whose rest is below 1e-19."""
    result = 1.0
    for degree in range(20, 0, -1):
        result = 1.0 + x * result / degree
    return result


@numba.njit(cache=True)  # type: ignore[untyped-decorator, unused-ignore]
def log(x: float) -> float:
    """Return ln x for finite x > 0, and minus infinity for 0: 2 artanh((m - 1) / (m + 1)) + e ln 2."""
    if x == 0.0:
        return -math.inf
    mantissa, exponent = math.frexp(x)
    if mantissa < _SQRT_HALF:
        mantissa *= 2.0
        exponent -= 1
    ratio = (mantissa - 1.0) / (mantissa + 1.0)
    square = ratio * ratio
    series = 0.0
    for odd in range(23, 0, -2):
        series = 1.0 / odd + square * series
    return 2.0 * ratio * series + exponent * _LN_2


@numba.njit(cache=True)  # type: ignore[untyped-decorator, unused-ignore]
def logs(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return `log` of every value."""
    result = np.empty_like(values)
    for index in range(values.size):
        result[index] = log(values[index])
    return result


@numba.njit(cache=True)  # type: ignore[untyped-decorator, unused-ignore]
def unit_rows(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rows scaled to length 1; a row of zeros stays so (its cosine with anything is 0)."""
    rows, dimensions = vectors.shape
    result = np.zeros((rows, dimensions))
    for row in range(rows):
        square = 0.0
        for dimension in range(dimensions):
            square += vectors[row, dimension] * vectors[row, dimension]
        if square > 0.0:
            norm = math.sqrt(square)
            for dimension in range(dimensions):
                result[row, dimension] = vectors[row, dimension] / norm
    return result


@numba.njit(cache=True)  # type: ignore[untyped-decorator, unused-ignore]
def log_emission(
    spoken: NDArray[np.float64],
    paper: NDArray[np.float64],
    offsets: NDArray[np.int64],
    members: NDArray[np.int64],
    floor: float,
) -> NDArray[np.float64]:
    """Return ln p(word | sentence), V x K, of V spoken words' unit vectors (V x D).

    `paper` (D x P) holds the unit vectors of the paper's words; sentence k has the words
    members[offsets[k]:offsets[k + 1]], at least one.
    """
    words, dimensions = spoken.shape
    states = offsets.size - 1
    result = np.empty((words, states))
    cosines = np.empty(paper.shape[1])
    for word in range(words):
        # Over the paper's words inside: independent sums, so that vector instructions keep their order.
        cosines[:] = 0.0
        for dimension in range(dimensions):
            weight = spoken[word, dimension]
            row = paper[dimension]
            for other in range(cosines.size):
                cosines[other] += weight * row[other]
        for state in range(states):
            best = -1.0
            for member in range(offsets[state], offsets[state + 1]):
                best = max(best, cosines[members[member]])
            result[word, state] = exp(min(best, 1.0))
    least = np.full(states, math.inf)
    for word in range(words):
        for state in range(states):
            least[state] = min(least[state], result[word, state])
    total = np.zeros(states)
    for word in range(words):
        for state in range(states):
            result[word, state] -= floor * least[state]
            total[state] += result[word, state]
    for word in range(words):
        for state in range(states):
            result[word, state] = log(result[word, state] / total[state])
    return result


@numba.njit(cache=True)  # type: ignore[untyped-decorator, unused-ignore]
def decode(
    table: NDArray[np.float64],
    observations: NDArray[np.int64],
    log_start: NDArray[np.float64],
    log_leave: NDArray[np.float64],
    log_stay: float,
    log_decay: float,
    log_backward: float,
) -> tuple[NDArray[np.int32], bool]:
    """Return the most probable path, and whether any path has a probability above 0.

    log_leave[i] is ln beta_i: a jump from i over j states costs log_leave[i] + (j - 1) log_decay, and
    log_backward more to the left. So the best predecessor on one side of state k is either its
    neighbour or the best predecessor of that neighbour's, one decay further off.
    """
    steps, states = observations.size, table.shape[1]
    trellis = np.empty((steps, states), np.uint8)
    score = log_start + table[observations[0]]
    leaving = np.empty(states)
    from_left = np.full(states, -math.inf)
    from_right = np.full(states, -math.inf)
    for step in range(1, steps):
        emission = table[observations[step]]
        cells = trellis[step]
        if step % _RESCALE == 0:
            score -= score.max()
        for state in range(states):
            leaving[state] = score[state] + log_leave[state]
        # Both ways in one loop: two chains of dependent operations side by side take the time of one.
        for rank in range(1, states):
            carried, fresh = from_left[rank - 1] + log_decay, leaving[rank - 1]
            from_left[rank] = fresh if fresh > carried else carried
            state = states - 1 - rank
            carried, fresh = from_right[state + 1] + log_decay, leaving[state + 1]
            from_right[state] = fresh if fresh > carried else carried
        # No step of these loops needs another: they become vector instructions. Whether it is > or >= sends
        # a tie to the predecessor further left.
        for state in range(states):
            left, stay, right = from_left[state], score[state] + log_stay, from_right[state] + log_backward
            best = left if left >= stay else stay
            side = _FROM_LEFT if left >= stay else _STAY
            cells[state] = _FROM_RIGHT if right > best else side
            score[state] = (right if right > best else best) + emission[state]
        for state in range(1, states):
            fresh = leaving[state - 1] > from_left[state - 1] + log_decay
            cells[state] |= _LEFT_NEIGHBOUR if fresh else _NONE
        for state in range(states - 1):
            fresh = leaving[state + 1] >= from_right[state + 1] + log_decay
            cells[state] |= _RIGHT_NEIGHBOUR if fresh else _NONE
    path = np.empty(steps, np.int32)
    state = int(np.argmax(score))
    possible = bool(score[state] > -math.inf)
    path[steps - 1] = state
    if possible:
        for step in range(steps - 1, 0, -1):
            state = _predecessor(trellis[step], state)
            path[step - 1] = state
    return path, possible


@numba.njit(cache=True)  # type: ignore[untyped-decorator, unused-ignore]
def _predecessor(cells: Any, state: int) -> int:
    """Return the best predecessor of a state, following the running maximum back to where it was found."""
    side = cells[state] & _SIDE
    if side == _FROM_LEFT:
        while not cells[state] & _LEFT_NEIGHBOUR:
            state -= 1
        return state - 1
    if side == _FROM_RIGHT:
        while not cells[state] & _RIGHT_NEIGHBOUR:
            state += 1
        return state + 1
    return state
