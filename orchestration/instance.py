"""Dagster's instance of this checkout, and one partition run on it in this process.

Belongs here: the instance and single runs. Not here: which partitions run (run.py, stage.py).
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TextIO, TypeVar, cast

import dagster as dg
from dagster._core.definitions.job_definition import JobDefinition
from dagster._core.storage.tags import REPOSITORY_LABEL_TAG

from assets.declaration import Declaration
from orchestration.store.damage import make_folder
from orchestration.store.disk import in_words
from orchestration.store.publish import lock_file, write_changed
from orchestration.store.sqlite import damaged, set_damaged_aside

#: The code location as the webserver names it: runs of this process are found under it.
REPOSITORY = "__repository__@orchestration.definitions"

#: The files of Dagster's store below its home: a table that each has, and what is lost from sight with it.
_STORES = {
    "history/runs.db": ("runs", "the list of runs so far"),
    "history/runs/index.db": ("event_logs", "the history of assets so far"),
    "schedules/schedules.db": ("jobs", "what is known of schedules and sensors"),
}

T = TypeVar("T")

QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


@dataclass(frozen=True)
class Ran:
    """How a run ended."""

    run_id: str
    error: str | None


@lru_cache(maxsize=1)
def instance() -> dg.DagsterInstance:
    """Return the instance of this checkout (.dagster), made on first use."""
    config = _home() / "dagster.yaml"
    wanted = (Path(__file__).parent / "dagster.yaml").read_bytes()
    with _opening():
        write_changed(config, wanted)
        _set_damaged_aside()
        try:
            return dg.DagsterInstance.get()
        except Exception as error:
            if not damaged(error):
                raise
        _set_damaged_aside(thorough=True)
        return dg.DagsterInstance.get()


def with_store(action: Callable[[], T]) -> T:
    """Call `action`; where Dagster's store turns out to be damaged, begin a new one and call it again.

    Raises RuntimeError where that is of no use.
    """
    try:
        return action()
    except Exception as error:
        if not damaged(error):
            raise
    instance.cache_clear()
    with _opening():
        _set_damaged_aside(thorough=True)
    try:
        return action()
    except Exception as error:
        if not damaged(error):
            raise
        cause = str(error).partition("\n")[0]
        raise RuntimeError(f"Dagster's store cannot be used: {cause}; move .dagster away") from error


def _home() -> Path:
    return Path(os.environ["DAGSTER_HOME"])


@contextlib.contextmanager
def _opening() -> Iterator[None]:
    """Let one process at a time open the store: two would both create its tables, or set them aside."""
    make_folder(_home())
    with contextlib.closing(lock_file(_home() / ".opening", wait=True)):
        yield


def _set_damaged_aside(thorough: bool = False) -> None:
    """Set damaged files of the store aside: Dagster begins new ones, and sync.py tells it what is on disk."""
    stores = {_home() / name: what for name, what in _STORES.items()}
    for path in stores:
        make_folder(path.parent)
    if thorough:
        logs = (_home() / "history" / "runs").glob("*.db")
        stores = {**dict.fromkeys(logs, ("event_logs", "the log of a run")), **stores}
    for path, (table, held) in stores.items():
        set_damaged_aside(path, table, f"with {held}; Dagster begins a new one", thorough)


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
    run_ids = iter([run_id])  # a second attempt is another run
    with errors_once():
        result = with_store(
            lambda: _job().execute_in_process(
                instance=instance(),
                partition_key=month or None,
                asset_selection=[item.key],
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
