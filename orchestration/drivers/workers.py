"""Where partitions run: in this process, or several at once in worker processes that import Dagster once.

Belongs here: handing partitions to workers, noticing their deaths, ending them. Not here: in which order
partitions run (loop.py), how a worker process begins (processes.py), the pieces of one partition (engine.py).
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.connection import wait as wait_for
from typing import TypeAlias

from assets.declare.declaration import Declaration
from orchestration.engine.processes import Busy, Workers, begin
from orchestration.messages.failures import describe
from orchestration.messages.progress import Listener, listen, listening
from orchestration.workspace.workspace import Workspace

#: How long an interrupted worker may take to leave its partition as it was.
PATIENCE = 30.0

#: Makes the partition of a dataset, by its name, in a run of this id with these tags; returns why it failed.
Make: TypeAlias = Callable[[str, str, str, Mapping[str, str]], str | None]


@dataclass(frozen=True)
class Done:
    """How the making of a partition ended."""

    item: Declaration
    month: str
    error: str | None
    seconds: float


class Here:
    """Makes partitions in this process, one after the other."""

    def __init__(self, workspace: Workspace, listener: Listener) -> None:
        self._workspace, self._listener = workspace, listener
        self._done: list[Done] = []

    @property
    def free(self) -> bool:
        """Whether a partition may be started now."""
        return not self._done

    def start(self, item: Declaration, month: str, tags: Mapping[str, str]) -> None:
        """Make a partition."""
        from orchestration.dagster.runs import materialise

        begun = time.monotonic()
        with listening(self._listener):
            error = materialise(self._workspace, item, month, tags=tags).error
        self._done.append(Done(item, month, error, time.monotonic() - begun))

    def wait(self) -> Iterator[Done]:
        """Yield what has ended since the last call."""
        done, self._done = self._done, []
        yield from done

    def close(self) -> None:
        """There is nothing to end."""


def make(name: str, month: str, run_id: str, tags: Mapping[str, str]) -> str | None:
    """Make a partition in a worker process."""
    from orchestration.catalogue import workspace
    from orchestration.dagster.runs import materialise

    return materialise(workspace(), workspace().datasets[name], month, run_id, tags).error


class Pool:
    """Makes partitions in worker processes; one that dies fails its partition, alone, and is replaced.

    An executor breaks as a whole when one of its workers dies: so each worker has one of its own.
    """

    def __init__(self, jobs: int, listener: Listener, make: Make = make) -> None:
        self._jobs, self._listener, self._make = jobs, listener, make
        self._workers: list[_Worker] = []

    @property
    def free(self) -> bool:
        """Whether a partition may be started now."""
        return len(self._workers) < self._jobs or any(worker.task is None for worker in self._workers)

    def start(self, item: Declaration, month: str, tags: Mapping[str, str]) -> None:
        """Hand a partition to a free worker, a new one if all are busy."""
        from dagster._core.utils import make_new_run_id

        for worker in [worker for worker in self._workers if worker.task is None and worker.ended]:
            self._remove(worker)  # it was ended while it had nothing to do
        worker = next((worker for worker in self._workers if worker.task is None), None) or self._spawn()
        worker.start(self._make, item, month, make_new_run_id(), tags)

    def wait(self) -> Iterator[Done]:
        """Wait until at least one partition has ended; yield those that have.

        Raises RuntimeError where a worker ended before it could begin: so would the next one.
        """
        from orchestration.dagster.runs import end

        wait((worker.task.future for worker in self._workers if worker.task), return_when=FIRST_COMPLETED)
        for worker in list(self._workers):
            if (task := worker.task) is None or not task.future.done():
                continue
            worker.task = None
            try:
                error, seconds = task.future.result()
            except BrokenProcessPool:
                self._remove(worker)
                error, seconds = worker.died(), time.monotonic() - task.begun
                end(task.run_id, error)
            yield Done(task.item, task.month, error, seconds)

    def close(self) -> None:
        """End the workers: those under way are interrupted, once, and leave their partitions as they were."""
        for worker in self._workers:
            if worker.task is not None:
                worker.interrupt()
        end = time.monotonic() + PATIENCE
        for worker in list(self._workers):
            self._remove(worker, end)

    def _spawn(self) -> _Worker:
        self._workers.append(_Worker(self._listener))
        return self._workers[-1]

    def _remove(self, worker: _Worker, end: float = 0.0) -> None:
        self._workers.remove(worker)
        worker.close(end)


@dataclass(frozen=True)
class _Task:
    item: Declaration
    month: str
    run_id: str
    begun: float
    future: Future[tuple[str | None, float]]


class _Worker:
    """One worker process: its executor, and the pipe through which it tells how far it is.

    A queue that workers share would stay locked by one that is killed while it writes.
    """

    def __init__(self, listener: Listener) -> None:
        self.workers = Workers()
        self.task: _Task | None = None
        self.pid: int | None = None
        """Of the worker, as soon as it can be interrupted."""
        self._events, self._sender = self.workers.Pipe(duplex=False)
        self._executor = ProcessPoolExecutor(
            1, mp_context=self.workers, initializer=_begin, initargs=(self._sender,)
        )
        self._thread = threading.Thread(target=self._listen, args=(listener,), daemon=True)

    @property
    def ended(self) -> bool:
        """Whether its process has ended."""
        return bool(wait_for([self.workers.processes[-1].sentinel], timeout=0))

    def start(self, make: Make, item: Declaration, month: str, run_id: str, tags: Mapping[str, str]) -> None:
        future = self._executor.submit(_work, make, item.name, month, run_id, dict(tags))
        self.task = _Task(item, month, run_id, time.monotonic(), future)
        if not self._sender.closed:
            self._sender.close()  # the worker has its own: when that is closed, nothing comes any more
            self._thread.start()

    def interrupt(self) -> None:
        """Interrupt what is under way; a worker that has not begun yet has nothing to leave as it was."""
        if self.pid is None:
            self.workers.kill()
        else:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGINT)

    def close(self, end: float) -> None:
        """End the process: by force, if it has not ended by itself at `end`."""
        force = threading.Timer(max(end - time.monotonic(), 0.0), self.workers.kill)
        force.start()
        self._executor.shutdown()
        force.cancel()
        if self._thread.is_alive():
            self._thread.join()
        self._events.close()

    def died(self) -> str:
        """Return how its process ended. Raises RuntimeError where it never began: so would the next one."""
        status = self.workers.processes[-1].exitcode or 0
        if self.pid is None and status > 0:
            raise RuntimeError(f"a worker process ended with status {status} before it could begin")
        return self.workers.death("JOBS")

    def _listen(self, listener: Listener) -> None:
        with contextlib.suppress(EOFError, OSError):
            self.pid = self._events.recv()
            while True:
                event = self._events.recv()
                with contextlib.suppress(Exception):  # unheard, the worker would wait until the pipe is read
                    listener(event)


def _begin(events: Connection) -> None:
    """Prepare a worker process for partitions."""
    begin(interruptible=True)
    try:
        from orchestration.dagster.instance import instance

        instance()
    except Exception as error:
        print(f"error: {describe(error)}", file=sys.stderr)
        os._exit(1)  # the executor would write a traceback
    events.send(os.getpid())
    listen(events.send)


def _work(
    make: Make, name: str, month: str, run_id: str, tags: Mapping[str, str]
) -> tuple[str | None, float]:
    begun = time.monotonic()
    error: str | None
    try:
        with Busy():
            error = make(name, month, run_id, tags)
    except Exception as fault:
        error = describe(fault)
    except KeyboardInterrupt:
        error = "interrupted"
    return error, time.monotonic() - begun
