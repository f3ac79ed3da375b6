"""Executors of this machine: this process itself, or worker processes.

Belongs here: how worker processes begin, share processors and GPUs, die, and end with the process that began
them. Not here: what they run (run/dagster_run.py, parts.py).
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

from orchestration.executors.base import (
    EventSink,
    Resources,
    Result,
    WorkerDiedError,
    WorkerNotStartedError,
)

#: The driver lists the GPUs here, so that their number can be known without torch or another program.
GPUS = Path("/proc/driver/nvidia/gpus")


class ThisProcess:
    """Runs each task at once in this process: `submit` returns when the task has ended."""

    places = 1

    def submit(
        self, function: Callable[..., Result], *arguments: Any, resources: Resources | None = None
    ) -> Future[Result]:
        """Run a task. An interrupt is raised here."""
        future = Future[Result]()
        try:
            future.set_result(function(*arguments))
        except Exception as error:
            future.set_exception(error)
        return future

    def share(self, value: Result) -> Callable[[], Result]:
        """Return what returns the value."""
        return lambda: value

    def channel(self, listener: EventSink) -> EventSink:
        """Return the listener itself."""
        return listener

    def close(self) -> None:
        """No-op: no task is under way."""


class WorkerProcesses:
    """Runs tasks in worker processes, each the only one of an executor of its own.

    An executor breaks as a whole when one of its workers dies. So one that dies fails its own tasks alone. A
    task goes to the worker with the fewest others. Processes are spawned, when they are needed: a fork would
    copy the locks of Dagster's threads in whatever state they are.
    """

    def __init__(self, places: int, setting: str, patience: float = 0.0) -> None:
        """Take the setting that says how many, and how many seconds lie between an interrupt and a kill."""
        self.places = places
        self._patience = patience
        self._workers = [_Worker(number, setting) for number in range(places)]
        self._events: _Events | None = None

    def submit(
        self, function: Callable[..., Result], *arguments: Any, resources: Resources | None = None
    ) -> Future[Result]:
        """Run a task in the process with the fewest tasks."""
        worker = min(self._workers, key=lambda worker: len(worker.tasks))
        return worker.submit(resources or _share(self.places), function, arguments)

    def share(self, value: Result) -> Callable[[], Result]:
        """Return what each process is handed before its first task that takes it."""
        return _Shared(uuid.uuid4().hex, value)

    def channel(self, listener: EventSink) -> EventSink:
        """Return what tells the one `listener`, by a queue to which each process has its own connection.

        A queue that processes share stays locked by one that is killed while it writes.
        """
        assert self._events is None, "there is one listener"
        self._events = _Events(ctx=get_context("spawn"))
        with _interrupts_held():
            self._events.start(_end_with_parent)
        queue = self._events.queue()
        threading.Thread(target=_listen, args=(queue, listener), daemon=True).start()
        return partial(_tell, str(self._events.address))

    def close(self) -> None:
        """Interrupt what is under way, and end all processes; those that take too long are killed."""
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
    """A worker process, and the next one when it has died."""

    number: int
    setting: str
    tasks: set[Future[Any]] = field(default_factory=set)
    """Those that have not ended."""
    _resources: Resources | None = None
    _pool: ProcessPoolExecutor | None = None
    _process: BaseProcess | None = None
    _handed: dict[str, Future[None]] = field(default_factory=dict)
    """What tasks share that the process has got."""

    def submit(
        self, resources: Resources, function: Callable[..., Result], arguments: tuple[Any, ...]
    ) -> Future[Result]:
        if self._process is None or resources != self._resources or self._has_ended(self._process):
            self.end()
            self._begin(resources)
        assert self._pool is not None and self._process is not None, "it has begun"
        for shared in arguments:
            if isinstance(shared, _Shared) and shared.key not in self._handed:
                self._handed[shared.key] = self._pool.submit(_keep, shared.key, shared.value)
        task = Future[Result]()
        self.tasks.add(task)
        settle = partial(self._settle, task, self._process, self._ready)
        self._pool.submit(_run, function, *arguments).add_done_callback(settle)
        return task

    @staticmethod
    def _has_ended(process: BaseProcess) -> bool:
        # `is_alive` takes one for alive while a thread of the executor is just waiting for it
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
        """End the process when its tasks have ended, or after some seconds."""
        if wait(self.tasks.copy(), patience).not_done:
            self.kill()
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def _begin(self, resources: Resources) -> None:
        context, arguments = get_context("spawn"), (self.number, resources)
        self._pool = ProcessPoolExecutor(1, context, initializer=begin_worker, initargs=arguments)
        self._resources, self._handed, others = resources, {}, set(active_children())
        with _interrupts_held():
            self._ready = self._pool.submit(os.getpid)
            (self._process,) = set(active_children()) - others

    def _settle(
        self, task: Future[Result], process: BaseProcess, ready: Future[int], ended: Future[Result]
    ) -> None:
        """Hand on how a task ended, in a thread of its executor."""
        self.tasks.discard(task)
        if ended.cancelled():
            task.cancel()
        elif isinstance(ended.exception(), BrokenProcessPool):
            process.join()
            status = process.exitcode or 0
            if status > 0 and ready.exception() is not None:
                said = f"worker process ended with status {status} before it could begin"
                task.set_exception(WorkerNotStartedError(said))
            else:
                task.set_exception(WorkerDiedError(_death(status, self.setting)))
        elif (error := ended.exception()) is not None:
            lost = (handed.exception() for handed in self._handed.values() if handed.done())
            task.set_exception(next(filter(None, lost), error))
        else:
            task.set_result(ended.result())


@dataclass(frozen=True)
class _Shared:
    """What tasks share; only the process that shares it has the value in it."""

    key: str
    value: Any = None

    def __call__(self) -> Any:
        return _kept[self.key]

    def __reduce__(self) -> tuple[type[_Shared], tuple[str]]:
        return _Shared, (self.key,)


#: What the tasks of this process share, by key.
_kept: dict[str, Any] = {}


def _keep(key: str, value: object) -> None:
    _kept[key] = value


class _Events(BaseManager):
    """Serves a queue of events, from a process of its own."""

    if TYPE_CHECKING:

        def queue(self) -> Queue[Any]:
            """Return the queue of that process."""


_queue: Queue[Any] = Queue()


def _queue_here() -> Queue[Any]:
    return _queue


_Events.register("queue", _queue_here)


def visible_gpus() -> list[str]:
    """Return the GPUs that CUDA may use, as its variable calls them: those that it names, or all."""
    if (named := os.environ.get("CUDA_VISIBLE_DEVICES")) is not None:
        return [gpu for gpu in named.split(",") if gpu.strip()]
    return [str(number) for number, _ in enumerate(GPUS.glob("*"))]


def _share(places: int) -> Resources:
    """Return an equal share of this machine. WorkerProcesses that are more than its GPUs share these.

    With more threads than cores, these wait for each other: a sentence was embedded at a third of the pace
    of one process.
    """
    return Resources(max(1, len(os.sched_getaffinity(0)) // places), 1 if visible_gpus() else 0)


def _death(status: int, setting: str) -> str:
    if status >= 0:
        return f"its worker process ended with status {status}"
    name = signal.Signals(-status).name
    memory = f" (out of memory? Lower {setting})" if name == "SIGKILL" else ""
    return f"its worker process was ended by {name}{memory}"


@contextlib.contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold interrupts back, also in processes that are begun meanwhile: Ctrl-C reaches all of a terminal."""
    resource_tracker.ensure_running()  # it lets interrupts through again when it begins
    held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, held)


def begin_worker(number: int, resources: Resources) -> None:
    """Prepare a worker process: only its parent interrupts it, which ends it without a word while it is idle.

    The numeric kernels are pinned by now, before an op loads numpy: to import this module did that.
    """
    os.environ.setdefault("OMP_NUM_THREADS", str(resources.processors))
    if resources.gpus and (gpus := visible_gpus()):
        first = number * resources.gpus
        chosen = [gpus[place % len(gpus)] for place in range(first, first + resources.gpus)]
        os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(dict.fromkeys(chosen))
    os.setpgid(0, 0)  # Ctrl-C goes to the parent's group
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    _end_with_parent()


def _end_with_parent() -> None:
    """End this process when its parent has ended, however it did."""

    def watch() -> None:
        parent = parent_process()
        assert parent is not None, "a worker has a parent"
        connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _run(function: Callable[..., Result], *arguments: Any) -> Result:
    """Run a task in a worker process; meanwhile an interrupt is raised as KeyboardInterrupt."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return function(*arguments)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def _listen(queue: Queue[Any], listener: EventSink) -> None:
    """Call a listener with what comes, until the queue is gone."""
    with contextlib.suppress(EOFError, OSError):
        while True:
            event = queue.get()
            with contextlib.suppress(Exception):  # such as a full disk, or a closed terminal
                listener(event)


def _tell(address: str, event: object) -> None:
    """Put an event into a queue, if it is still there; a worker that only gets the queue connects to it."""
    with contextlib.suppress(EOFError, OSError):
        _connected(address).put(event)


@cache
def _connected(address: str) -> Queue[Any]:
    """Return the queue that a process at an address serves: both have the key of their parent."""
    events = _Events(address)
    events.connect()
    return events.queue()
