"""Waiting for programs: as long as they live and make progress, however busy the machine is.

Belongs here: the one loop that polls. Not here: what is waited for (the tests).
"""

import contextlib
import subprocess
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

import psutil

T = TypeVar("T")

#: A program that used less than a hundredth of a processor for so many seconds makes no progress.
IDLE = 180.0
SHARE = 0.01

#: What has not come true after so many seconds never does, whatever its programs are busy with.
LONGEST = 1800.0


def until(
    look: Callable[[], T], good: Callable[[T], bool] = bool, programs: Sequence[subprocess.Popen] = ()
) -> T:
    """Look again until what is seen is good, and return it.

    Raises AssertionError when one of the programs ends, or when all of them and their children are idle for minutes.
    """
    began = since = time.monotonic()
    used = processor_seconds(programs)
    while not good(found := look()):
        gone = [program.args for program in programs if program.poll() is not None]
        if gone:
            found = look()  # what it did last
            assert good(found), f"{gone[0]} ended; last seen: {found!r}"
            return found
        now = time.monotonic()
        assert now - began < LONGEST, f"not within {LONGEST:.0f} s; last seen: {found!r}"
        if programs and now - since > IDLE:
            former, used = used, processor_seconds(programs)
            assert used - former > SHARE * (now - since), f"no progress; last seen: {found!r}"
            since = now
        time.sleep(0.2)
    return found


def ended(program: subprocess.Popen) -> int:
    """Wait for a program that is to end by itself; return its status."""
    until(program.poll, lambda status: status is not None, [program])
    return program.returncode


def processor_seconds(programs: Sequence[subprocess.Popen]) -> float:
    """Return what programs and their children have used of processors."""
    total = 0.0
    for program in programs:
        with contextlib.suppress(psutil.NoSuchProcess):
            process = psutil.Process(program.pid)
            for member in (process, *process.children(recursive=True)):
                with contextlib.suppress(psutil.NoSuchProcess):
                    times = member.cpu_times()
                    total += times.user + times.system + times.children_user + times.children_system
    return total
