"""Worker processes: how they begin, and how they end together with the process that began them.

Belongs here: what workers that make partitions (workers.py) and workers that make pieces of one (engine.py)
have in common. Not here: what they are given to do.
"""

from __future__ import annotations

import os
import signal
import threading
from multiprocessing import connection, parent_process, resource_tracker
from multiprocessing.context import SpawnContext, SpawnProcess
from types import FrameType
from typing import Any


class WorkerDiedError(RuntimeError):
    """A worker process ended in the middle of its work; the text says how."""


class _Process(SpawnProcess):
    def start(self) -> None:
        """Start with interrupts held back until `begin`: Ctrl-C reaches all processes of a terminal."""
        resource_tracker.ensure_running()  # which would let interrupts through again when it begins
        held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            super().start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, held)


class Workers(SpawnContext):
    """How the workers of one executor are started, and which they are.

    They are spawned: a fork would copy the locks of Dagster's threads in whatever state they are.
    """

    def __init__(self) -> None:
        super().__init__()
        self.processes: list[_Process] = []

    def Process(self, *arguments: Any, **options: Any) -> _Process:  # type: ignore[override]  # noqa: N802
        """Return a worker that is not started yet, as an executor asks for it."""
        self.processes.append(_Process(*arguments, **options))
        return self.processes[-1]

    def kill(self) -> None:
        """End all workers at once."""
        for process in self.processes:
            process.kill()

    def death(self, fewer: str) -> str:
        """Return how the worker ended whose end broke its executor; `fewer` are what would need less memory.

        The executor must be shut down: it ends the other workers by SIGTERM.
        """
        codes = [process.exitcode for process in self.processes if process.exitcode]
        status = next((code for code in codes if code != -signal.SIGTERM), codes[0] if codes else 0)
        if status >= 0:
            return f"its worker process ended with status {status}"
        name = signal.Signals(-status).name
        memory = f" (for want of memory? fewer {fewer} need less)" if name == "SIGKILL" else ""
        return f"its worker process was ended by {name}{memory}"


_busy = False


def begin(interruptible: bool) -> None:
    """Prepare a worker process; its parent alone gives it SIGINT.

    The numeric kernels are pinned by now, before an op loads numpy: finding this module did that.
    """
    if interruptible:
        os.setpgid(0, 0)  # Ctrl-C goes to the parent's group, and the parent interrupts its workers once
    signal.signal(signal.SIGINT, _interrupt if interruptible else signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with_parent, daemon=True).start()


class Busy:
    """While this is held an interrupt raises KeyboardInterrupt; else it ends the worker, without a word."""

    def __enter__(self) -> None:
        global _busy
        _busy = True

    def __exit__(self, *_: object) -> None:
        global _busy
        _busy = False


def _interrupt(number: int, frame: FrameType | None) -> None:
    if not _busy:
        os._exit(128 + number)
    raise KeyboardInterrupt


def _end_with_parent() -> None:
    """End this process when its parent has ended, however it did: nobody is left to take what it makes."""
    parent = parent_process()
    assert parent is not None, "a worker has a parent"
    connection.wait([parent.sentinel])
    os._exit(1)
