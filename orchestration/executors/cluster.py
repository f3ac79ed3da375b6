"""The Ray cluster that this process is connected to: connecting, its head, its machines, their resources.

Belongs here: connecting, sending the code, the machines' capacities. Not here: tasks (ray.py), how long a run
waits for a lost machine (absence.py).
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeAlias

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from silverloom.assets.declare.project import import_root, project
from silverloom.orchestration.executors.base import (
    NO_CLUSTER,
    ClusterLostError,
    Resources,
    WorkerNotStartedError,
)
from silverloom.orchestration.workspace.environment import QUIET, STRICT

#: The variable with the cluster's address. A process that starts a cluster sets it for its children.
ADDRESS = "SILVERLOOM_RAY_ADDRESS"

#: The head is silent after so many seconds without an answer.
SILENT = 3.0

#: A machine as Ray describes it.
Machine: TypeAlias = Mapping[str, Any]


def connect(address: str, timeout: float, retries: int = 3) -> None:
    """Connect this process to a cluster, once. `auto` finds one on this machine, `local` starts one.

    The code that this process runs and the project's params.yaml are sent along, but no data. Tasks that run
    out of memory are restarted `retries` times; by default, Ray would restart them for ever. Raises
    ClusterLostError if there is no cluster, or if it does not answer within `timeout` seconds.
    """
    if ray.is_initialized():
        return
    os.environ.setdefault("RAY_task_oom_retries", str(retries))
    os.environ.setdefault("RAY_IGNORE_UNHANDLED_ERRORS", "1")  # the submitter reports a task's error
    pinned = {name: os.environ[name] for name in (*STRICT, *QUIET) if name in os.environ}
    with tempfile.TemporaryDirectory(prefix="silverloom-") as place:
        _copy_code(Path(place))
        with _told_plainly(address):
            _probe(address)
            options = {
                "address": address,
                "runtime_env": {"working_dir": place, "env_vars": pinned},
                "log_to_driver": False,
                "logging_level": "warning",
                "namespace": "silverloom",
            }
            if address == "local":  # its processes end with the thread that starts them
                ray.init(**options, include_dashboard=False)
            else:
                _in_thread(lambda: ray.init(**options)).result(timeout)
    if address == "local":
        os.environ[ADDRESS] = ray.get_runtime_context().gcs_address


def _probe(address: str) -> None:
    """Raise OSError or ValueError if nothing listens at HOST:PORT: Ray itself would retry for minutes."""
    if address not in ("auto", "local"):
        host, _, port = address.rpartition(":")
        socket.create_connection((host, int(port)), timeout=10).close()


def _copy_code(place: Path) -> None:
    unwanted = shutil.ignore_patterns("__pycache__", ".*")
    shutil.copytree(import_root() / "silverloom", place / "silverloom", ignore=unwanted)
    shutil.copy(project() / "params.yaml", place / "params.yaml")


@contextlib.contextmanager
def _told_plainly(address: str) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError, RuntimeError) as error:  # connection errors and time-outs are OSErrors
        cause = str(error) or "it does not answer"
        raise ClusterLostError(
            f"{NO_CLUSTER} at {address!r}: start one with `ray start --head`, join machines with"
            f" `ray start --address=HOST:PORT`, or set engine.address to local ({cause})"
        ) from error


def _in_thread(call: Callable[[], Any]) -> Future[Any]:
    """Call a function of Ray that may never return in a thread of its own."""
    future = Future[Any]()

    def run() -> None:
        try:
            future.set_result(call())
        except Exception as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future


class ClusterHead:
    """The cluster's head. `ask` returns its machines, lost ones too, and may never return."""

    def __init__(
        self,
        ask: Callable[[], Sequence[Machine]] = ray.nodes,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._ask, self._clock, self._asked = ask, clock, 0.0
        self._lock = threading.Lock()
        self._answer: Future[Sequence[Machine]] | None = None
        self._machines: Sequence[Machine] = ()
        self._resources: dict[str, Mapping[str, float]] = {}

    @property
    def silent(self) -> bool:
        """Whether a question has had no answer for some seconds."""
        return self._answer is not None and self._clock() - self._asked > SILENT

    def machines(self, timeout: float = 10.0) -> Sequence[Machine]:
        """Return all machines. After `timeout` seconds without an answer, return those of the last answer.

        Lost machines keep the resources that they had.
        """
        with self._lock:
            if self._answer is None:
                self._answer, self._asked = _in_thread(self._ask), self._clock()
            answer = self._answer
        try:
            machines = answer.result(timeout)
        except TimeoutError:
            return self._machines
        finally:
            with self._lock:
                if answer.done() and self._answer is answer:
                    self._answer = None
        self._machines = [{**machine, "Resources": self._had(machine)} for machine in machines]
        return self._machines

    def _had(self, machine: Machine) -> Mapping[str, float]:
        if machine["Alive"]:
            self._resources[machine["NodeID"]] = machine["Resources"]
        return self._resources.get(machine["NodeID"], {})


#: The head of the cluster that this process is connected to.
HEAD = ClusterHead()


def machines() -> list[Machine]:
    """Return the live machines of the cluster."""
    return [machine for machine in HEAD.machines() if machine["Alive"]]


def room(machine: Machine, resources: Resources) -> int:
    """Return how many tasks fit on a machine."""
    has, needs = machine["Resources"], {"CPU": resources.processors, "GPU": resources.gpus}
    needs["memory"] = resources.memory
    return min(int(has.get(name, 0) // need) for name, need in needs.items() if need)


def needs(resources: Resources) -> str:
    """Return what a task needs, as text."""
    memory = f" and {resources.memory} bytes of memory" if resources.memory else ""
    return f"{resources.processors} processors, {resources.gpus} GPUs{memory}"


def check_room(resources: Resources) -> None:
    """Raise WorkerNotStartedError if no machine has what a task needs, not even a lost one."""
    if not any(room(machine, resources) for machine in HEAD.machines()):
        raise WorkerNotStartedError(
            f"no machine in the cluster has {needs(resources)} for a task:"
            " see engine.resources in params.yaml"
        )


def on_machine(name: str) -> NodeAffinitySchedulingStrategy:
    """Return the scheduling strategy that pins a task to a machine."""
    return NodeAffinitySchedulingStrategy(name, soft=False)


def this_machine() -> str:
    """Return the name of this process's machine."""
    return str(ray.get_runtime_context().get_node_id())
