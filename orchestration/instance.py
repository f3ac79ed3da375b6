"""Dagster's instance of this checkout, and one partition run on it in this process.

Belongs here: the instance and single runs. Not here: which partitions run (run.py, stage.py).
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TextIO, cast

import dagster as dg
from dagster._core.definitions.job_definition import JobDefinition
from dagster._core.storage.tags import REPOSITORY_LABEL_TAG

from assets.declaration import Declaration
from orchestration.store.disk import in_words
from orchestration.store.publish import lock_file, write_file

#: The code location as the webserver names it: runs of this process are found under it.
REPOSITORY = "__repository__@orchestration.definitions"
QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


@dataclass(frozen=True)
class Ran:
    """How a run ended."""

    run_id: str
    error: str | None


@lru_cache(maxsize=1)
def instance() -> dg.DagsterInstance:
    """Return the instance of this checkout (.dagster), made on first use."""
    home = Path(os.environ["DAGSTER_HOME"])
    home.mkdir(exist_ok=True)
    config = home / "dagster.yaml"
    wanted = (Path(__file__).parent / "dagster.yaml").read_text()
    # Two processes that open a fresh instance at once would both create its tables.
    with contextlib.closing(lock_file(home / ".opening", wait=True)):
        if not config.exists() or config.read_text() != wanted:
            write_file(config, wanted.encode())
        return dg.DagsterInstance.get()


class _Once:
    """Standard error without the errors that Dagster prints, with all of the event, and then raises."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        known = text.startswith("Exception while writing logger call to event log")
        return len(text) if known else self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def errors_once() -> contextlib.AbstractContextManager[Any]:
    """Let Dagster, while it runs something, only raise what it would also print: the command says it."""
    return contextlib.redirect_stderr(cast(TextIO, _Once(sys.stderr)))


@lru_cache(maxsize=1)
def _job() -> JobDefinition:
    from orchestration.definitions import build_definitions

    return build_definitions(commit=False).resolve_implicit_global_asset_job_def()


def materialise(
    item: Declaration, month: str, run_id: str | None = None, tags: Mapping[str, str] | None = None
) -> Ran:
    """Run one partition in this process, as a run of its own that the UI shows."""
    with errors_once():
        result = _job().execute_in_process(
            instance=instance(),
            partition_key=month or None,
            asset_selection=[item.key],
            run_config=QUIET,
            raise_on_error=False,
            run_id=run_id,
            tags={REPOSITORY_LABEL_TAG: REPOSITORY, **(tags or {})},
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
        instance().report_run_failed(run, message)


def _interrupted(event: dg.DagsterEvent) -> bool:
    """Say whether a step ended because the user ended it: Dagster makes an ordinary failure of that."""
    if not event.is_step_failure or event.step_failure_data.error is None:
        return False
    error = event.step_failure_data.error
    return any(
        one is not None and one.cls_name in ("DagsterExecutionInterruptedError", "KeyboardInterrupt")
        for one in (error, error.cause)
    )


def cause(events: Iterable[dg.DagsterEvent]) -> str:
    """Return the innermost message that was written for people, from the events of a failed run."""
    events = list(events)
    checks = [
        event.asset_check_evaluation_data
        for event in events
        if event.event_type_value == "ASSET_CHECK_EVALUATION"
    ]
    failed = [
        f"check {check.check_name} failed: {check.description}"
        for check in checks
        if not check.passed and check.severity == dg.AssetCheckSeverity.ERROR
    ]
    if failed:
        return "; ".join(failed)
    for event in events:
        if event.is_step_failure:
            data = event.step_failure_data
            if data.user_failure_data and data.user_failure_data.description:
                return str(data.user_failure_data.description)
            error = data.error
            while error is not None and error.cause is not None:
                error = error.cause
            message = error.message.strip() if error else "failed without a message"
            return in_words(message) or message
    return "failed before it began"


if __name__ == "__main__":
    from orchestration.command import run
    from orchestration.plots import write_template
    from orchestration.store import mlflow_store

    def main() -> None:
        """Make the stores of Dagster and MLflow, before processes run side by side, and the page of plots."""
        instance().dispose()
        mlflow_store.prepare(mlflow_store.STORE)
        write_template()

    run(main)
