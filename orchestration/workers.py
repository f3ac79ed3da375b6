"""Where partitions run: in this process, or several at once in worker processes that import Dagster once.

Belongs here: starting workers, handing partitions to them, noticing their deaths, ending them. A worker is
`python -m orchestration.workers`: it reads an order a line and answers with a line, until its input ends.
Not here: in which order partitions run (loop.py).
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO

from assets.declaration import Declaration
from assets.settings import ROOT
from orchestration.failures import describe

#: How long an interrupted worker may take to leave its partition as it was.
PATIENCE = 30.0

#: What a worker process is.
COMMAND = (sys.executable, "-m", "orchestration.workers")


@dataclass(frozen=True)
class Done:
    """How the making of a partition ended."""

    item: Declaration
    month: str
    error: str | None
    seconds: float


class Here:
    """Makes partitions in this process, one after the other."""

    def __init__(self) -> None:
        self._done: list[Done] = []

    @property
    def free(self) -> bool:
        """Whether a partition may be started now."""
        return not self._done

    def start(self, item: Declaration, month: str, tags: Mapping[str, str]) -> None:
        """Make a partition."""
        from orchestration.instance import materialise

        begun = time.monotonic()
        error = materialise(item, month, tags=tags).error
        self._done.append(Done(item, month, error, time.monotonic() - begun))

    def wait(self) -> Iterator[Done]:
        """Yield what has ended since the last call."""
        done, self._done = self._done, []
        yield from done

    def close(self) -> None:
        """There is nothing to end."""


@dataclass
class _Worker:
    process: subprocess.Popen[bytes]
    stdin: IO[bytes]
    stdout: IO[bytes]
    heard: bytes = b""
    """The beginning of a line whose end is still to come."""
    ready: bool = False
    task: tuple[Declaration, str, str] | None = None
    """Dataset, month and the id of the run under way."""
    begun: float = field(default_factory=time.monotonic)


class Pool:
    """Makes partitions in worker processes; one that dies fails its partition, alone, and is replaced."""

    def __init__(self, jobs: int, command: Sequence[str] = COMMAND) -> None:
        self._jobs = jobs
        self._command = command
        self._workers: list[_Worker] = []
        self._selector = selectors.DefaultSelector()

    @property
    def free(self) -> bool:
        """Whether a partition may be started now."""
        return len(self._workers) < self._jobs or any(worker.task is None for worker in self._workers)

    def start(self, item: Declaration, month: str, tags: Mapping[str, str]) -> None:
        """Hand a partition to a free worker, a new one if all are busy."""
        from dagster._core.utils import make_new_run_id

        run_id = make_new_run_id()
        order = json.dumps({"dataset": item.name, "month": month, "run_id": run_id, "tags": dict(tags)})
        while True:
            worker = next((one for one in self._workers if one.task is None), None) or self._hire()
            try:
                worker.stdin.write(f"{order}\n".encode())
                worker.stdin.flush()
            except BrokenPipeError:  # it was ended while it had nothing to do
                self._bury(worker)
                continue
            worker.task, worker.begun = (item, month, run_id), time.monotonic()
            return

    def wait(self) -> Iterator[Done]:
        """Wait until at least one partition has ended; yield those that have."""
        done: list[Done] = []
        while not done and any(worker.task for worker in self._workers):
            for key, _ in self._selector.select():
                done += self._heard(key.data)
        yield from done

    def close(self) -> None:
        """End the workers: those under way are interrupted, and leave their partitions as they were."""
        for worker in self._workers:
            if worker.task is not None:
                worker.process.send_signal(signal.SIGINT if worker.ready else signal.SIGKILL)
            worker.stdin.close()
        end = time.monotonic() + PATIENCE
        for worker in self._workers:
            try:
                worker.process.wait(max(end - time.monotonic(), 0.1))
            except subprocess.TimeoutExpired:
                worker.process.kill()
                worker.process.wait()
            worker.stdout.close()
        self._workers.clear()
        self._selector.close()

    def _hire(self) -> _Worker:
        # a group of its own: Ctrl-C reaches this process, which then ends the workers, once
        process = subprocess.Popen(
            self._command,
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            process_group=0,
        )
        assert process.stdin is not None and process.stdout is not None
        worker = _Worker(process, process.stdin, process.stdout)
        self._workers.append(worker)
        self._selector.register(worker.stdout, selectors.EVENT_READ, worker)
        return worker

    def _heard(self, worker: _Worker) -> list[Done]:
        """Take all that lies in a worker's pipe: nothing waits in a buffer, where no selector looks."""
        said = os.read(worker.stdout.fileno(), 65536)
        if not said:
            return [one] if (one := self._bury(worker)) is not None else []
        *lines, worker.heard = (worker.heard + said).split(b"\n")
        return [one for line in lines if (one := self._answered(worker, line)) is not None]

    def _answered(self, worker: _Worker, line: bytes) -> Done | None:
        if not worker.ready:
            worker.ready = True
            worker.begun = time.monotonic()
            return None
        assert worker.task is not None, "a worker answers only when it is asked"
        item, month, _ = worker.task
        worker.task = None
        return Done(item, month, json.loads(line)["error"], time.monotonic() - worker.begun)

    def _bury(self, worker: _Worker) -> Done | None:
        """Take leave of a dead worker; the run that it was at is marked as failed.

        Raises RuntimeError where it died before it could begin: so would the next one.
        """
        self._selector.unregister(worker.stdout)
        self._workers.remove(worker)
        status = worker.process.wait()
        for pipe in (worker.stdin, worker.stdout):
            with contextlib.suppress(BrokenPipeError):
                pipe.close()
        if not worker.ready and status > 0:
            raise RuntimeError(f"a worker process ended with status {status} before it could begin")
        if worker.task is None:
            return None
        from orchestration.instance import end

        item, month, run_id = worker.task
        error = _death(status)
        end(run_id, error)
        return Done(item, month, error, time.monotonic() - worker.begun)


def _death(status: int) -> str:
    if status >= 0:
        return f"its worker process ended with status {status}"
    name = signal.Signals(-status).name
    memory = " (for want of memory? fewer JOBS need less)" if name == "SIGKILL" else ""
    return f"its worker process was ended by {name}{memory}"


def work() -> int:
    """Serve as a worker: make what the orders on standard input name, until they end."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have handed it over ignored
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever else prints does not talk to the parent
    try:
        from orchestration.graph import datasets
        from orchestration.instance import instance, materialise

        instance()
        print(json.dumps({"ready": True}), file=answers, flush=True)
        for line in sys.stdin:
            order = json.loads(line)
            item = datasets()[order["dataset"]]
            try:
                error = materialise(item, order["month"], order["run_id"], order["tags"]).error
            except Exception as fault:
                error = describe(fault)
            print(json.dumps({"error": error}), file=answers, flush=True)
    except (KeyboardInterrupt, BrokenPipeError):
        return 130
    return 0


if __name__ == "__main__":
    from orchestration.command import run

    run(work)
