"""How far an alignment can be trusted: the numbers that show a collapse, or a talk about another paper.

Belongs here: exact posterior probabilities, and the evidence of one pair. Not here: decoding (hmm.py), inner
loops (kernels.py), the thresholds (ops/talksumm/summarise.py).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from silverloom.ops.talksumm.align.hmm import Alignment, HmmParams, Rows, Trellis
from silverloom.ops.talksumm.align.transition import GeometricTransition

#: The path of a model that collapses ends in these many last sentences of the paper.
LAST = 3

#: Bytes of forward probabilities held in memory at once, unless there are many sentences.
BLOCK_BYTES = 2**26


class Evidence(NamedTuple):
    """Numbers about the alignment of one pair; shares and probabilities are from 0 to 1."""

    states: int
    """K, the paper's sentences that are states."""
    steps: int
    """T, the spoken words that are observations."""
    stay: float
    """The probability to stay in a sentence."""
    coverage: float
    """Share of the states that some word is aligned to."""
    last_three: float
    """Share of the words aligned to the last three states."""
    posterior: float
    """Mean over the words of the probability that the word is of its sentence, given all words."""
    explained: float
    """Mean over the words of the probability that the word comes from its sentence and not from the
    background; 1 in a model without a background."""


def evidence(trellis: Trellis, alignment: Alignment, params: HmmParams) -> Evidence:
    """Return the evidence of an alignment that `trellis` gave with `params`, rounded to six decimals."""
    from silverloom.ops.talksumm.align import kernels

    states, steps = len(alignment.counts), len(alignment.states)
    transition = params.transition(states, steps)
    uniform = params.similarity.background / trellis.emission.words
    probable = posterior(
        trellis.emission, trellis.log_start, transition, trellis.observations, alignment.states
    )
    return Evidence(
        states,
        steps,
        round(transition.stay, 6),
        round(int(np.count_nonzero(alignment.counts)) / states, 6),
        round(int(alignment.counts[-LAST:].sum()) / steps, 6),
        round(math.fsum(probable) / steps, 6),
        round(1 - math.fsum(uniform / kernels.exps(alignment.emitted)) / steps, 6),
    )


def posterior(
    emission: Rows,
    log_start: NDArray[np.float64],
    transition: GeometricTransition,
    observations: NDArray[np.int64],
    path: NDArray[np.int32],
    block_bytes: int = BLOCK_BYTES,
) -> NDArray[np.float64]:
    """Return p(s(t) = path(t) | all words) for the T steps, exactly, by forward-backward in O(T K) time.

    Geometric transitions make the sum over all predecessors a running sum from the left and one from the
    right. Forward probabilities take 8 bytes a cell. If that exceeds `block_bytes`, they are recomputed block
    by block, as in `decode`. Other arguments are as in `decode`, with at least one path of probability above
    0. Rows of open transitions sum to less than 1; what is lost has no part in any probability.
    """
    from silverloom.ops.talksumm.align import kernels

    steps, states = len(observations), len(log_start)
    length = min(max(math.isqrt(steps) + 1, block_bytes // (8 * states)), emission.at_once, steps)
    forward = np.empty((length, states))
    moves = (transition.beta, transition.stay, transition.forward_decay, transition.backward_factor)
    result = np.empty(steps)

    def advance(first: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        table, rows = emission.rows(observations[first : first + length])
        used, rows = np.unique(rows, return_inverse=True)
        likelihood = kernels.exps(table[used])
        kernels.forwards(before[first // length], first, likelihood, rows, *moves, forward)
        return likelihood, rows

    firsts = range(0, steps, length)
    before = np.empty((len(firsts), states))
    before[0] = kernels.exps(log_start)
    for block, first in enumerate(firsts[:-1], start=1):
        advance(first)
        before[block] = forward[-1]
    weights = np.ones(states)
    for first in reversed(firsts):
        likelihood, rows = advance(first)
        here = slice(first, first + len(rows))
        kernels.posteriors(path[here], forward, weights, likelihood, rows, *moves, result[here])
    return result
