"""The Ray cluster that this process is connected to: connecting, its machines, their resources.

Belongs here: connecting, sending the code, the machines' capacities. Not here: tasks (ray.py).
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from assets.declare.settings import project
from orchestration.executors.base import Resources, WorkerNotStartedError
from orchestration.workspace.workspace import QUIET, STRICT

#: The variable with the cluster's address. A process that starts a cluster sets it for its children.
ADDRESS = "SILVERLOOM_RAY_ADDRESS"

#: What workers need from a checkout; params.yaml is the project's, and no data is sent along.
CODE = ("assets", "ops", "orchestration", "pages", "models.txt", "requirements.lock")


def connect(address: str, root: Path) -> None:
    """Connect this process to a cluster, once. `auto` finds one on this machine, `local` starts one.

    The code of the checkout at `root` and params.yaml are sent along. Raises WorkerNotStartedError if there
    is no cluster.
    """
    if ray.is_initialized():
        return
    os.environ.setdefault("RAY_IGNORE_UNHANDLED_ERRORS", "1")  # the submitter reports a task's error
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
    """Raise OSError or ValueError if nothing listens at HOST:PORT: Ray itself would retry for minutes."""
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
    shutil.copy(project() / "params.yaml", place / "params.yaml")


@contextlib.contextmanager
def _told_plainly(address: str) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:  # connection errors and time-outs are OSErrors
        raise WorkerNotStartedError(
            f"no Ray cluster at {address!r}: start one with `ray start --head`, join machines with"
            f" `ray start --address=HOST:PORT`, or set engine.address to local ({error})"
        ) from error


def machines() -> list[Mapping[str, Any]]:
    """Return the live machines of the cluster."""
    return [machine for machine in ray.nodes() if machine["Alive"]]


def room(machine: Mapping[str, Any], resources: Resources) -> int:
    """Return how many tasks fit on a machine."""
    has, needs = machine["Resources"], {"CPU": resources.processors, "GPU": resources.gpus}
    needs["memory"] = resources.memory
    return min(int(has.get(name, 0) // need) for name, need in needs.items() if need)


def check_room(resources: Resources) -> None:
    """Raise WorkerNotStartedError if no machine has what a task needs."""
    if not any(room(machine, resources) for machine in machines()):
        memory = f" and {resources.memory} bytes of memory" if resources.memory else ""
        needs = f"{resources.processors} processors, {resources.gpus} GPUs{memory}"
        raise WorkerNotStartedError(
            f"no machine in the cluster has {needs} for a task: see engine.resources in params.yaml"
        )


def on_machine(name: str) -> NodeAffinitySchedulingStrategy:
    """Return the scheduling strategy that pins a task to a machine."""
    return NodeAffinitySchedulingStrategy(name, soft=False)


def this_machine() -> str:
    """Return the name of this process's machine."""
    return str(ray.get_runtime_context().get_node_id())
