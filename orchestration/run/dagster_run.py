"""Runs one partition as a Dagster run, in this process or in a worker, so that it shows in Dagster's UI.

Belongs here: single runs and how they ended. This module imports everything that a worker needs, Dagster
above all: an interrupt during an import kills a worker silently, so nothing may be imported later. Not here:
which partitions run (loop.py), Dagster's store (dagster/instance.py).
"""

from __future__ import annotations

import errno
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import dagster as dg

from silverloom.assets.declare.dagster_asset import asset_key
from silverloom.assets.declare.declaration import Dataset
from silverloom.orchestration.compat import REPOSITORY_LABEL_TAG, end_run, errors_once
from silverloom.orchestration.dagster.automation import DEFINITIONS
from silverloom.orchestration.dagster.instance import cause, dagster_errors, instance, quiet
from silverloom.orchestration.dagster.overview import groups
from silverloom.orchestration.dagster.past_runs import DATASET
from silverloom.orchestration.definitions import build, workspace
from silverloom.orchestration.executors.base import ClusterLostError, EventSink
from silverloom.orchestration.executors.parts import processes_of_partition
from silverloom.orchestration.files.full_disk import DiskFullError, with_its_type
from silverloom.orchestration.messages import describe, listening
from silverloom.orchestration.partition.store import Store
from silverloom.orchestration.workspace.workspace import Workspace

#: The code location's label in the webserver, which lists this process's runs under it.
REPOSITORY = f"__repository__@{DEFINITIONS}"

#: Whoever ran a command sees it fail: Dagster's daemon shall not run it again, whatever `run_retries` says.
NO_RETRY = {"dagster/max_retries": "0"}


@dataclass(frozen=True)
class Ran:
    """How a run ended."""

    run_id: str
    error: str | None
    lasting: DiskFullError | ClusterLostError | None = None
    """Set if every other partition would fail in the same way."""


@lru_cache(maxsize=1)
def _definitions(workspace: Workspace) -> dg.Definitions:
    # `commit=False`: the command's loop commits
    return build(workspace, {"store": Store(workspace, commit=False)}, with_health=False)


@lru_cache
def _job(workspace: Workspace, group: str) -> dg.JobDefinition:
    return _definitions(workspace).resolve_job_def(group)


def materialise(
    workspace: Workspace,
    dataset: Dataset,
    partition: str,
    run_id: str | None = None,
    tags: Mapping[str, str] | None = None,
) -> Ran:
    """Make one partition in this process, as a Dagster run of its own."""
    with errors_once(), dagster_errors():
        key = asset_key(dataset.key)
        result = _job(workspace, groups(workspace)[key]).execute_in_process(
            instance=instance(),
            partition_key=partition or None,
            asset_selection=[key],
            run_config=quiet(),
            raise_on_error=False,
            run_id=run_id,
            tags={REPOSITORY_LABEL_TAG: REPOSITORY, **NO_RETRY, DATASET: dataset.name, **(tags or {})},
        )
    if result.success:
        return Ran(result.run_id, None)
    if any(_interrupted(event) for event in result.all_events):
        raise KeyboardInterrupt
    error = cause(result.all_events)
    return Ran(result.run_id, error, _lasting(result.all_events, error))


def end(run_id: str, message: str) -> None:
    """Mark a run as failed after its process died. Runs that never began or have ended stay unchanged."""
    run = instance().get_run_by_id(run_id)
    if run is not None and not run.is_finished:
        end_run(instance(), run, message)


def _interrupted(event: dg.DagsterEvent) -> bool:
    """Return whether the user interrupted a step: Dagster reports that as an ordinary failure."""
    if not event.is_step_failure or event.step_failure_data.error is None:
        return False
    error = event.step_failure_data.error
    return any(
        raised is not None and raised.cls_name in ("DagsterExecutionInterruptedError", "KeyboardInterrupt")
        for raised in (error, error.cause)
    )


def _lasting(events: Iterable[dg.DagsterEvent], said: str) -> DiskFullError | ClusterLostError | None:
    """Return the error that ended a step, with the text `said`, if every other partition would meet it.

    Dagster keeps the names of the types of an error and its causes.
    """
    types = set()
    for event in events:
        error = event.step_failure_data.error if event.is_step_failure else None
        while error is not None:
            types.add(error.cls_name)
            error = error.cause
    if DiskFullError.__name__ in types:
        return DiskFullError(errno.ENOSPC, said)
    return ClusterLostError(said) if ClusterLostError.__name__ in types else None


def make(
    name: str, partition: str, run_id: str, tags: Mapping[str, str], processes: int, listener: EventSink
) -> tuple[Ran, float]:
    """Make one partition with up to so many processes. Return how its run ended, and the seconds it took."""
    begun = time.monotonic()
    processes_of_partition.set(processes)
    with listening(listener):
        try:
            ran = materialise(workspace(), workspace().datasets[name], partition, run_id, tags)
        except Exception as fault:
            error = with_its_type(fault)
            lasting = error if isinstance(error, (DiskFullError, ClusterLostError)) else None
            ran = Ran(run_id, describe(fault), lasting)
    return ran, time.monotonic() - begun
