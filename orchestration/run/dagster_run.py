"""One partition as a run of Dagster, in this process or in a worker, which Dagster's UI shows like any other
run.

Belongs here: single runs and how they ended; all that a worker imports, Dagster above all: an interrupt ends
a worker without a word while it imports this module, so nothing is imported later. Not here: which
partitions run (loop.py), Dagster's store (dagster/instance.py).
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import dagster as dg

from assets.declare.dataset import asset_key
from assets.declare.declaration import Declaration
from orchestration.compat import REPOSITORY_LABEL_TAG, asset_job, end_run
from orchestration.dagster.instance import QUIET, cause, errors_once, instance, with_store
from orchestration.definitions import build, workspace
from orchestration.executors.base import EventSink
from orchestration.messages import describe, listening
from orchestration.partition.materialise import Store
from orchestration.workspace.workspace import Workspace

#: The code location as the webserver names it: runs of this process are found under it.
REPOSITORY = "__repository__@orchestration.definitions"


@dataclass(frozen=True)
class Ran:
    """How a run ended."""

    run_id: str
    error: str | None


@lru_cache(maxsize=1)
def _job(workspace: Workspace) -> dg.JobDefinition:
    # the loop of the command commits
    found = build(workspace, {"store": Store(workspace, commit=False)}, with_health=False)
    return asset_job(found)


def materialise(
    workspace: Workspace,
    dataset: Declaration,
    partition: str,
    run_id: str | None = None,
    tags: Mapping[str, str] | None = None,
) -> Ran:
    """Run one partition in this process, as a run of its own that the UI shows."""
    run_ids = iter([run_id])  # a second attempt is another run
    with errors_once():
        result = with_store(
            lambda: _job(workspace).execute_in_process(
                instance=instance(),
                partition_key=partition or None,
                asset_selection=[asset_key(dataset.key)],
                run_config=QUIET,
                raise_on_error=False,
                run_id=next(run_ids, None),
                tags={REPOSITORY_LABEL_TAG: REPOSITORY, **(tags or {})},
            )
        )
    if result.success:
        return Ran(result.run_id, None)
    if any(_interrupted(event) for event in result.all_events):
        raise KeyboardInterrupt
    return Ran(result.run_id, cause(result.all_events))


def end(run_id: str, message: str) -> None:
    """Mark a run as failed whose process is gone; one that never began or has ended stays as it is."""
    run = instance().get_run_by_id(run_id)
    if run is not None and not run.is_finished:
        end_run(instance(), run, message)


def _interrupted(event: dg.DagsterEvent) -> bool:
    """Say whether a step ended because the user ended it: Dagster makes an ordinary failure of that."""
    if not event.is_step_failure or event.step_failure_data.error is None:
        return False
    error = event.step_failure_data.error
    return any(
        raised is not None and raised.cls_name in ("DagsterExecutionInterruptedError", "KeyboardInterrupt")
        for raised in (error, error.cause)
    )


def make(
    name: str, partition: str, run_id: str, tags: Mapping[str, str], listener: EventSink
) -> tuple[str | None, float]:
    """Make a partition of a dataset; return why it failed, if it did, and the seconds it took."""
    begun = time.monotonic()
    with listening(listener):
        try:
            error = materialise(workspace(), workspace().datasets[name], partition, run_id, tags).error
        except Exception as fault:
            error = describe(fault)
    return error, time.monotonic() - begun
