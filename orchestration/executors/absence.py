"""How long a run waits for a cluster on which no task can run.

Belongs here: why no task can run, and the end of waiting for it. Not here: the cluster's head and machines
(cluster.py), tasks whose worker was lost (ray.py).
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import ray

from silverloom.orchestration.executors.base import (
    NO_CLUSTER,
    ClusterLostError,
    EventSink,
    Resources,
    WorkerNotStartedError,
)
from silverloom.orchestration.executors.cluster import ClusterHead, Machine, needs, room

#: Seconds until people are told that a run waits, and the interval after that.
FIRST, EVERY = 10.0, 30.0

#: Ray ends a process without a word after so many seconds without the head. The variable is Ray's.
RECONNECT, SECONDS = "RAY_gcs_rpc_server_reconnect_timeout_s", 60.0

#: How many seconds before that a run ends with an error.
BEFORE = 15.0


@dataclass(frozen=True)
class Absence:
    """Why no task can run."""

    missing: str
    cause: str
    remedy: str
    whole: bool = True
    """Whether no other task could run either."""
    most: float = float("inf")
    """The most seconds to wait."""

    @staticmethod
    def of(head: ClusterHead, resources: Resources) -> Absence | None:
        """Return why no machine can run a task with such needs, or None if one can."""
        machines = head.machines(timeout=1.0)
        if head.silent:
            most = float(os.environ.get(RECONNECT, SECONDS)) - BEFORE
            remedy = "start it again with `ray start --head`, and join the machines again"
            return Absence("no answer from Ray's head", f"at {_address()}", remedy, most=max(most, 1.0))
        if any(machine["Alive"] and room(machine, resources) for machine in machines):
            return None
        lost = [machine for machine in machines if not machine["Alive"]]
        able = [machine for machine in lost if room(machine, resources)] or lost
        cause = "; ".join(map(_loss, able[-3:])) or "every machine has left"
        remedy = f"start it again with `ray start --address={_address()}`"
        if any(machine["Alive"] and room(machine, Resources()) for machine in machines):
            return Absence(f"no node with {needs(resources)}", cause, remedy, whole=False)
        return Absence("no node", cause, remedy)


def _loss(machine: Machine) -> str:
    name, address = machine["NodeManagerHostname"], machine["NodeManagerAddress"]
    reason = machine.get("DeathReasonMessage") or "no reason is known"
    return f"{name} ({address}) was lost, {reason}"


def _address() -> str:
    # asking for its context would start a cluster for a process without one
    return str(ray.get_runtime_context().gcs_address) if ray.is_initialized() else "HOST:PORT"


@dataclass
class Patience:
    """Ends the waiting for a cluster after `limit` seconds; until then, `tell` gets a line now and then."""

    limit: float = 300.0
    tell: EventSink = field(default=lambda text: None)
    clock: Callable[[], float] = time.monotonic
    _missing: str = field(default="", init=False)
    _since: float = field(default=0.0, init=False)
    _next: float = field(default=0.0, init=False)

    def check(self, absence: Absence | None) -> None:
        """Note why no task can run now, or that one can.

        Raises ClusterLostError once the cause has lasted too long, WorkerNotStartedError if tasks with other
        needs could run.
        """
        now = self.clock()
        if absence is None:
            self._missing = ""
            return
        if absence.missing != self._missing:
            self._missing, self._since, self._next = absence.missing, now, now + FIRST
        waited, limit = now - self._since, min(self.limit, absence.most)
        if waited >= limit:
            said = (
                f"{absence.missing} for {_minutes(waited)}: {absence.cause}; {absence.remedy}, then run again"
                " (finished parts are kept; engine.node_timeout is how long a run waits)"
            )
            if absence.whole:
                raise ClusterLostError(f"{NO_CLUSTER} any more: {said}")
            raise WorkerNotStartedError(said)
        if now >= self._next:
            self._next = now + EVERY
            with contextlib.suppress(Exception):  # such as a full disk, or a closed terminal
                self.tell(f"{absence.missing} for {_minutes(waited)} of {_minutes(limit)}: {absence.cause}")


def _minutes(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d}"
