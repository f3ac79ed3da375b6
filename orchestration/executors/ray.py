"""The executor for a Ray cluster: tasks on machines that share no file system with this one.

Belongs here: submitting tasks to the cluster, receiving their results, translating Ray's errors. Ray itself
restarts lost tasks. Not here: the cluster itself (cluster.py), how long to wait for a machine (absence.py),
what runs in a worker (worker.py), how files travel (shipping.py), the tasks themselves (parts.py). Only code
that needs a cluster imports this module: most checkouts have no Ray.
"""

from __future__ import annotations

import atexit
import contextlib
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from typing import Any

import ray
from ray.util.queue import Queue

from silverloom.orchestration.executors import node, worker
from silverloom.orchestration.executors.absence import Absence, Patience
from silverloom.orchestration.executors.base import (
    EventSink,
    Resources,
    Result,
    WorkerDiedError,
    WorkerNotStartedError,
)
from silverloom.orchestration.executors.cluster import (
    HEAD,
    check_room,
    machines,
    on_machine,
    room,
    this_machine,
)
from silverloom.orchestration.executors.shipping import Handle, Shipment, ShippedFile, packed


@dataclass
class Traffic:
    """Bytes that this process sent and received."""

    sent: int = 0
    received: int = 0


#: The total of all executors in this process.
traffic = Traffic()

#: The last event in a channel's queue.
_NO_MORE = "no more events"


class RayExecutor:
    """Runs tasks on the cluster to which this process is connected.

    Ray restarts a task whose worker or machine is lost, up to `retries` times. An error raised by a task is
    its result, and is not retried. `arrived` is called with each result in another thread, as soon as it
    exists; the future then has the return value. If no machine comes back in time, all tasks end with the
    error of `patience`.
    """

    def __init__(
        self,
        expected: node.Expected,
        resources: Resources | None = None,
        retries: int = 3,
        arrived: Callable[[Any], Any] | None = None,
        patience: Patience | None = None,
    ) -> None:
        """`expected` is what workers must have, `resources` what each task needs."""
        self.resources = resources or Resources()
        self._arrived = arrived
        self._patience = patience or Patience()
        self._failure: Exception | None = None
        self._token = uuid.uuid4().hex
        self._expected = ray.put(expected)
        self._places, self._counted = 0, 0.0
        self._tasks: dict[Any, Future[Any]] = {}
        self._used: set[str] = set()
        self._channels: list[tuple[Queue, threading.Thread]] = []
        self._lock = threading.Lock()
        self._changed = threading.Event()
        self._closed = False
        HEAD.machines()
        while HEAD.silent:  # Ray would wait for it without end
            self._check_cluster()
        check_room(self.resources)
        self.retries = retries
        self._run = remote(worker.run, self.resources, retries)
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    @property
    def places(self) -> int:
        """How many tasks fit on the machines that are alive."""
        if not self._places or time.monotonic() - self._counted > 5.0:
            rooms = (room(machine, self.resources) for machine in machines())
            self._places, self._counted = max(1, sum(rooms)), time.monotonic()
        return self._places

    def submit(self, function: Callable[..., Result], *arguments: Any) -> Future[Result]:
        """Run a task; files of this machine that its arguments refer to are sent along."""
        return self._begun(self._run, *self.sent((function, arguments)))

    def submit_once(self, function: Callable[..., Result], *arguments: Any) -> Future[Result]:
        """Run a task that is not restarted, because newer arguments may then exist, such as checkpoints.

        Its files may exceed a machine's object store, because the task fetches them one by one.
        """
        task = self._run.options(max_retries=0)
        return self._begun(task, [self._expected], self._token, self._packed((function, arguments)))

    def _begun(self, task: Any, *sent: Any) -> Future[Any]:
        future = Future[Any]()
        with self._lock:
            if self._failure is not None:
                raise self._failure
            self._tasks[task.remote(*sent)] = future
        self._changed.set()
        return future

    def sent(self, value: object) -> tuple[Any, ...]:
        """Return arguments from which `worker.arrived` restores a value; its files go to the object store."""
        shipment = self._packed(value)
        chunks = [chunk for file in shipment.files for chunk in file.chunks]
        files = [ShippedFile(file.name, [None] * len(file.chunks)) for file in shipment.files]
        return [self._expected], self._token, Shipment(shipment.value, files, shipment.size), *chunks

    def share(self, value: Result) -> Callable[[], Result]:
        """Put a value, with the files that it refers to, into the object store; each machine gets it once."""
        return Handle([ray.put(self._packed(value))], partial(worker.shared_there, self._token))

    def channel(self, listener: EventSink) -> EventSink:
        """Return an event sink for tasks; it uses a Ray queue, which is on this machine."""
        queue = Queue(actor_options={"num_cpus": 0, "scheduling_strategy": on_machine(this_machine())})
        thread = threading.Thread(target=_listen, args=(queue, listener), daemon=True)
        thread.start()
        self._channels.append((queue, thread))
        return Handle(queue, worker.sink_there)

    def close(self) -> None:
        """Cancel running tasks, deliver pending events, and remove the executor's files from the machines."""
        with self._lock:
            self._closed, left, self._tasks = True, self._tasks, {}
        self._changed.set()
        for run, future in left.items():
            ray.cancel(run, force=True)
            future.cancel()
        self._thread.join(timeout=10)
        if HEAD.silent:  # Ray would wait for it here, and at the end of this process
            atexit.unregister(ray.shutdown)
            return
        for queue, thread in self._channels:
            with contextlib.suppress(ray.exceptions.RayError):
                queue.put(_NO_MORE)
                thread.join(timeout=60)
            queue.shutdown(force=True)
        self._clear(all_machines=bool(left))

    def wait(self, runs: Sequence[Any], count: int = 1) -> None:
        """Wait until `count` tasks that `submit` did not start have ended. Raises like `patience`."""
        while len(ray.wait(list(runs), num_returns=count, timeout=1.0)[0]) < count:
            self._check_cluster()

    def used(self, name: str) -> None:
        """Record that a machine has files of this executor."""
        self._used.add(name)

    def _clear(self, all_machines: bool) -> None:
        """Remove this executor's folders; on busy machines, the next executor sweeps them."""
        names = {machine["NodeID"] for machine in machines()}
        removals = [
            ray.remote(node.remove)
            .options(num_cpus=0, scheduling_strategy=on_machine(name))
            .remote(self._token)
            for name in (names if all_machines else names & self._used)
        ]
        if removals:
            ray.wait(removals, num_returns=len(removals), timeout=10)

    def _packed(self, value: object) -> Shipment:
        shipment = packed(value, self._put)
        traffic.sent += shipment.size
        return shipment

    def _put(self, content: bytes) -> Any:
        traffic.sent += len(content)
        return ray.put(content)

    def _watch(self) -> None:
        """Pass on how tasks end, until the executor is closed. If that fails, all tasks fail."""
        try:
            self._pass_on()
        except Exception as error:
            with self._lock:
                self._failure, left = error, list(self._tasks)
            for run in left:
                self._resolve(run, partial(_raised, error))

    def _pass_on(self) -> None:
        checked = time.monotonic()
        while not self._closed:
            with self._lock:
                runs = list(self._tasks)
            if not runs:
                self._changed.wait(1.0)
                self._changed.clear()
                continue
            ready, _ = ray.wait(runs, timeout=0.1)
            if ready:
                ready, _ = ray.wait(runs, num_returns=len(runs), timeout=0)
            for run in ready:
                if not self._closed:
                    self._resolve(run, partial(self._received, run))
            if time.monotonic() - checked > 1.0:
                self._check_cluster()
                checked = time.monotonic()

    def _check_cluster(self) -> None:
        """Raise WorkerNotStartedError once no machine could run a task for too long."""
        self._patience.check(Absence.of(HEAD, self.resources))

    def _received(self, run: Any) -> Any:
        try:
            ended: worker.Ended = ray.get(run)
        except ray.exceptions.RayError as error:
            raise error_of_loss(error) from error
        self.used(ended.node)
        if ended.error is not None:
            raise ended.error
        traffic.received += size_of(ended.result)
        return ended.result if self._arrived is None else self._arrived(ended.result)

    def _resolve(self, run: Any, outcome: Callable[[], Any]) -> None:
        with self._lock:
            future = self._tasks.pop(run, None)
        if future is None:
            return
        try:
            result = outcome()
        except Exception as error:
            future.set_exception(error)
        else:
            future.set_result(result)


def remote(function: Callable[..., Any], resources: Resources, retries: int) -> Any:
    """Return Ray's remote function for tasks that need resources; Ray restarts lost ones `retries` times.

    A worker with a GPU is reused, so that models stay loaded.
    """
    return ray.remote(
        num_cpus=resources.processors,
        num_gpus=resources.gpus,
        memory=resources.memory or None,
        max_retries=retries,
        max_calls=0,
    )(function)


def error_of_loss(error: Exception) -> Exception:
    """Translate an error from Ray into one of an executor's errors."""
    if isinstance(error, ray.exceptions.RayTaskError):  # raised before or after the task itself
        cause = error.cause
        if isinstance(cause, ray.exceptions.RayError):  # a result that it needed was lost
            return error_of_loss(cause)
        return cause if isinstance(cause, Exception) else RuntimeError(str(error))
    if isinstance(error, ray.exceptions.RuntimeEnvSetupError):
        return WorkerNotStartedError(str(error))
    memory = isinstance(error, ray.exceptions.OutOfMemoryError)
    said = "out of memory, see engine.resources" if memory else str(error).strip().split("\n")[0]
    return WorkerDiedError(f"its worker died: {said}")


def _raised(error: Exception) -> Any:
    raise error


def size_of(result: object) -> int:
    """Return the bytes of content in a result, or in several."""
    if isinstance(result, list | tuple):
        return sum(map(size_of, result))
    content = getattr(result, "content", result)
    return len(content) if isinstance(content, bytes) else 0


def _listen(queue: Queue, listener: EventSink) -> None:
    """Pass events to a listener until the queue ends or is gone."""
    with contextlib.suppress(ray.exceptions.RayError):
        while (event := queue.get()) != _NO_MORE:
            with contextlib.suppress(Exception):  # such as a full disk, or a closed terminal
                listener(event)
