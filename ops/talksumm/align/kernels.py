"""The inner loops of the alignment, compiled by numba.

Belongs here: loops over arrays. Callers check their input. Not here: the meaning of the numbers (emission.py,
hmm.py). Import this module only when needed: numba takes a third of a second.

Results have the same bytes on every processor: no BLAS, no fast-math, and sums in a fixed order. exp, as
the logarithm, consists of IEEE additions, multiplications and divisions, since the last bits of that in glibc
and NumPy depend on the instruction set.

The loops release the GIL, so that a worker process can notice in the meantime that its parent has ended.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silverloom.ops.core.compiled import compiled
from silverloom.ops.core.logarithms import log

_LN_2 = math.log(2.0)

#: One byte per cell of the trellis: the side of its best predecessor, and for each side whether the running
#: maximum was attained by the adjacent state. This is enough to reconstruct back pointers.
_FROM_LEFT, _STAY, _FROM_RIGHT, _SIDE = np.uint8(0), np.uint8(1), np.uint8(2), np.uint8(3)
_LEFT_NEIGHBOUR, _RIGHT_NEIGHBOUR, _NONE = np.uint8(4), np.uint8(8), np.uint8(0)

#: Steps after which the best score is subtracted from all scores, since doubles are most precise near 0.
_RESCALE = 64


@compiled
def exp(x: float) -> float:
    """Return e^x for -1 <= x <= 1: the Taylor polynomial of degree 20, with an error below 1e-19."""
    result = 1.0
    for degree in range(20, 0, -1):
        result = 1.0 + x * result / degree
    return result


@compiled
def exps(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return e^x for every x <= 0, with an error below 4e-16 of it; 0 for minus infinity."""
    result = np.zeros_like(values)
    source, target = values.ravel(), result.ravel()
    for index in range(source.size):
        if source[index] > -700.0:
            twos = math.floor(source[index] / _LN_2 + 0.5)
            target[index] = math.ldexp(exp(source[index] - twos * _LN_2), int(twos))
    return result


@compiled
def unit_rows(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rows scaled to length 1; rows of zeros are unchanged (their cosines are 0)."""
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


@compiled
def similarities(
    spoken: NDArray[np.float64],
    same: NDArray[np.int64],
    paper: NDArray[np.float64],
    offsets: NDArray[np.int64],
    members: NDArray[np.int64],
    power: int,
    result: NDArray[np.float64],
) -> None:
    """Fill `result` (n x K) with the greatest exp(cosine)^power of n spoken words and a sentence's words.

    `spoken` (n x D) and `paper` (D x P) have unit vectors of the talk's and the paper's words. `same` (n) is
    the paper's word with which a spoken word has cosine 1, whatever their vectors, or -1. The words of
    sentence k are members[offsets[k]:offsets[k + 1]], at least one.
    """
    words, dimensions = spoken.shape
    states = offsets.size - 1
    cosines = np.empty(paper.shape[1])
    for word in range(words):
        # The inner loop is over the paper's words: independent sums, so that vectorising keeps their order.
        cosines[:] = 0.0
        for dimension in range(dimensions):
            weight = spoken[word, dimension]
            row = paper[dimension]
            for column in range(cosines.size):
                cosines[column] += weight * row[column]
        if same[word] >= 0:
            cosines[same[word]] = 1.0
        similar = result[word]
        for state in range(states):
            best = -1.0
            for member in range(offsets[state], offsets[state + 1]):
                best = max(best, cosines[members[member]])
            similar[state] = min(best, 1.0)
        # As a separate loop this is vectorised: a third of the time.
        for state in range(states):
            similar[state] = exp(similar[state])
        if power > 1:
            once = similar.copy()
            for _ in range(1, power):
                for state in range(states):
                    similar[state] *= once[state]


@compiled
def lower(least: NDArray[np.float64], similar: NDArray[np.float64], rows: NDArray[np.int64]) -> None:
    """Lower each of `least` (K) to the minimum of its column in the given rows of `similar` (n x K)."""
    for row in rows:
        for state in range(least.size):
            least[state] = min(least[state], similar[row, state])


@compiled
def add(
    total: NDArray[np.float64],
    similar: NDArray[np.float64],
    rows: NDArray[np.int64],
    subtracted: NDArray[np.float64],
) -> None:
    """Add the given rows of `similar` (n x K), minus `subtracted` (K), to `total` (K), in order."""
    for row in rows:
        for state in range(total.size):
            total[state] += similar[row, state] - subtracted[state]


@compiled
def log_shares(
    similar: NDArray[np.float64],
    subtracted: NDArray[np.float64],
    total: NDArray[np.float64],
    background: float,
    uniform: float,
) -> None:
    """Replace `similar` (n x K), minus `subtracted` (K), by the logarithm of its share s of `total` (K).

    With a background, by the logarithm of (1 - background) s + uniform.
    """
    for row in range(similar.shape[0]):
        for state in range(total.size):
            share = (similar[row, state] - subtracted[state]) / total[state]
            similar[row, state] = log((1.0 - background) * share + uniform)


@compiled
def advance(
    score: NDArray[np.float64],
    trellis: NDArray[np.uint8],
    first: int,
    table: NDArray[np.float64],
    observations: NDArray[np.int64],
    log_leave: NDArray[np.float64],
    log_stay: float,
    log_decay: float,
    log_backward: float,
) -> None:
    """Advance `score` (K) by the steps `first`, `first` + 1, ..., and fill their rows of `trellis` (n x K).

    `score` has, for every state, the log-probability of the best path to it; before step 0, that of the
    start. Step `first` + i uses row observations[i] of `table`.

    log_leave[i] is ln beta_i: a jump from i over j states costs log_leave[i] + (j - 1) log_decay, plus
    log_backward to the left. So the best predecessor of state k on one side is either its neighbour, or the
    best predecessor of that neighbour with one more decay.
    """
    states = score.size
    leaving = np.empty(states)
    from_left = np.full(states, -math.inf)
    from_right = np.full(states, -math.inf)
    for index in range(observations.size):
        step = first + index
        emission = table[observations[index]]
        cells = trellis[index]
        if step == 0:
            score += emission
            cells[:] = _STAY
            continue
        if step % _RESCALE == 0:
            score -= score.max()
        for state in range(states):
            leaving[state] = score[state] + log_leave[state]
        # Both directions in one loop: two interleaved dependency chains take the time of one.
        for rank in range(1, states):
            carried, fresh = from_left[rank - 1] + log_decay, leaving[rank - 1]
            from_left[rank] = fresh if fresh > carried else carried
            state = states - 1 - rank
            carried, fresh = from_right[state + 1] + log_decay, leaving[state + 1]
            from_right[state] = fresh if fresh > carried else carried
        # The iterations of these loops are independent, so they are vectorised. The choice of > or >= makes
        # ties go to the predecessor further left.
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


@compiled
def trace(path: NDArray[np.int32], trellis: NDArray[np.uint8], state: int) -> int:
    """Fill `path` (n), which ends in `state`, from `trellis` (n x K); return the state before it."""
    for index in range(path.size - 1, -1, -1):
        path[index] = state
        state = _predecessor(trellis[index], state)
    return state


@compiled
def _predecessor(cells: Any, state: int) -> int:
    """Return the best predecessor of a state by following the running maximum back to its origin."""
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


@compiled
def move_forward(
    before: NDArray[np.float64],
    likelihood: NDArray[np.float64],
    after: NDArray[np.float64],
    leave: NDArray[np.float64],
    stay: float,
    decay: float,
    backward: float,
) -> None:
    """Fill `after` (K) with the forward probabilities of a step, scaled to sum to 1, from those before it.

    `likelihood` (K) has the probability of the step's word in each state. The transition is that of
    `advance`, with probabilities instead of logarithms.
    """
    states = before.size
    from_left = from_right = 0.0
    for state in range(states):
        after[state] = stay * before[state] + from_left
        from_left = from_left * decay + before[state] * leave[state]
    for state in range(states - 1, -1, -1):
        after[state] += backward * from_right
        from_right = from_right * decay + before[state] * leave[state]
    _scale(after, likelihood)


@compiled
def move_backward(
    weights: NDArray[np.float64],
    likelihood: NDArray[np.float64],
    leave: NDArray[np.float64],
    stay: float,
    decay: float,
    backward: float,
) -> None:
    """Replace `weights` (K), the backward probabilities of a step, by those of the step before it, scaled."""
    states = weights.size
    _scale(weights, likelihood)
    reached = np.empty(states)
    behind = ahead = 0.0
    for state in range(states):
        reached[state] = stay * weights[state] + leave[state] * backward * behind
        behind = behind * decay + weights[state]
    for state in range(states - 1, -1, -1):
        reached[state] += leave[state] * ahead
        ahead = ahead * decay + weights[state]
    weights[:] = reached


@compiled
def _scale(values: NDArray[np.float64], likelihood: NDArray[np.float64]) -> None:
    """Multiply `values` (K) by `likelihood` (K), and scale the products to sum to 1."""
    total = 0.0
    for state in range(values.size):
        values[state] *= likelihood[state]
        total += values[state]
    for state in range(values.size):
        values[state] /= total


@compiled
def forwards(
    start: NDArray[np.float64],
    first: int,
    likelihood: NDArray[np.float64],
    rows: NDArray[np.int64],
    leave: NDArray[np.float64],
    stay: float,
    decay: float,
    backward: float,
    forward: NDArray[np.float64],
) -> None:
    """Fill `forward` (n x K) with the forward probabilities of the steps `first`, `first` + 1, ...

    `start` (K) has those of the step before `first`; if `first` is 0, the probabilities of the first state.
    Step `first` + i uses row rows[i] of `likelihood`.
    """
    for index in range(rows.size):
        likely = likelihood[rows[index]]
        if first + index == 0:
            forward[0] = start
            _scale(forward[0], likely)
        else:
            before = forward[index - 1] if index else start
            move_forward(before, likely, forward[index], leave, stay, decay, backward)


@compiled
def posteriors(
    path: NDArray[np.int32],
    forward: NDArray[np.float64],
    weights: NDArray[np.float64],
    likelihood: NDArray[np.float64],
    rows: NDArray[np.int64],
    leave: NDArray[np.float64],
    stay: float,
    decay: float,
    backward: float,
    result: NDArray[np.float64],
) -> None:
    """Fill `result` (n) with the probability of the state of `path` (n) at each step, given all words.

    `forward` (n x K) is as in `forwards`. `weights` (K) has the backward probabilities of the last step, and
    becomes those of the step before the first.
    """
    for index in range(path.size - 1, -1, -1):
        total = 0.0
        for state in range(weights.size):
            total += forward[index, state] * weights[state]
        result[index] = forward[index, path[index]] * weights[path[index]] / total
        move_backward(weights, likelihood[rows[index]], leave, stay, decay, backward)
