"""What we need from other tools but can only get from their private APIs.

Belongs here: private names of other tools, each with a test that fails when they change. Not here: their use
(partition/dagster_events.py, dagster/, run/, mlflow/, serve/).

Dagster's tags: Dagster writes them on what its own runs make, and its staleness and lists of runs depend on
them. What was made elsewhere is reported with the same tags: `report_runless_asset_event` takes tags, but no
public name says which (dagster-io/dagster#21436).

Dagster's instance: opening it with settings other than dagster.yaml's, the log of one run, the last attempt
at a partition, ending a run whose process is gone, the job of all assets, a run's place in the timeline.
Dagster's servers do all of these, but its public API has no methods for them. dagster.yaml names classes by
private modules, as Dagster's documentation does (dagster-io/dagster#2802). Its event log prints an error
with the whole event before it raises it, and no setting turns that off: the line is known by its first
words.

Dagster's web application: `dagster-webserver` serves it on a TCP port that any page in a browser can reach
(dagster-io/dagster#19873), and supports neither middleware nor a Unix socket. To put it behind a guard, we
build it here.

DVC's commit: the class `Repo` has it. DVC's maintainers recommend that class for this (treeverse/dvc#7071),
but it is undocumented, and its errors are in separate modules. It only logs why a file could not be copied
to its cache, and records it all the same.

Errors that only their words tell apart, because their types mean more than one thing: Ctrl-C while pydantic
builds a model (cli/command.py), DuckDB's full disk (files/full_disk.py), too many redirects and too large a
page in Scrapy (ops/crawl/spider.py), too deep JSON (ops/parse/decoding.py). A rejected row stores its cause
as text (ops/parse/files.py).

Great Expectations' results: only a checkpoint stores what it validates itself
(great-expectations/great_expectations#3658). Known results go into the same store, whose classes its
documentation does not list.

MLflow's store: its client creates the experiment `Default` with an absolute path of this machine, and only
`mlflow server` accepts another root (mlflow/mlflow#2953).
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator, Mapping, Set
from contextlib import AbstractContextManager, contextmanager, redirect_stderr
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, cast

from dagster import (
    AssetKey,
    DagsterEvent,
    DagsterEventType,
    DagsterInstance,
    DagsterRun,
)
from dagster._core.definitions.data_version import (
    CODE_VERSION_TAG,
    DATA_VERSION_IS_USER_PROVIDED_TAG,
    DATA_VERSION_TAG,
    SKIP_PARTITION_DATA_VERSION_DEPENDENCY_THRESHOLD,
    get_input_data_version_tag,
    get_input_event_pointer_tag,
)
from dagster._core.remote_origin import RegisteredCodeLocationOrigin, RemoteRepositoryOrigin
from dagster._core.storage.tags import REPOSITORY_LABEL_TAG

if TYPE_CHECKING:
    from starlette.types import ASGIApp

__all__ = [
    "CODE_VERSION_TAG",
    "DATA_VERSION_IS_USER_PROVIDED_TAG",
    "DATA_VERSION_TAG",
    "REPOSITORY_LABEL_TAG",
    "SKIP_PARTITION_DATA_VERSION_DEPENDENCY_THRESHOLD",
    "get_input_data_version_tag",
    "get_input_event_pointer_tag",
]

#: Instance settings that keep all events in one SQLite file. Dagster's default creates a file for every run
#: and reads it from the start.
ONE_EVENT_LOG = b"""
event_log_storage:
  module: dagster._core.storage.event_log
  class: ConsolidatedSqliteEventLogStorage
  config:
    base_dir: {env: DAGSTER_HOME}
"""

#: Instance settings that do not capture the output of runs.
NO_CAPTURE = b"""
compute_logs:
  module: dagster._core.storage.noop_compute_log_manager
  class: NoOpComputeLogManager
"""


def open_instance(home: Path, settings: str) -> DagsterInstance:
    """Return an instance with the settings in a file in its home folder."""
    return DagsterInstance.from_config(str(home), settings)


def events_of_run(instance: DagsterInstance, run_id: str, kinds: Set[DagsterEventType]) -> list[DagsterEvent]:
    """Return a run's events of some kinds, oldest first."""
    logs = instance.all_logs(run_id, of_type=set(kinds))
    return [entry.dagster_event for entry in logs if entry.dagster_event]


def add_to_timeline(instance: DagsterInstance, run: DagsterRun) -> None:
    """Show a run in the timeline, as those of Dagster's servers are, under the repository in its tags."""
    label, stored = run.tags.get(REPOSITORY_LABEL_TAG), instance.get_run_by_id(run.run_id)
    if label and stored is not None and stored.remote_job_origin is None:
        repository, _, location = label.partition("@")
        origin = RemoteRepositoryOrigin(RegisteredCodeLocationOrigin(location), repository)
        instance.run_storage.replace_job_origin(stored, origin.get_job_origin(run.job_name))


def last_attempt(instance: DagsterInstance, key: AssetKey, partition: str) -> tuple[str, int] | None:
    """Return the run that last started to make a partition, and the storage id of the event that says so."""
    planned = instance.get_latest_planned_materialization_info(key, partition or None)
    return (planned.run_id, planned.storage_id) if planned else None


def end_run(instance: DagsterInstance, run: DagsterRun, message: str) -> None:
    """Mark a run whose process is gone as failed."""
    instance.report_run_failed(run, message)


#: How Dagster announces an error of its event log on standard error, before it raises the error.
_ANNOUNCED = "Exception while writing logger call to event log"


class _Once:
    """Standard error, minus the errors that Dagster first prints, with the whole event, and then raises."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        known = text.startswith(_ANNOUNCED)
        return len(text) if known else self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def errors_once() -> AbstractContextManager[Any]:
    """Keep Dagster from printing errors that it also raises: the command reports them."""
    return redirect_stderr(cast(TextIO, _Once(sys.stderr)))


def dvc_commit(root: Path, targets: Mapping[str | None, bool]) -> None:
    """Commit the current files of a checkout's stages to dvc.lock and DVC's cache.

    `targets` maps a stage to whether its ancestors are committed with it; None stands for all stages.

    Raises BlockingIOError if another process holds DVC's lock, RuntimeError if DVC fails, and the error of a
    file that could not be copied to its cache.
    """
    from dvc.exceptions import DvcException
    from dvc.lock import LockError
    from dvc.repo import Repo

    for name in ("dvc", "dvc_data", "dvc_objects"):  # they also log what they raise
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        with Repo(str(root)) as repo, _copy_errors_raised():
            for target, ancestors in targets.items():
                # with the file's path, because DVC would look for the stage in the working directory
                repo.commit(target and f"{root / 'dvc.yaml'}:{target}", with_deps=ancestors, force=True)
    except LockError as error:
        raise BlockingIOError("another process holds DVC's lock") from error
    except DvcException as error:
        raise RuntimeError(f"dvc.lock was not written: {error}") from error


@contextmanager
def _copy_errors_raised() -> Iterator[None]:
    """Raise the first error of a file that DVC could not copy to its cache, and not what follows from it."""
    errors: list[BaseException] = []

    class Collecting(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.exc_info and record.exc_info[1]:
                errors.append(record.exc_info[1])

    logger, handler = logging.getLogger("dvc_data.hashfile.transfer"), Collecting()
    logger.setLevel(logging.ERROR)
    logger.propagate = False
    logger.addHandler(handler)
    try:
        yield
    except Exception as error:
        if errors:
            raise errors[0] from error
        raise
    finally:
        logger.removeHandler(handler)
    if errors:
        raise errors[0]


@contextmanager
def web_application(instance: DagsterInstance, locations: Path) -> Iterator[ASGIApp]:
    """Yield Dagster's web application for the code locations of a workspace.yaml."""
    from dagster._core.workspace.context import WorkspaceProcessContext
    from dagster._core.workspace.load_target import WorkspaceFileTarget
    from dagster_webserver.app import create_app_from_workspace_process_context
    from dagster_webserver.version import __version__

    target = WorkspaceFileTarget([str(locations)])
    with WorkspaceProcessContext(instance, target, __version__, code_server_log_level="warning") as context:
        yield create_app_from_workspace_process_context(context)


def open_mlflow_store(url: str, artifacts: str) -> None:
    """Create the tables of MLflow's store. Raises MlflowException for tables of another version."""
    from mlflow.store.tracking.sqlalchemy_store import SqlAlchemyStore

    store: Any = SqlAlchemyStore
    store(url, artifacts).engine.dispose()


def known_result(**said: Any) -> Any:
    """Return Great Expectations' result of one expectation, made from what is known of it."""
    from great_expectations.core import ExpectationValidationResult

    return ExpectationValidationResult(**said)


def known_results(**said: Any) -> Any:
    """Return Great Expectations' result of a suite, made from what is known of it."""
    from great_expectations.core import ExpectationSuiteValidationResult

    return ExpectationSuiteValidationResult(**said)


def store_validation(context: Any, result: Any, run: str, time: datetime, batch: str) -> Any:
    """Store a known validation result in Great Expectations' project. Return the key of its page.

    `run`, `time` and `batch` are names that Data Docs show; with the suite, they are the key.
    """
    from great_expectations.core.run_identifier import RunIdentifier
    from great_expectations.data_context.types.resource_identifiers import (
        ExpectationSuiteIdentifier,
        ValidationResultIdentifier,
    )

    suite, run_id = ExpectationSuiteIdentifier(result.suite_name), RunIdentifier(run, time)
    result.meta |= {"run_id": run_id, "validation_time": time.isoformat()}
    key = ValidationResultIdentifier(suite, run_id, batch)
    context.validation_results_store.set(key, result)
    return key


def suite_page(name: str) -> Any:
    """Return the key of a suite's page in Data Docs."""
    from great_expectations.data_context.types.resource_identifiers import ExpectationSuiteIdentifier

    return ExpectationSuiteIdentifier(name)


def page_of(folder: Path, key: Any) -> Path:
    """Return the page of a suite or of a validation result in the folder of Data Docs."""
    kind = "validations" if hasattr(key, "run_id") else "expectations"
    *folders, name = key.to_tuple()
    return folder.joinpath(kind, *folders, f"{name}.html")


def stored_validations(context: Any) -> dict[tuple[str, str, str], Any]:
    """Return the keys of all validation results in Great Expectations' project, by suite, run and batch."""
    return {
        (key.expectation_suite_identifier.name, key.run_id.run_name, key.batch_identifier): key
        for key in context.validation_results_store.list_keys()
    }
