"""How much memory of Python a step takes for each row, by an engine whose tasks all return one outcome."""

import tracemalloc
from dataclasses import dataclass

from silverloom.ops.core.outcome import Outcome
from silverloom.ops.core.parts import OneProcess


@dataclass(frozen=True)
class Repeating(OneProcess):
    """Returns one outcome several times, whatever the op and the pieces are."""

    outcome: Outcome
    times: int

    def map(self, op, pieces, *shared):
        return (self.outcome for _ in range(self.times))


def bytes_per_row(outcome, outcomes_of):
    """Return how much the peak of memory grows with each row if the outcome comes twice as often."""
    peaks = []
    for times in (1, 40, 80):  # the first one loads what a step loads once
        tracemalloc.start()
        for _ in outcomes_of(Repeating(outcome, times)):
            pass
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    return (peaks[2] - peaks[1]) / (40 * len(outcome.kept))
