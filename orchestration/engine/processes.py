"""Worker processes: how they begin, and how they end together with the process that began them.

Belongs here: what workers that make partitions (drivers/workers.py) and workers that make pieces of one
(local.py) have in common. Not here: what they are given to do.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterable
from multiprocessing import connection, current_process, parent_process, resource_tracker
from multiprocessing.context import SpawnContext, SpawnProcess
from pathlib import Path
from typing import Any

#: Where the driver lists the GPUs, so that neither torch nor a program is asked for their number.
_GPUS = Path("/proc/driver/nvidia/gpus")


class WorkerDiedError(RuntimeError):
    """A worker process ended in the middle of its work; the text says how."""


class Worker(SpawnProcess):
    """A process that holds interrupts back until `begin`: Ctrl-C reaches all processes of a terminal.

    Its name is its number among the workers that are beside it, from 0.
    It is spawned: a fork would copy the locks of Dagster's threads in whatever state they are.
    """

    def start(self) -> None:
        """Start the process."""
        resource_tracker.ensure_running()  # which would let interrupts through again when it begins
        held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            super().start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, held)


class Workers(SpawnContext):
    """How the workers of one executor are started, and which they are."""

    def __init__(self) -> None:
        super().__init__()
        self.processes: list[Worker] = []

    def Process(self, *arguments: Any, **options: Any) -> Worker:  # type: ignore[override]  # noqa: N802
        """Return a worker that is not started yet, as an executor asks for it."""
        self.processes.append(Worker(*arguments, **{**options, "name": str(len(self.processes))}))
        return self.processes[-1]

    def kill(self) -> None:
        """End all workers at once."""
        for process in self.processes:
            process.kill()


def death(processes: Iterable[Worker], fewer: str) -> str:
    """Return how the first of these workers ended; fewer of what `fewer` names would need less memory.

    An executor whose worker dies must be shut down before: it ends the others by SIGTERM, which do not count.
    """
    codes = [process.exitcode for process in processes if process.exitcode]
    status = next((code for code in codes if code != -signal.SIGTERM), codes[0] if codes else 0)
    if status >= 0:
        return f"its worker process ended with status {status}"
    name = signal.Signals(-status).name
    memory = f" (for want of memory? fewer {fewer} need less)" if name == "SIGKILL" else ""
    return f"its worker process was ended by {name}{memory}"


def begin(interruptible: bool, processes: int) -> None:
    """Prepare one of some worker processes; only the parent interrupts it, and ends it idle without a word.

    The numeric kernels are pinned by now, before an op loads numpy: finding this module did that. Where they
    are not, the processes share the cores: with more threads than cores, these wait for each other, and a
    sentence was embedded at a third of the pace of one process. Of several GPUs each process sees one.
    """
    threads = len(os.sched_getaffinity(0)) // processes
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, threads)))
    if gpus := visible_gpus():
        os.environ["CUDA_VISIBLE_DEVICES"] = gpus[int(current_process().name) % len(gpus)]
    if interruptible:
        os.setpgid(0, 0)  # Ctrl-C goes to the parent's group, and the parent interrupts its workers once
    signal.signal(signal.SIGINT, signal.SIG_DFL if interruptible else signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with_parent, daemon=True).start()


def visible_gpus() -> list[str]:
    """Return the GPUs that CUDA may use, as its variable calls them: those that it names, or all."""
    if (named := os.environ.get("CUDA_VISIBLE_DEVICES")) is not None:
        return [gpu for gpu in named.split(",") if gpu.strip()]
    return [str(number) for number, _ in enumerate(_GPUS.glob("*"))]


def _end_with_parent() -> None:
    """End this process when its parent has ended, however it did: nobody is left to take what it makes."""
    parent = parent_process()
    assert parent is not None, "a worker has a parent"
    connection.wait([parent.sentinel])
    os._exit(1)
