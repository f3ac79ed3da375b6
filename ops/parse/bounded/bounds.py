"""How much one call of a parser may take.

Belongs here: the figures, and holding a process to them. Not here: the process (serve.py, child.py).
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
    """What one call may take; the time is the processor's, so that a busy machine refuses nothing more.

    A child that does not compute (it sleeps, it waits) is ended when `patience` is over, by the clock.
    """

    seconds: int = 30
    memory: int = 2**30
    """Bytes of address space beyond what the child has when it begins."""
    output: int = 256 * 2**20
    """Bytes of the result, as JSON."""
    patience: int = 600

    @property
    def most_memory(self) -> str:
        """The bound of memory, as causes tell it."""
        return f"the {self.memory >> 20} MB that a parser may use"

    def exhausted(self, how: str) -> str:
        """Return the cause where a parser in Rust or C++ ended: so it does where it gets no more memory."""
        return f"the parser gave up ({how}): it needs more memory than {self.most_memory}, or has a fault"


BOUNDS = Bounds()


def bound_memory(memory: int) -> None:
    """Let this process have `memory` bytes more than it has now, and leave no core behind."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(OSError, ValueError):  # no /proc, or less than is in use
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        most = pages * resource.getpagesize() + memory
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


class TooLongError(Exception):
    """What was read takes more time of the processor than it may."""


@contextmanager
def computing_at_most(seconds: int) -> Iterator[None]:
    """Raise TooLongError in the main thread where it computes for longer; waiting does not count."""

    def end(number: int, frame: object) -> None:
        raise TooLongError(f"more than {seconds} seconds of the processor")

    former = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, former)


class Stopwatch:
    """Ends this process by SIGXCPU when one call has computed for `seconds`, or up to a fifth longer.

    To set the limit takes a millisecond on some systems: it is set again when a fifth of it is spent.
    """

    def __init__(self, seconds: int) -> None:
        self._seconds, self._slack = seconds, max(1, seconds // 5)
        self._renewed = -math.inf

    def start(self) -> None:
        """Begin a call."""
        spent = time.process_time()
        if spent - self._renewed >= self._slack:
            hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
            resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(spent) + self._seconds + self._slack, hard))
            self._renewed = spent
