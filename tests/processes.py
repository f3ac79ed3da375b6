"""Processes that a test's programs started: list them, and check whether they still run.

Belongs here: looking at processes. Not here: waiting for them (waiting.py).
"""

import contextlib

import psutil


def alive(pid: int) -> bool:
    """Say whether a process runs. One that has ended but was not waited for does not."""
    with contextlib.suppress(psutil.NoSuchProcess):
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    return False


def descendants(pid: int) -> list[int]:
    """Return all descendants of a process."""
    return [process.pid for process in psutil.Process(pid).children(recursive=True)]
