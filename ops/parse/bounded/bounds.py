"""How much one call of a parser may take.

Belongs here: the figures, and holding a process to them. Not here: the process (serve.py, child.py).
"""

from __future__ import annotations

import math
import resource
from contextlib import suppress
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
    """Bytes of the pickled result."""
    patience: int = 600


BOUNDS = Bounds()


def bound_memory(memory: int) -> None:
    """Let this process have `memory` bytes more than it has now, and leave no core behind."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(OSError, ValueError):  # no /proc, or less than is in use
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        most = pages * resource.getpagesize() + memory
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def bound_time(seconds: int) -> None:
    """End this process by SIGXCPU when it has computed for `seconds` more."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    spent = math.ceil(used.ru_utime + used.ru_stime)
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (spent + seconds, hard))
