"""The executor of a Ray cluster: tasks on machines that share no file system with this one.

Belongs here: connecting to a cluster, what is asked of it for a task, tasks that are lost or take far too
long. Not here: how files travel (shipping.py), what a worker checks first (node.py), which tasks there are
(parts.py). Ray is imported by who asks for this module: most checkouts do without it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import statistics
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import ray
from ray.util.queue import Queue
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from orchestration.executors import node
from orchestration.executors.base import EventSink, Resources, Result, WorkerDiedError, WorkerNotStartedError
from orchestration.executors.shipping import Handle, Shipment, ShippedFile, loadable, packed, unpacked
from orchestration.workspace.environment import QUIET, STRICT

#: The variable that names the cluster; a process that starts one sets it for its own children.
ADDRESS = "SILVERLOOM_RAY_ADDRESS"

#: What workers need of a checkout: its code and params, no data.
CODE = ("assets", "ops", "orchestration", "pages", "models.txt", "params.yaml", "requirements.lock")

#: A task is started a second time when it takes so many times as long as half of those that have ended, of
#: which there are so many, and so many seconds.
SLOW, ENDED, SECONDS = 3.0, 5, 10.0

_LOST = "its worker died, {} times in a row: {}"


def connect(address: str, root: Path) -> None:
    """Connect this process to a cluster, once; `auto` is the one that runs here, `local` one that it starts.

    The code of the checkout at `root` goes along. Raises WorkerNotStartedError where there is no cluster.
    """
    if ray.is_initialized():
        return
    pinned = {name: os.environ[name] for name in (*STRICT, *QUIET) if name in os.environ}
    with tempfile.TemporaryDirectory(prefix="silverloom-") as place:
        _copy_code(root, Path(place))
        with _told_plainly(address):
            _probe(address)
            ray.init(
                address=address,
                runtime_env={"working_dir": place, "env_vars": pinned},
                log_to_driver=False,
                logging_level="warning",
                namespace="silverloom",
                **({"include_dashboard": False} if address == "local" else {}),
            )
    if address == "local":
        os.environ[ADDRESS] = ray.get_runtime_context().gcs_address


def _probe(address: str) -> None:
    """Raise OSError or ValueError where nobody listens at HOST:PORT: Ray would try again for minutes."""
    if address not in ("auto", "local"):
        host, _, port = address.rpartition(":")
        socket.create_connection((host, int(port)), timeout=10).close()


def _copy_code(root: Path, place: Path) -> None:
    unwanted = shutil.ignore_patterns("__pycache__", ".*")
    for name in CODE:
        if (root / name).is_dir():
            shutil.copytree(root / name, place / name, ignore=unwanted)
        elif (root / name).exists():
            shutil.copy(root / name, place / name)


@contextlib.contextmanager
def _told_plainly(address: str) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:  # connections and time-outs are of the first kind
        raise WorkerNotStartedError(
            f"no Ray cluster at {address!r}: start one by `ray start --head`, join it by"
            f" `ray start --address=HOST:PORT`, or let engine.address be local ({error})"
        ) from error


@dataclass
class Traffic:
    """Bytes that went through this process."""

    sent: int = 0
    received: int = 0


#: Of all executors of this process.
traffic = Traffic()


@dataclass(eq=False)
class _Task:
    """A task under way, perhaps twice."""

    future: Future[Any]
    start: Callable[..., Any]
    begun: float
    runs: list[Any]
    lost: int = 0
    """How often its worker died."""


@dataclass(frozen=True)
class _Ended:
    """How a task ended, as its worker tells it."""

    node: str
    seconds: float
    result: Any = None
    error: Exception | None = None


class RayExecutor:
    """Runs tasks on a cluster, to which this process is connected.

    A task whose worker or machine is lost is started again, `retries` times. An error that a task raises is
    its result: it is not tried again. `arrived` is called with each result in another thread, as soon as it
    is there; the future has what it returns.
    """

    def __init__(
        self,
        expected: node.Expected,
        resources: Resources | None = None,
        retries: int = 3,
        arrived: Callable[[Any], Any] | None = None,
    ) -> None:
        """Take what workers must have, and what each task needs of its machine."""
        self._resources = resources or Resources()
        self._retries = retries
        self._arrived = arrived
        self._token = uuid.uuid4().hex
        self._expected = ray.put(expected)
        self._places, self._counted = 0, 0.0
        self._tasks: list[_Task] = []
        self._seconds: list[float] = []
        self._used: set[str] = set()
        self._idle_since = time.monotonic()
        self._queues: list[Queue] = []
        self._lock = threading.Lock()
        self._changed = threading.Event()
        self._closed = False
        self._check_room(self._resources)
        self._run = _remote(self._resources)
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    @property
    def places(self) -> int:
        """How many tasks the machines that are alive have room for."""
        if not self._places or time.monotonic() - self._counted > 5.0:
            rooms = (_room(machine, self._resources) for machine in _machines())
            self._places, self._counted = max(1, sum(rooms)), time.monotonic()
        return self._places

    def submit(
        self, function: Callable[..., Result], *arguments: Any, resources: Resources | None = None
    ) -> Future[Result]:
        """Run a task; what it names of this machine's files goes along."""
        if resources is not None:
            self._check_room(resources)
        shipment = packed((function, arguments), self._put)
        chunks = [chunk for file in shipment.files for chunk in file.chunks]
        files = [ShippedFile(file.name, [None] * len(file.chunks)) for file in shipment.files]
        run = self._run if resources is None else _remote(resources)
        start = partial(
            run.remote,
            [self._expected],
            self._token,
            Shipment(shipment.content, files, shipment.handles),
            *chunks,
        )
        traffic.sent += len(shipment.content)
        task = _Task(Future[Any](), start, time.monotonic(), [start()])
        with self._lock:
            self._tasks.append(task)
        self._changed.set()
        return task.future

    def share(self, value: Result) -> Callable[[], Result]:
        """Put the value into the object store, with the files that it names; a machine gets them once."""
        shipment = packed(value, self._put)
        traffic.sent += len(shipment.content)
        return _Called(Handle([ray.put(shipment)], partial(_shared_there, self._token)))

    def channel(self, listener: EventSink) -> EventSink:
        """Return what tells the listener, by a queue of the cluster."""
        queue = Queue(actor_options={"num_cpus": 0})
        self._queues.append(queue)
        threading.Thread(target=_listen, args=(queue, listener), daemon=True).start()
        return _Called(Handle(queue, _sink_there))

    def close(self) -> None:
        """Cancel what is under way, and remove what the machines have of it."""
        with self._lock:
            self._closed, left, self._tasks = True, self._tasks, []
        self._changed.set()
        for task in left:
            for run in task.runs:
                ray.cancel(run, force=True)
            task.future.cancel()
        self._thread.join(timeout=10)
        for queue in self._queues:
            queue.shutdown(force=True)
        self._clear(all_machines=bool(left))

    def _clear(self, all_machines: bool) -> None:
        """Remove the folders of this executor; those of machines that are busy go with the next one's."""
        names = {machine["NodeID"] for machine in _machines()}
        removals = [
            ray.remote(node.remove)
            .options(num_cpus=0, scheduling_strategy=NodeAffinitySchedulingStrategy(name, soft=False))
            .remote(self._token)
            for name in (names if all_machines else names & self._used)
        ]
        if removals:
            ray.wait(removals, num_returns=len(removals), timeout=10)

    def _put(self, content: bytes) -> Any:
        traffic.sent += len(content)
        return ray.put(content)

    def _check_room(self, resources: Resources) -> None:
        if not any(_room(machine, resources) for machine in _machines()):
            memory = f" and {resources.memory} bytes of memory" if resources.memory else ""
            needs = f"{resources.processors} processors, {resources.gpus} GPUs{memory}"
            raise WorkerNotStartedError(
                f"no machine of the cluster has {needs} for a task: see engine.resources in params.yaml"
            )

    def _watch(self) -> None:
        """Hand on how tasks end, until this is closed."""
        while not self._closed:
            with self._lock:
                runs = {run: task for task in self._tasks for run in task.runs}
            if not runs:
                self._changed.wait(1.0)
                self._changed.clear()
                continue
            ready, _ = ray.wait(list(runs), timeout=0.1)
            if ready:
                ready, _ = ray.wait(list(runs), num_returns=len(runs), timeout=0)
            for run in ready:
                if run in runs[run].runs and not self._closed:
                    self._ended(runs[run], run)
            self._start_stragglers_again()

    def _ended(self, task: _Task, run: Any) -> None:
        task.runs.remove(run)
        try:
            ended: _Ended = ray.get(run)
        except ray.exceptions.RayError as error:
            if task.runs:  # the other one may do it
                return
            if task.lost < self._retries and _is_loss(error):
                task.lost += 1
                task.runs.append(task.start())
            else:
                self._settle(task, partial(_raised, _plain(error, task.lost)))
            return
        if ended.node:
            self._used.add(ended.node)
        self._seconds.append(ended.seconds)
        for slower in task.runs:
            ray.cancel(slower, force=True)
        self._settle(task, partial(self._received, ended))

    def _received(self, ended: _Ended) -> Any:
        if ended.error is not None:
            raise ended.error
        traffic.received += _size(ended.result)
        return ended.result if self._arrived is None else self._arrived(ended.result)

    def _settle(self, task: _Task, outcome: Callable[[], Any]) -> None:
        with self._lock:
            if task not in self._tasks:
                return
            self._tasks.remove(task)
        try:
            result = outcome()
        except Exception as error:
            task.future.set_exception(error)
        else:
            task.future.set_result(result)

    def _start_stragglers_again(self) -> None:
        """Start a task once more that takes far longer than others, while a place is idle."""
        now = time.monotonic()
        with self._lock:
            tasks = list(self._tasks)
        idle = self.places - sum(len(task.runs) for task in tasks)
        if idle <= 0:
            self._idle_since = now
            return
        if len(self._seconds) < ENDED:
            return
        limit = max(SLOW * statistics.median(self._seconds), SECONDS)
        for task in tasks:
            # before a place was idle, it may have waited for one
            if idle > 0 and len(task.runs) == 1 and now - max(task.begun, self._idle_since) > limit:
                task.runs.append(task.start())
                idle -= 1


def _remote(resources: Resources) -> Any:
    """Return the function of a task; a worker with a GPU is not ended after each, so models stay loaded.

    Ray itself starts no lost task again: one that is out of memory it would start again for ever.
    """
    return ray.remote(
        num_cpus=resources.processors,
        num_gpus=resources.gpus,
        memory=resources.memory or None,
        max_retries=0,
        max_calls=0,
    )(_run)


def _machines() -> list[Mapping[str, Any]]:
    return [machine for machine in ray.nodes() if machine["Alive"]]


def _room(machine: Mapping[str, Any], resources: Resources) -> int:
    """Return how many tasks a machine has room for."""
    has, needs = machine["Resources"], {"CPU": resources.processors, "GPU": resources.gpus}
    needs["memory"] = resources.memory
    return min(int(has.get(name, 0) // need) for name, need in needs.items() if need)


def _is_loss(error: Exception) -> bool:
    """Say whether a task is lost with its worker, and no fault of its own is known."""
    faults = (
        ray.exceptions.RayTaskError,
        ray.exceptions.RuntimeEnvSetupError,
        ray.exceptions.TaskCancelledError,
    )
    return not isinstance(error, faults)


def _plain(error: Exception, lost: int) -> Exception:
    """Return an error of Ray as one of an executor."""
    if isinstance(error, ray.exceptions.RayTaskError):  # raised before or behind the task
        return error.cause if isinstance(error.cause, Exception) else RuntimeError(str(error))
    if isinstance(error, ray.exceptions.RuntimeEnvSetupError):
        return WorkerNotStartedError(str(error))
    memory = isinstance(error, ray.exceptions.OutOfMemoryError)
    said = "out of memory, see engine.resources" if memory else str(error).strip().split("\n")[0]
    return WorkerDiedError(_LOST.format(lost + 1, said))


def _raised(error: Exception) -> Any:
    raise error


def _size(result: object) -> int:
    content = getattr(result, "content", b"")
    return len(content) if isinstance(content, bytes) else 0


@dataclass(frozen=True)
class _Called:
    """A handle that is a function in tasks."""

    handle: Handle

    def __call__(self, *arguments: Any) -> Any:
        return self.handle.there(self.handle.inner)(*arguments)

    def __reduce__(self) -> Any:
        return _same, (self.handle,)


def _same(value: Any) -> Any:
    return value


def _run(expected: Sequence[Any], token: str, shipment: Shipment, *chunks: bytes) -> _Ended:
    """Run a task in a worker."""
    began, rest = time.monotonic(), iter(chunks)
    files = [ShippedFile(file.name, [next(rest) for _ in file.chunks]) for file in shipment.files]
    name = ray.get_runtime_context().get_node_id()
    try:
        _check(expected[0])
        with tempfile.TemporaryDirectory(dir=node.folder(token)) as place:
            arrived = Shipment(shipment.content, files, shipment.handles)
            function, arguments = unpacked(arrived, Path(place), _same)
            result = function(*arguments)
    except Exception as error:
        return _Ended(name, time.monotonic() - began, error=loadable(error))
    return _Ended(name, time.monotonic() - began, result)


_checked: set[str] = set()


def _check(expected: Any) -> None:
    """Compare this worker with the driver, once for each executor."""
    if expected.hex() not in _checked:
        node.check(ray.get(expected))
        _checked.add(expected.hex())


_values: dict[str, Any] = {}


def _shared_there(token: str, references: Sequence[Any]) -> Callable[[], Any]:
    """Return what gives a task the value that all share; a worker keeps that of one executor."""
    return partial(_shared_value, token, references[0])


def _shared_value(token: str, reference: Any) -> Any:
    if (key := f"{token}/{reference.hex()}") not in _values:
        for former in [name for name in _values if not name.startswith(token)]:
            del _values[former]
        place = node.folder(token) / reference.hex()
        _values[key] = unpacked(ray.get(reference), place, ray.get)
    return _values[key]


def _sink_there(queue: Queue) -> EventSink:
    return partial(_tell, queue)


def _tell(queue: Queue, event: object) -> None:
    with contextlib.suppress(ray.exceptions.RayError):
        queue.put(event)


def _listen(queue: Queue, listener: EventSink) -> None:
    """Call a listener with what comes, until the queue is gone."""
    with contextlib.suppress(ray.exceptions.RayError):
        while True:
            event = queue.get()
            with contextlib.suppress(Exception):  # such as a full disk, or a closed terminal
                listener(event)
