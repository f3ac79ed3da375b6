"""The limits on one call of a parser.

Belongs here: the limits, and enforcing them on a process. Not here: the process (serve.py, child.py).
"""

from __future__ import annotations

import math
import resource
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple


class Bounds(NamedTuple):
    """The limits of one call. Time is CPU time, so that a busy machine does not refuse more records.

    A child that does not compute (it sleeps or waits) is killed after `patience` seconds of wall-clock time.
    """

    seconds: int = 30
    memory: int = 2**30
    """Bytes of address space beyond what the child uses at its start."""
    output: int = 256 * 2**20
    """Bytes of the result as JSON."""
    patience: int = 600

    @property
    def most_memory(self) -> str:
        """The memory limit, as it appears in error messages."""
        return f"the {self.memory >> 20} MB that a parser may use"

    def exhausted(self, how: str) -> str:
        """Return the cause of an abort of a Rust or C++ parser: it usually ran out of memory."""
        return f"the parser gave up ({how}): it needs more memory than {self.most_memory}, or has a fault"


BOUNDS = Bounds()


def bound_memory(memory: int) -> None:
    """Limit this process to `memory` bytes more than it uses now, and disable core dumps."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(OSError, ValueError):  # no /proc, or the limit is below current use
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        most = pages * resource.getpagesize() + memory
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


class TooLongError(Exception):
    """Reading used more CPU time than allowed."""


@contextmanager
def computing_at_most(seconds: int) -> Iterator[None]:
    """Raise TooLongError in the main thread after this much CPU time; waiting does not count."""

    def end(number: int, frame: object) -> None:
        raise TooLongError(f"more than {seconds} seconds of the processor")

    former = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, former)


def start_stopwatch(seconds: int) -> None:
    """Kill this process by SIGXCPU once it has used this much CPU time from now on."""
    spent, hard = math.ceil(time.process_time()), resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (spent + seconds, hard))
