"""Where partitions run: in this process, or several at once in worker processes that import Dagster once.

Belongs here: handing partitions to workers, noticing their deaths, ending them. Not here: in which order
partitions run (loop.py), how a worker process begins (engine/processes.py), the pieces of one partition
(engine/local.py).
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.connection import wait as wait_for
from typing import TypeAlias

from assets.declare.declaration import Declaration
from orchestration.engine.processes import Worker, begin, death
from orchestration.messages.failures import describe
from orchestration.messages.progress import Listener, listen, listening
from orchestration.workspace.workspace import Workspace

#: Seconds that an interrupted worker may take to leave its partition as it was.
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


@dataclass
class Here:
    """Makes partitions in this process, one after the other."""

    workspace: Workspace
    listener: Listener
    _done: list[Done] = field(default_factory=list, init=False)

    @property
    def free(self) -> bool:
        """Whether a partition may be started now."""
        return not self._done

    def start(self, item: Declaration, month: str, tags: Mapping[str, str]) -> None:
        """Make a partition."""
        from orchestration.dagster.runs import materialise

        begun = time.monotonic()
        with listening(self.listener):
            error = materialise(self.workspace, item, month, tags=tags).error
        self._done.append(Done(item, month, error, time.monotonic() - begun))

    def wait(self) -> Iterator[Done]:
        """Yield what has ended since the last call."""
        done, self._done = self._done, []
        yield from done

    def release(self) -> None:
        """There is nobody to let go."""

    def close(self) -> None:
        """There is nothing to end."""


def make(name: str, month: str, run_id: str, tags: Mapping[str, str]) -> str | None:
    """Make a partition in a worker process."""
    from orchestration.catalogue import workspace
    from orchestration.dagster.runs import materialise

    return materialise(workspace(), workspace().datasets[name], month, run_id, tags).error


@dataclass
class _Slot:
    """A worker process, the pipe to it, and the partition that it makes."""

    process: Worker
    pipe: Connection
    task: tuple[Declaration, str] | None = None
    run_id: str = ""
    since: float = 0.0
    begun: bool = False
    """Whether the process is ready for partitions, or was."""


class Pool:
    """Makes partitions in worker processes; one that dies fails its partition, alone, and is replaced.

    An executor breaks as a whole when one of its workers dies, and a queue that workers share stays locked by
    one that is killed while it writes. So each worker is a process with a pipe of its own.
    """

    def __init__(self, jobs: int, listener: Listener, make: Make = make) -> None:
        self._jobs, self._listener, self._make = jobs, listener, make
        self._slots: list[_Slot] = []
        for _ in range(jobs):  # it takes them seconds to be ready
            self._spawn()

    @property
    def free(self) -> bool:
        """Whether a partition may be started now."""
        return sum(slot.task is not None for slot in self._slots) < self._jobs

    def start(self, item: Declaration, month: str, tags: Mapping[str, str]) -> None:
        """Hand a partition to an idle worker, a new one if all are busy or have ended."""
        from dagster._core.utils import make_new_run_id

        self._slots = [slot for slot in self._slots if slot.task or slot.process.is_alive()]
        slot = next((slot for slot in self._slots if slot.task is None), None) or self._spawn()
        slot.task, slot.run_id, slot.since = (item, month), make_new_run_id(), time.monotonic()
        with contextlib.suppress(OSError):  # it has just ended, which `wait` finds
            slot.pipe.send((self._make, item.name, month, slot.run_id, dict(tags)))

    def wait(self) -> Iterator[Done]:
        """Wait until at least one partition has ended; yield those that have.

        Raises RuntimeError where a worker ended before it could begin: so would the next one.
        """
        busy = {slot.pipe: slot for slot in self._slots if slot.task}
        done: list[Done] = []
        while not done:
            for pipe in wait_for(list(busy)):
                assert isinstance(pipe, Connection)
                done += self._hear(busy[pipe])
        yield from done

    def _hear(self, slot: _Slot) -> Iterator[Done]:
        """Take a message of a worker: that it is ready, how far its partition is, or how that ended."""
        from orchestration.dagster.runs import end

        assert slot.task is not None, "an idle worker says nothing"
        try:
            message = slot.pipe.recv()
        except (EOFError, OSError):
            slot.process.join()
            self._slots.remove(slot)
            error = death([slot.process], "JOBS")
            if not slot.begun and (slot.process.exitcode or 0) > 0:
                raise RuntimeError(f"{error.removeprefix('its ')} before it could begin") from None
            end(slot.run_id, error)
            yield Done(*slot.task, error, time.monotonic() - slot.since)
            return
        if message is None:
            slot.begun = True
        elif isinstance(message, tuple):
            yield Done(*slot.task, *message)
            slot.task = None
        else:
            with contextlib.suppress(Exception):  # of what shows it
                self._listener(message)

    def release(self) -> None:
        """Let idle workers end, for whom there is no partition any more: it takes them seconds."""
        for slot in self._slots:
            if slot.task is None:
                slot.pipe.close()

    def close(self) -> None:
        """End the workers: those under way are interrupted, once, and leave their partitions as they were."""
        for slot in self._slots:
            if slot.task and slot.process.is_alive() and slot.process.pid is not None:
                os.kill(slot.process.pid, signal.SIGINT)
            slot.pipe.close()  # an idle worker ends by that; another need not wait for somebody to hear it
        end = time.monotonic() + PATIENCE
        for slot in self._slots:
            slot.process.join(max(end - time.monotonic(), 0.0))
            slot.process.kill()
            slot.process.join()

    def _spawn(self) -> _Slot:
        pipe, other = Pipe()
        taken = {slot.process.name for slot in self._slots}
        name = next(name for name in map(str, count()) if name not in taken)
        with contextlib.closing(other):
            slot = _Slot(Worker(target=_work, args=(other, self._jobs), name=name), pipe)
            slot.process.start()
        self._slots.append(slot)
        return slot


def _work(pipe: Connection, jobs: int) -> None:
    """Make partitions in a worker process, until the pipe is closed or what is under way is interrupted."""
    begin(interruptible=True, processes=jobs)
    try:
        from orchestration.dagster.instance import instance

        instance()
    except Exception as fault:
        sys.exit(f"error: {describe(fault)}")
    listen(pipe.send)
    with contextlib.suppress(EOFError, OSError, KeyboardInterrupt):
        pipe.send(None)
        while True:
            make, *arguments = pipe.recv()
            begun = time.monotonic()
            signal.signal(signal.SIGINT, signal.default_int_handler)
            try:
                error = make(*arguments)
            except Exception as fault:
                error = describe(fault)
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            pipe.send((error, time.monotonic() - begun))
