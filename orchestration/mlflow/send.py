"""Send the runs in the outbox to MLflow through its own client.

Belongs here: what a run and a trained model become in MLflow. Not here: the outbox (tracking.py), the local
store (store.py), how a model is loaded (served_model.py). MLflow's client takes seconds to import, so a
command sends its runs together, at its end, while DVC commits.

Every run has a tag with the id of its outbox file. After an interruption, sending looks for these tags, so
each run is stored once. The weights of models are a dataset's files, under DVC.
"""

from __future__ import annotations

import contextlib
import io
import logging
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future
from importlib import import_module
from pathlib import Path
from typing import Any

from ops.models.installed import MODELS_TXT
from ops.models.trained import ModelKind
from orchestration.executors.base import WorkerDiedError, WorkerNotStartedError
from orchestration.executors.local import WorkerProcesses
from orchestration.files.damage import DamagedError, damaged, make_folder, set_aside
from orchestration.files.publish import lock_within
from orchestration.messages import describe
from orchestration.mlflow.store import ARTIFACTS, ARTIFACTS_URI, prepare, prepare_server
from orchestration.mlflow.tracking import TrackedRun, WaitingRun, accepted, outbox, take, waiting
from orchestration.workspace.postgres import is_postgres
from orchestration.workspace.workspace import Workspace

#: The tag of a run: the id of its outbox file; for a child run, followed by its number.
TAG = "silverloom.run"

#: Seconds to wait for another process that is sending.
PATIENCE = 600.0

#: Seconds that an interrupted process may take to end what it sends.
_PATIENCE_TO_END = 10.0

#: Prefix of the folders into which runs are unpacked.
_UNPACKED = ".unpacked-"

#: The most characters of a tag. MLflow does not cut the tags that a run starts with, and Postgres rejects
#: more.
_LONGEST_TAG = 8_000

#: MLflow must not retry a request, since it cannot know whether the first one created a run, and must not
#: wait for ever. Users may set these variables to other values.
_REQUESTS = {"MLFLOW_HTTP_REQUEST_MAX_RETRIES": "0", "MLFLOW_HTTP_REQUEST_TIMEOUT": "30"}


def send(workspace: Workspace) -> str:
    """Send the outbox, oldest first. Return one line about what could not be sent and why, or "".

    If MLflow refuses a run, it stays and the next one is sent. If MLflow is unreachable, all stay.
    """
    if not waiting(workspace):
        return ""
    causes: list[str] = []
    try:
        with contextlib.closing(lock_within(outbox(workspace) / ".lock", PATIENCE)):
            for left in outbox(workspace).glob(f"{_UNPACKED}*"):  # left by a killed process
                shutil.rmtree(left, ignore_errors=True)
            try:
                _send(workspace, causes)
            except Exception as error:
                if not workspace.tracked_here or not damaged(error):
                    raise
                _send(workspace, causes, thorough=True)
    except Exception as error:
        causes.append(_line(error))
    if not causes:
        return ""
    number, place = len(waiting(workspace)), workspace.shown(outbox(workspace))
    return f"{number} {'run is' if number == 1 else 'runs are'} waiting for MLflow in {place}: {causes[0]}"


def send_and_tell(workspace: Workspace) -> int:
    """Send the outbox and print a warning about what could not be sent. Returns 1 if there is any."""
    line = send(workspace)
    _warn(line)
    return 1 if line else 0


@contextlib.contextmanager
def sending(workspace: Workspace) -> Iterator[None]:
    """Send what waits in another process while the block runs; then say in a line what still waits."""
    if not waiting(workspace):
        yield
        return
    with contextlib.closing(WorkerProcesses(1, "", _PATIENCE_TO_END)) as executor:
        sent = _begun(executor, workspace)
        yield
        try:
            line = sent.result()
        except (WorkerDiedError, WorkerNotStartedError) as error:
            line = f"runs are waiting for MLflow: {error}"
    _warn(line)


def _begun(executor: WorkerProcesses, workspace: Workspace) -> Future[str]:
    try:
        return executor.submit(send, workspace)
    except OSError as error:  # no room for another process: what was made is committed all the same
        failed = Future[str]()
        failed.set_exception(WorkerNotStartedError(describe(error)))
        return failed


def _warn(line: str) -> None:
    if line:
        print(f"warning: {line}; the next command tries again", file=sys.stderr)


def _send(workspace: Workspace, causes: list[str], thorough: bool = False) -> None:
    """Send the outbox, and collect why a run stays; raise what is wrong with MLflow's store as a whole."""
    if workspace.tracked_here:
        prepare(workspace.mlflow_store, thorough)
    elif is_postgres(workspace.tracking_uri):
        prepare_server(workspace.tracking_uri)
    sender, tried = _Sender(workspace), set[Path]()
    while (path := next((path for path in waiting(workspace) if path not in tried), None)) is not None:
        tried.add(path)
        try:
            sender.send(path)
        except DamagedError as error:
            set_aside(path, error, "this run will be missing in MLflow")
        except Exception as error:
            if damaged(error):
                raise
            causes.append(_line(error))
            if not _refused(error):
                return


def _client(workspace: Workspace) -> Any:
    return _client_class()(workspace.tracking_uri)


def _client_class() -> Any:
    for name, value in _REQUESTS.items():
        os.environ.setdefault(name, value)
    os.environ["MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR"] = "false"
    os.environ["MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT"] = "true"
    from mlflow import MlflowClient

    logging.getLogger("mlflow").setLevel(logging.CRITICAL)  # we report errors ourselves, in one line
    return MlflowClient


def _line(error: Exception) -> str:
    return " ".join(describe(error).split())


def _refused(error: Exception) -> bool:
    """Return whether an error concerns only this run, so that the next one can be sent."""
    status = getattr(error, "get_http_status_code", None)
    return status is None or status() < 500


class _Sender:
    def __init__(self, workspace: Workspace) -> None:
        self._workspace, self._client = workspace, _client(workspace)
        self._experiments: dict[str, str] = {}

    def send(self, path: Path) -> None:
        """Send a run with its child runs, then remove its file."""
        with tempfile.TemporaryDirectory(dir=outbox(self._workspace), prefix=_UNPACKED) as folder:
            entry = take(path, Path(folder))
            experiment = self._experiment(entry)
            known = self._known(experiment, path.stem)
            parent = self._begin(experiment, path.stem, entry.run, known)
            for number, child in enumerate(entry.run.children):
                run_id = self._begin(experiment, f"{path.stem}/{number}", child, known, parent)
                self._end(run_id, child, Path(folder))
            self._end(parent, entry.run, Path(folder))
        path.unlink()

    def _experiment(self, entry: WaitingRun) -> str:
        name = entry.experiment
        if name not in self._experiments:
            found = self._client.get_experiment_by_name(name)
            if found is None:
                place = f"{ARTIFACTS_URI}{name}" if self._workspace.models_here else None
                self._experiments[name] = self._client.create_experiment(name, place, entry.experiment_tags)
            elif found.lifecycle_stage == "active":
                self._remove_late(found.experiment_id)
                self._experiments[name] = found.experiment_id
            else:
                raise LookupError(
                    f"experiment {name} was deleted in MLflow: restore it with `mlflow experiments restore`"
                )
        return self._experiments[name]

    def _known(self, experiment: str, entry_id: str) -> dict[str, str]:
        """Return the runs of an outbox file that MLflow already has, by tag; delete duplicates."""
        found: dict[str, str] = {}
        for run in self._tagged(experiment, f"{entry_id}%"):
            if run.data.tags[TAG] in found:
                self._client.delete_run(run.info.run_id)
            found.setdefault(run.data.tags[TAG], run.info.run_id)
        return found

    def _remove_late(self, experiment: str) -> None:
        """Delete runs that a slow server created from a request after the retry had created another."""
        for late in self._tagged(experiment, "%", "= 'RUNNING'"):
            if self._tagged(experiment, late.data.tags[TAG], "!= 'RUNNING'"):
                self._client.delete_run(late.info.run_id)

    def _tagged(self, experiment: str, tag: str, status: str = "") -> list[Any]:
        """Return all runs whose tag matches a LIKE pattern, with a given status or any."""
        conditions = f"tags.`{TAG}` LIKE '{tag}'" + (f" AND attributes.status {status}" if status else "")
        runs = page = self._client.search_runs([experiment], conditions)
        while page.token:
            page = self._client.search_runs([experiment], conditions, page_token=page.token)
            runs += page
        return list(runs)

    def _begin(
        self, experiment: str, tag: str, run: TrackedRun, known: Mapping[str, str], parent: str | None = None
    ) -> str:
        if tag in known:
            return known[tag]
        own = {name: value[:_LONGEST_TAG] for name, value in accepted(run.tags).items()}
        tags = {**own, TAG: tag, **({"mlflow.parentRunId": parent} if parent else {})}
        return str(self._client.create_run(experiment, run.start, tags, run.name[:250]).info.run_id)

    def _end(self, run_id: str, run: TrackedRun, folder: Path) -> None:
        """Send a run's content, which is safe to repeat, and end the run, which marks it as complete."""
        from mlflow.entities import Dataset, DatasetInput, InputTag, Metric, Param

        points = [*((name, 0, value) for name, value in run.metrics.items()), *run.curve]
        keys = {name: key for key, name in accepted({name: name for name, _, _ in points}).items()}
        self._client.log_batch(
            run_id,
            [Metric(keys[name], value, run.end, step) for name, step, value in points],
            [Param(name, text) for name, text in accepted(run.params).items()],
        )
        inputs = [
            DatasetInput(
                Dataset(dataset.name, dataset.digest, "local", dataset.source, None, dataset.profile),
                [InputTag("mlflow.data.context", dataset.context)],
            )
            for dataset in run.datasets
        ]
        if inputs:
            self._client.log_inputs(run_id, inputs)
        if run.model:
            kind = import_module(run.model.kind).KIND
            place = self._artifacts(run_id)
            model = place or folder / run_id / "model"
            save_model(kind, folder / run.model.folder, folder / "ops", model, run.model.packages.items())
            if place is None:
                self._client.log_artifacts(run_id, str(model), model.name)
        self._client.set_terminated(run_id, run.status, run.end)

    def _artifacts(self, run_id: str) -> Path | None:
        """Return the folder where MLflow's server expects a run's model, removing a partly written one.

        None if the client must upload it: to an MLflow server, or to the location of an older experiment.
        """
        uri: str = self._client.get_run(run_id).info.artifact_uri if self._workspace.models_here else ""
        if not uri.startswith(ARTIFACTS_URI):
            return None
        place = uri.removeprefix(ARTIFACTS_URI)
        # not in the folder of a DVC experiment, which is temporary
        kept = self._workspace if self._workspace.tracked_here else self._workspace.enclosing
        target: Path = kept.mlflow_store.with_name(ARTIFACTS) / place / "model"
        make_folder(target.parent)
        shutil.rmtree(target, ignore_errors=True)
        return target


def save_model(
    kind: ModelKind, files: Path, code: Path, target: Path, packages: Iterable[tuple[str, str]]
) -> None:
    """Write a trained model as an MLflow model. `packages` are (name, version) of what it needs.

    `code` is the folder of the project's `ops` package, which is stored with the model and loads it.
    """
    import mlflow.pyfunc
    from mlflow.models import ModelSignature
    from mlflow.types import ColSpec, DataType, ParamSchema, ParamSpec, Schema
    from mlflow.types.schema import Array

    def columns(named: Mapping[str, str]) -> Schema:
        types = {name: DataType[text.rstrip("*")] for name, text in named.items()}
        return Schema(
            [ColSpec(Array(types[name]) if "*" in named[name] else types[name], name) for name in named]
        )

    logging.getLogger("mlflow").setLevel(logging.ERROR)
    params = [ParamSpec(name, DataType[text], value) for name, (text, value) in kind.params.items()]
    save: Any = mlflow.pyfunc.save_model
    with contextlib.redirect_stderr(io.StringIO()):  # MLflow prints coloured advice about type hints
        save(
            target,
            python_model=str(Path(__file__).with_name("served_model.py")),
            artifacts={"model": str(files)},
            model_config={"kind": kind.module},
            signature=ModelSignature(columns(kind.inputs), columns(kind.outputs), ParamSchema(params)),
            pip_requirements=[
                *(f"{name}=={version}" for name, version in packages),
                *(_installed() if kind.named else ()),
            ],
            code_paths=[str(code)],
        )


def _installed() -> list[str]:
    """Return the packages of models.txt, without their hashes."""
    lines = MODELS_TXT.read_text(encoding="utf-8").splitlines()
    return [line.split()[0] for line in lines if line.strip() and not line.startswith("#")]
