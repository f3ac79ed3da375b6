"""Exact decoding in O(TK): against a dense decoder and hmmlearn's compiled one, in blocks, and by size.

Run: python benchmarks/viterbi.py. It needs no data: emissions are random distributions, seed 0.

Not here: emissions and a real talk (real_talk.py).
"""

from __future__ import annotations

import multiprocessing
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from silverloom.ops.talksumm import GeometricTransition, HmmParams, path_log_probability, viterbi
from silverloom.ops.talksumm.align.hmm import BLOCK_CELLS, Decoded, DecodingTable, decode

WORDS = 1000

#: Seconds of the released TalkSumm code for K = 500, T = 4000 on two cores.
RELEASED_SECONDS = 78.0

Problem = tuple[NDArray[np.float64], NDArray[np.float64], GeometricTransition, NDArray[np.int64]]


def problem(states: int, steps: int) -> Problem:
    """Return (log-emission table V x K, log start, transition, observations T)."""
    random = np.random.default_rng(0)
    table = np.log(random.dirichlet(np.ones(WORDS), states).T)
    start = np.full(states, -np.log(states))
    return table, start, HmmParams().transition(states, steps), random.integers(0, WORDS, steps)


def best_of(rounds: int, run: Callable[[], Any]) -> tuple[float, Any]:
    """Return the best time of several rounds in seconds, after a warm-up round, and the last result."""
    result = run()
    least = float("inf")
    for _ in range(rounds):
        begin = time.perf_counter()
        result = run()
        least = min(least, time.perf_counter() - begin)
    return least, result


def dense(
    table: NDArray[np.float64],
    start: NDArray[np.float64],
    matrix: NDArray[np.float64],
    rows: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Decode with a transition matrix, as in textbooks: O(T K^2), one row of maxima at a time."""
    log_matrix = np.log(matrix)
    back = np.empty((len(rows), len(start)), np.int64)
    score = start + table[rows[0]]
    for step in range(1, len(rows)):
        candidates = score[:, np.newaxis] + log_matrix
        back[step] = candidates.argmax(axis=0)
        score = candidates.max(axis=0) + table[rows[step]]
    path = np.empty(len(rows), np.int64)
    path[-1] = score.argmax()
    for step in range(len(rows) - 1, 0, -1):
        path[step - 1] = back[step, path[step]]
    return path


def exactness() -> None:
    """Print the difference between the log-probabilities of the two paths."""
    for states, steps in ((50, 500), (200, 1000), (500, 300)):
        table, start, transition, rows = problem(states, steps)
        paths = (viterbi(table, start, transition, rows), dense(table, start, transition.dense(), rows))
        ours, theirs = (
            path_log_probability(path.astype(np.int32), table, start, transition, rows) for path in paths
        )
        equal = bool((paths[0] == paths[1]).all())
        print(f"K={states} T={steps}: dense decoder differs by {abs(ours - theirs):.1e}; same path: {equal}")
        if abs(ours - theirs) > 1e-9:
            raise SystemExit("not exact to 1e-9")


def against_hmmlearn() -> None:
    """Print the ratio of times at K = 500, T = 4000."""
    from hmmlearn import _hmmc

    table, start, transition, rows = problem(500, 4000)
    ours, path = best_of(5, lambda: viterbi(table, start, transition, rows))
    emission, probabilities, matrix = table[rows], np.exp(start), transition.dense()
    theirs, (log_probability, peer) = best_of(1, lambda: _hmmc.viterbi(probabilities, matrix, emission))
    print(
        f"K=500 T=4000: {ours * 1e3:.1f} ms; hmmlearn {theirs * 1e3:.0f} ms, {theirs / ours:.0f}x "
        f"(target 30x); released code {RELEASED_SECONDS:.0f} s, "
        f"{RELEASED_SECONDS / ours:,.0f}x (target 1,000x)"
    )
    mine = path_log_probability(path, table, start, transition, rows)
    same = bool((path == peer).all())
    print(f"  log-probability {mine:.9f}, hmmlearn {log_probability:.9f}; same path: {same}")


def measure(size: tuple[int, int]) -> tuple[float, float]:
    """Return seconds and the process's peak memory in GB; must run in its own process."""
    table, start, transition, rows = problem(*size)
    seconds, _ = best_of(2, lambda: viterbi(table, start, transition, rows))
    # Not ru_maxrss, which a new program inherits from the process that started it.
    status = Path("/proc/self/status").read_text()
    return seconds, int(status.partition("VmHWM:")[2].split()[0]) * 1024 / 1e9


def growth() -> None:
    """Print time per cell and peak memory for growing problems."""
    for states, steps in ((250, 2000), (500, 4000), (1000, 10000), (2000, 20000)):
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            [(seconds, memory)] = pool.map(measure, [(states, steps)])
        cell = seconds / (states * steps) * 1e9
        print(f"K={states} T={steps}: {seconds * 1e3:.1f} ms, {cell:.2f} ns per cell, peak {memory:.2f} GB")


def by_blocks() -> None:
    """Print the cost and savings of decoding in blocks: medians over pairs of runs, in process time."""
    for states, steps in ((500, 4000), (2000, 20000), (5000, 40000)):
        table, start, transition, rows = problem(states, steps)
        emission = DecodingTable(table, steps)
        run = partial(decode, emission, start, transition, rows)
        run()
        ratios = []
        for _ in range(5):
            whole, parts = (seconds(partial(run, cells)) for cells in (states * steps, BLOCK_CELLS))
            ratios.append(parts / whole)
        (memory, path), (less, same) = (peak(partial(run, cells)) for cells in (states * steps, BLOCK_CELLS))
        print(
            f"K={states} T={steps}: in blocks {statistics.median(ratios):.2f} of the time, "
            f"{less / memory:.2f} of {memory / 1e6:.0f} MB; same path: {bool((path == same).all())}"
        )


def seconds(run: Callable[[], Any]) -> float:
    """Return the processor time of one run."""
    begin = time.process_time()
    run()
    return time.process_time() - begin


def peak(run: Callable[[], Decoded]) -> tuple[int, NDArray[np.int32]]:
    """Return the peak bytes that one run allocated, and its path."""
    tracemalloc.start()
    path = run().states
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most, path


if __name__ == "__main__":
    exactness()
    against_hmmlearn()
    by_blocks()
    growth()
