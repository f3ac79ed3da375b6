"""Executors on this machine: this process itself, or worker processes.

Belongs here: how worker processes start, share processors and GPUs, die, and end with their parent. Not here:
what they run (run/dagster_run.py, parts.py).

The pool is our own: in pebble 5.2.3, a SIGKILL of an idle worker makes every later `schedule()` raise
RuntimeError("Unexpected error within the Pool").
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from functools import cache, partial
from multiprocessing import active_children, connection, get_context, parent_process, resource_tracker
from multiprocessing.managers import BaseManager
from multiprocessing.process import BaseProcess
from pathlib import Path
from queue import Queue
from typing import TYPE_CHECKING, Any

from silverloom.orchestration.executors.base import (
    EventSink,
    Resources,
    Result,
    WorkerDiedError,
    WorkerNotStartedError,
)
from silverloom.orchestration.process import prepare

#: The NVIDIA driver lists GPUs here, so counting them needs neither torch nor another program.
GPUS = Path("/proc/driver/nvidia/gpus")


#: Seconds that a worker process without tasks has to end, before it is killed: a library may hang at its end.
LEAVING = 60.0


class ThisProcess:
    """Runs each task in this process: `submit` returns when the task has ended."""

    places = 1

    def submit(self, function: Callable[..., Result], *arguments: Any) -> Future[Result]:
        """Run a task. An interrupt raises KeyboardInterrupt here."""
        future = Future[Result]()
        try:
            future.set_result(function(*arguments))
        except Exception as error:
            future.set_exception(error)
        return future

    def share(self, value: Result) -> Callable[[], Result]:
        """Return a function that returns the value."""
        return lambda: value

    def channel(self, listener: EventSink) -> EventSink:
        """Return the listener itself."""
        return listener

    def close(self) -> None:
        """No-op: no task is running."""


class WorkerProcesses:
    """Runs tasks in worker processes, each with its own single-process executor.

    An executor breaks as a whole when one of its workers dies; this way, a dead worker fails only its own
    tasks. A task goes to the worker with the fewest tasks. Processes are spawned on demand: a fork would copy
    the locks of Dagster's threads in an arbitrary state.
    """

    def __init__(self, places: int, setting: str, patience: float = 0.0, beside: int = 0) -> None:
        """`setting` names the option for `places`; `patience` is the seconds from an interrupt to a kill;
        `beside` is how many other processes share this machine's processors and GPUs with the workers.
        """
        self.places = places
        self._patience = patience
        self._sharing = places + beside
        self._workers = [_Worker(number, setting) for number in range(beside, self._sharing)]
        self._events: _Events | None = None

    def submit(self, function: Callable[..., Result], *arguments: Any) -> Future[Result]:
        """Run a task in the process with the fewest tasks."""
        worker = min(self._workers, key=lambda worker: len(worker.tasks))
        return worker.submit(_share(self._sharing), function, arguments)

    def share(self, value: Result) -> Callable[[], Result]:
        """Return a function for tasks; each process receives the value before its first task that uses it."""
        return _Shared(uuid.uuid4().hex, value)

    def channel(self, listener: EventSink) -> EventSink:
        """Return an event sink for tasks. Each process has its own connection to the queue.

        A queue shared by processes would stay locked if one was killed while writing.
        """
        assert self._events is None, "only one listener is supported"
        self._events = _Events(ctx=get_context("spawn"))
        with _interrupts_held():
            self._events.start(_end_with_parent)
        queue = self._events.queue()
        threading.Thread(target=_listen, args=(queue, listener), daemon=True).start()
        return partial(_tell, str(self._events.address))

    def close(self) -> None:
        """Interrupt running tasks and end all processes; kill those that take too long."""
        deadline = time.monotonic() + self._patience
        if self._patience:
            for worker in self._workers:
                worker.interrupt()
        else:
            for worker in self._workers:
                worker.kill()
        for worker in self._workers:
            worker.release()
        for worker in self._workers:
            worker.end(max(deadline - time.monotonic(), 0.0))
        if self._events is not None:
            self._events.shutdown()


@dataclass
class _Worker:
    """A worker process, and its replacement if it dies."""

    number: int
    setting: str
    tasks: set[Future[Any]] = field(default_factory=set)
    """Tasks that have not ended."""
    _pool: ProcessPoolExecutor | None = None
    _process: BaseProcess | None = None
    _handed: dict[str, Future[None]] = field(default_factory=dict)
    """Shared values that the process already received."""

    def submit(
        self, resources: Resources, function: Callable[..., Result], arguments: tuple[Any, ...]
    ) -> Future[Result]:
        if self._process is None or self._has_ended(self._process):
            self.end()
            self._begin(resources)
        assert self._pool is not None and self._process is not None, "it has begun"
        for shared in arguments:
            if isinstance(shared, _Shared) and shared.key not in self._handed:
                self._handed[shared.key] = self._pool.submit(_keep, shared.key, shared.value)
        task = Future[Result]()
        self.tasks.add(task)
        resolve = partial(self._resolve, task, self._process, self._ready)
        self._pool.submit(_run, function, *arguments).add_done_callback(resolve)
        return task

    @staticmethod
    def _has_ended(process: BaseProcess) -> bool:
        # `is_alive` still returns True while an executor thread is waiting for the process
        return bool(connection.wait([process.sentinel], 0))

    def interrupt(self) -> None:
        if self.tasks and self._process is not None and self._process.is_alive():
            os.kill(self._process.pid or 0, signal.SIGINT)

    def kill(self) -> None:
        if self.tasks and self._process is not None:
            self._process.kill()

    def release(self) -> None:
        """Let the process end after its tasks, without waiting for it: several take as long as one."""
        if self._pool is not None:
            self._pool.shutdown(wait=False)

    def end(self, patience: float | None = None) -> None:
        """End the process once its tasks have ended, or after `patience` seconds."""
        if wait(self.tasks.copy(), patience).not_done:
            self.kill()
        if self._pool is not None and self._process is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            if not connection.wait([self._process.sentinel], LEAVING):
                self._process.kill()
                connection.wait([self._process.sentinel])

    def _begin(self, resources: Resources) -> None:
        context, arguments = get_context("spawn"), (self.number, resources)
        self._pool = ProcessPoolExecutor(1, context, initializer=begin_worker, initargs=arguments)
        self._handed, others = {}, set(active_children())
        with _interrupts_held():
            self._ready = self._pool.submit(os.getpid)
            (self._process,) = set(active_children()) - others

    def _resolve(
        self, task: Future[Result], process: BaseProcess, ready: Future[int], ended: Future[Result]
    ) -> None:
        """Pass on how a task ended, in a thread of its executor."""
        self.tasks.discard(task)
        if ended.cancelled():
            task.cancel()
        elif isinstance(ended.exception(), BrokenProcessPool):
            process.join()
            status = process.exitcode or 0
            if status > 0 and ready.exception() is not None:
                said = f"worker process ended with status {status} before it could start"
                task.set_exception(WorkerNotStartedError(said))
            else:
                death = WorkerDiedError(_death(status, self.setting))
                death.status = status
                task.set_exception(death)
        elif (error := ended.exception()) is not None:
            lost = (handed.exception() for handed in self._handed.values() if handed.done())
            task.set_exception(next(filter(None, lost), error))
        else:
            task.set_result(ended.result())


@dataclass(frozen=True)
class _Shared:
    """A value that tasks share. When pickled for a worker, it only carries the key."""

    key: str
    value: Any = None

    def __call__(self) -> Any:
        return _kept[self.key]

    def __reduce__(self) -> tuple[type[_Shared], tuple[str]]:
        return _Shared, (self.key,)


#: This process's shared values by key.
_kept: dict[str, Any] = {}


def _keep(key: str, value: object) -> None:
    _kept[key] = value


class _Events(BaseManager):
    """Serves an event queue from its own process."""

    if TYPE_CHECKING:

        def queue(self) -> Queue[Any]:
            """Return that process's queue."""


_queue: Queue[Any] = Queue()


def _queue_here() -> Queue[Any]:
    return _queue


_Events.register("queue", _queue_here)


def visible_gpus() -> list[str]:
    """Return the GPUs that CUDA may use, as named in CUDA_VISIBLE_DEVICES: those listed there, or all."""
    if (named := os.environ.get("CUDA_VISIBLE_DEVICES")) is not None:
        return [gpu for gpu in named.split(",") if gpu.strip()]
    return [str(number) for number, _ in enumerate(GPUS.glob("*"))]


def _share(places: int) -> Resources:
    """Return an equal share of this machine. If there are more workers than GPUs, workers share them.

    More threads than cores would slow each other down: sentences were embedded at a third of the pace of a
    single process.
    """
    return Resources(max(1, len(os.sched_getaffinity(0)) // places), 1 if visible_gpus() else 0)


def _death(status: int, setting: str) -> str:
    if status >= 0:
        return f"its worker process ended with status {status}"
    name = signal.Signals(-status).name
    memory = f" (out of memory? Lower {setting})" if name == "SIGKILL" and setting else ""
    return f"its worker process was ended by {name}{memory}"


@contextlib.contextmanager
def _interrupts_held() -> Iterator[None]:
    """Block interrupts in this process and in those it starts: Ctrl-C reaches every process of a terminal."""
    resource_tracker.ensure_running()  # starting it unblocks interrupts, so start it first
    held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, held)


def begin_worker(number: int, resources: Resources) -> None:
    """Set up a worker process. Only its parent interrupts it; an interrupt ends an idle worker silently.

    Its task is loaded only afterwards.
    """
    prepare()
    os.environ.setdefault("OMP_NUM_THREADS", str(resources.processors))
    if resources.gpus and (gpus := visible_gpus()):
        first = number * resources.gpus
        chosen = [gpus[place % len(gpus)] for place in range(first, first + resources.gpus)]
        os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(dict.fromkeys(chosen))
    os.setpgid(0, 0)  # Ctrl-C then only reaches the parent's group
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    _end_with_parent()


def _end_with_parent() -> None:
    """End this process when its parent ends for any reason."""

    def watch() -> None:
        parent = parent_process()
        assert parent is not None, "a worker has a parent"
        connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _run(function: Callable[..., Result], *arguments: Any) -> Result:
    """Run a task in a worker process; during it, an interrupt raises KeyboardInterrupt."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return function(*arguments)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def _listen(queue: Queue[Any], listener: EventSink) -> None:
    """Pass events to a listener until the queue is gone."""
    with contextlib.suppress(EOFError, OSError):
        while True:
            event = queue.get()
            with contextlib.suppress(Exception):  # such as a full disk, or a closed terminal
                listener(event)


def _tell(address: str, event: object) -> None:
    """Put an event into a queue if it still exists; connects to it on first use."""
    with contextlib.suppress(EOFError, OSError):
        _connected(address).put(event)


@cache
def _connected(address: str) -> Queue[Any]:
    """Return the queue served at an address. Both processes have their parent's authentication key."""
    events = _Events(address)
    events.connect()
    return events.queue()
