"""Wait for programs as long as they live and make progress, however busy the machine is.

Belongs here: the one polling loop. Not here: what is waited for (the tests).
"""

import contextlib
import subprocess
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

import psutil

T = TypeVar("T")

#: A program makes no progress if it used less than 1 % of a processor for this many seconds.
IDLE = 180.0
SHARE = 0.01

#: Give up after this many seconds, whatever the programs are doing.
LONGEST = 1800.0


def until(
    look: Callable[[], T], good: Callable[[T], bool] = bool, programs: Sequence[subprocess.Popen] = ()
) -> T:
    """Poll until the value seen is good, and return it.

    Raises AssertionError when one of the programs ends, or when all of them and their children are idle for
    minutes.
    """
    began = since = time.monotonic()
    used = processor_seconds(programs)
    while not good(found := look()):
        gone = [program.args for program in programs if program.poll() is not None]
        if gone:
            found = look()  # its last action
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
    """Wait for a program that should end by itself; return its exit status."""
    until(program.poll, lambda status: status is not None, [program])
    return program.returncode


def processor_seconds(programs: Sequence[subprocess.Popen]) -> float:
    """Return the processor time that programs and their children have used, in seconds."""
    total = 0.0
    for program in programs:
        with contextlib.suppress(psutil.NoSuchProcess):
            process = psutil.Process(program.pid)
            for member in (process, *process.children(recursive=True)):
                with contextlib.suppress(psutil.NoSuchProcess):
                    times = member.cpu_times()
                    total += times.user + times.system + times.children_user + times.children_system
    return total
