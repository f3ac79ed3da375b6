"""One partition run in this process, as a run of its own that Dagster's UI shows.

Belongs here: single runs and how they ended. Not here: which partitions run (drivers/), Dagster's store
(instance.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import dagster as dg

from assets.declare.dagster_asset import asset_key
from assets.declare.declaration import Declaration
from orchestration.compat import REPOSITORY_LABEL_TAG
from orchestration.dagster.build import build_definitions
from orchestration.dagster.console_log import write_console_log
from orchestration.dagster.instance import QUIET, cause, errors_once, instance, with_store
from orchestration.workspace.workspace import Workspace

#: The code location as the webserver names it: runs of this process are found under it.
REPOSITORY = "__repository__@orchestration.dagster.definitions"


@dataclass(frozen=True)
class Ran:
    """How a run ended."""

    run_id: str
    error: str | None


@lru_cache(maxsize=1)
def _job(workspace: Workspace) -> dg.JobDefinition:
    return build_definitions(workspace, commit=False).resolve_implicit_global_asset_job_def()


def materialise(
    workspace: Workspace,
    item: Declaration,
    month: str,
    run_id: str | None = None,
    tags: Mapping[str, str] | None = None,
) -> Ran:
    """Run one partition in this process, as a run of its own that the UI shows."""
    run_ids = iter([run_id])  # a second attempt is another run
    with errors_once():
        result = with_store(
            lambda: _job(workspace).execute_in_process(
                instance=instance(),
                partition_key=month or None,
                asset_selection=[asset_key(item.key)],
                run_config=QUIET,
                raise_on_error=False,
                run_id=next(run_ids, None),
                tags={REPOSITORY_LABEL_TAG: REPOSITORY, **(tags or {})},
            )
        )
    write_console_log(result)
    if result.success:
        return Ran(result.run_id, None)
    if any(_interrupted(event) for event in result.all_events):
        raise KeyboardInterrupt
    return Ran(result.run_id, cause(result.all_events))


def end(run_id: str, message: str) -> None:
    """Mark a run as failed whose process is gone; one that never began or has ended stays as it is."""
    run = instance().get_run_by_id(run_id)
    if run is not None and not run.is_finished:
        instance().report_run_failed(run, message)


def _interrupted(event: dg.DagsterEvent) -> bool:
    """Say whether a step ended because the user ended it: Dagster makes an ordinary failure of that."""
    if not event.is_step_failure or event.step_failure_data.error is None:
        return False
    error = event.step_failure_data.error
    return any(
        raised is not None and raised.cls_name in ("DagsterExecutionInterruptedError", "KeyboardInterrupt")
        for raised in (error, error.cause)
    )
