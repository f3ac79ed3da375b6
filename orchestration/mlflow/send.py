"""Send MLflow the runs that it lacks, through its own client: one for each made partition.

Belongs here: what a run and a trained model become in MLflow. Not here: a run's content (tracking.py), the
local store (store.py), how a model is loaded (served_model.py). The weights of models are a dataset's files,
under DVC.

Nothing is written down about what was sent: MLflow itself is asked, by the tags that identify a run. A run
ends when all of it is there, so one of this checkout that has not ended is what an interrupted attempt left,
or what a slow server made of a request that was repeated. It is deleted, and sent again if MLflow lacks it.
"""

from __future__ import annotations

import contextlib
import io
import logging
import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

from silverloom.assets.declare.declaration import Dataset
from silverloom.assets.declare.project import import_root
from silverloom.ops.models.installed import MODELS_TXT
from silverloom.ops.models.trained import ModelKind
from silverloom.orchestration.files.identity import text_md5
from silverloom.orchestration.files.publish import lock_within
from silverloom.orchestration.messages import describe
from silverloom.orchestration.mlflow.store import ARTIFACTS, ARTIFACTS_URI, prepare, prepare_server
from silverloom.orchestration.mlflow.tracking import (
    IDENTITY,
    MadePartition,
    TrackedModel,
    TrackedRun,
    accepted,
    made_partitions,
    tracked,
)
from silverloom.orchestration.workspace.postgres import is_postgres
from silverloom.orchestration.workspace.workspace import Workspace

#: The tag of all runs, child runs too: which checkout sent them. Several may share a server.
TAG = "silverloom.checkout"

#: Seconds to wait for another process that is sending.
PATIENCE = 600.0

#: The most characters of a tag. MLflow does not cut the tags that a run starts with, and Postgres rejects
#: more.
_LONGEST_TAG = 8_000

#: MLflow must not retry a request, since it cannot know whether the first one created a run, and must not
#: wait for ever. Users may set these variables to other values.
_REQUESTS = {"MLFLOW_HTTP_REQUEST_MAX_RETRIES": "0", "MLFLOW_HTTP_REQUEST_TIMEOUT": "30"}

#: MLflow has two kinds of experiments; for this one, it shows runs in a table with their metrics.
_KIND = {"mlflow.experimentKind": "custom_model_development"}


#: Returns the Dagster run that made a version of a partition, if Dagster knows one.
RunOf: TypeAlias = Callable[[Dataset, str, str], str | None]


def unknown(_dataset: Dataset, _partition: str, _version: str) -> None:
    """Know of no Dagster run."""


def send(workspace: Workspace, datasets: Iterable[Dataset] | None = None, run_of: RunOf = unknown) -> str:
    """Send the runs of some datasets (default: all) that MLflow lacks. Return "", or one line with a cause.

    Their tags name the Dagster runs that `run_of` returns.

    If MLflow refuses a run, the others are sent. If MLflow is unreachable, the next call sends them.
    """
    try:
        made = made_partitions(workspace, workspace.datasets.values() if datasets is None else datasets)
        if not made:
            return ""
        lock = workspace.enclosing.state / "locks" / "mlflow.lock"
        with contextlib.closing(lock_within(lock, PATIENCE)):
            causes = _send(workspace, made, run_of)
    except Exception as error:
        causes = [_line(error)]
    return f"not all runs are in MLflow: {causes[0]}" if causes else ""


def send_and_tell(
    workspace: Workspace, datasets: Iterable[Dataset] | None = None, run_of: RunOf = unknown
) -> int:
    """Send what MLflow lacks, and print a warning about what could not be sent. Returns 1 if there is any."""
    if line := send(workspace, datasets, run_of):
        print(f"warning: {line}; `silverloom send` tries again, as does the next run", file=sys.stderr)
    return 1 if line else 0


def _send(workspace: Workspace, made: Sequence[MadePartition], run_of: RunOf) -> list[str]:
    """Send what MLflow lacks. Return why runs were refused; raise what is wrong with MLflow as a whole."""
    if workspace.tracked_here:
        prepare(workspace.mlflow_store)
    elif is_postgres(workspace.tracking_uri):
        prepare_server(workspace.tracking_uri)
    receiver, causes = _Receiver(workspace, made), list[str]()
    receiver.clean()
    for place in made:
        if receiver.has(place) or not place.is_intact(workspace):
            continue
        try:
            run = run_of(place.dataset, place.partition, place.manifest.version)
            receiver.receive(place, tracked(workspace, place, run))
        except Exception as error:
            if not _refused(error):
                raise
            causes.append(_line(error))
            receiver.clean()
    return causes


def _client(workspace: Workspace) -> Any:
    for name, value in _REQUESTS.items():
        os.environ.setdefault(name, value)
    os.environ["MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR"] = "false"
    os.environ["MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT"] = "true"
    from mlflow import MlflowClient

    logging.getLogger("mlflow").setLevel(logging.CRITICAL)  # we report errors ourselves, in one line
    return MlflowClient(workspace.tracking_uri)


def _line(error: Exception) -> str:
    return " ".join(describe(error).split())


def _refused(error: Exception) -> bool:
    """Return whether an error concerns only this run, so that the next one can be sent."""
    status = getattr(error, "get_http_status_code", None)
    return status is None or status() < 500


def _name(place: MadePartition) -> str:
    return " ".join(place.identity.values())


class _Receiver:
    """MLflow, with the runs that it has of some datasets."""

    def __init__(self, workspace: Workspace, made: Sequence[MadePartition]) -> None:
        self._workspace, self._client = workspace, _client(workspace)
        from mlflow.entities import ViewType

        enclosing = workspace.enclosing.root.resolve()
        self._checkout = text_md5(f"{socket.gethostname()} {enclosing}")
        datasets = {place.dataset.name for place in made}
        experiments = self._pages(self._client.search_experiments, view_type=ViewType.ALL)
        self._experiments = {
            experiment.name: experiment for experiment in experiments if experiment.name in datasets
        }
        self._known = {
            (run.info.experiment_id, " ".join(run.data.tags.get(name, "") for name in IDENTITY))
            for run in self._runs(f"attributes.status = 'FINISHED' AND tags.`{IDENTITY[1]}` LIKE '%'")
        }

    def has(self, place: MadePartition) -> bool:
        """Return whether the run of a partition is there, with all that belongs to it."""
        experiment = self._experiments.get(place.dataset.name)
        return experiment is not None and (experiment.experiment_id, _name(place)) in self._known

    def clean(self) -> None:
        """Delete runs of this checkout that have not ended, with their child runs."""
        for run in self._runs(f"attributes.status = 'RUNNING' AND tags.`{TAG}` = '{self._checkout}'"):
            self._delete(run)

    def receive(self, place: MadePartition, run: TrackedRun) -> None:
        """Create the run of a partition with its child runs. It ends last, and thereby counts as sent.

        Raises RuntimeError if another process replaces the partition meanwhile.
        """
        experiment = self._experiment(place.dataset)
        parent = self._begin(experiment, run)
        with tempfile.TemporaryDirectory() as folder:
            for child in run.children:
                run_id = self._begin(experiment, child, parent)
                self._log(run_id, child, Path(folder))
                self._client.set_terminated(run_id, "FINISHED", child.time)
            self._log(parent, run, Path(folder))
        if not place.is_intact(self._workspace):
            raise RuntimeError(f"{place.dataset.name} was made again meanwhile")
        self._client.set_terminated(parent, "FINISHED", run.time)

    def _experiment(self, dataset: Dataset) -> str:
        name = dataset.name
        if (experiment := self._experiments.get(name)) is None:
            place = f"{ARTIFACTS_URI}{name}" if self._workspace.models_here else None
            tags = {**_KIND, "mlflow.note.content": dataset.function.__doc__ or ""}
            experiment = self._client.get_experiment(self._client.create_experiment(name, place, tags))
            self._experiments[name] = experiment
        if experiment.lifecycle_stage != "active":
            raise LookupError(
                f"experiment {name} was deleted in MLflow: restore it with `mlflow experiments restore`"
            )
        return str(experiment.experiment_id)

    def _runs(self, condition: str) -> list[Any]:
        places = [experiment.experiment_id for experiment in self._experiments.values()]
        return self._pages(self._client.search_runs, places, condition) if places else []

    @staticmethod
    def _pages(search: Any, *given: Any, **named: Any) -> list[Any]:
        results = page = search(*given, **named)
        while page.token:
            page = search(*given, **named, page_token=page.token)
            results += page
        return list(results)

    def _delete(self, run: Any) -> None:
        children = f"tags.`mlflow.parentRunId` = '{run.info.run_id}'"
        for deleted in [*self._pages(self._client.search_runs, [run.info.experiment_id], children), run]:
            self._client.delete_run(deleted.info.run_id)

    def _begin(self, experiment: str, run: TrackedRun, parent: str | None = None) -> str:
        own = {name: value[:_LONGEST_TAG] for name, value in accepted(run.tags).items()}
        tags = {**own, TAG: self._checkout, **({"mlflow.parentRunId": parent} if parent else {})}
        return str(self._client.create_run(experiment, run.time, tags, run.name[:250]).info.run_id)

    def _log(self, run_id: str, run: TrackedRun, folder: Path) -> None:
        """Log what a run contains. `folder` is a temporary one."""
        from mlflow.entities import Dataset, DatasetInput, InputTag, Metric, Param

        points = [*((name, 0, value) for name, value in run.metrics.items()), *run.curve]
        keys = {name: key for key, name in accepted({name: name for name, _, _ in points}).items()}
        self._client.log_batch(
            run_id,
            [Metric(keys[name], value, run.time, step) for name, step, value in points],
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
            self._log_model(run_id, run.model, folder)

    def _log_model(self, run_id: str, model: TrackedModel, folder: Path) -> None:
        kind = import_module(model.kind).KIND
        place = self._artifacts(run_id)
        target = place or folder / run_id / "model"
        save_model(kind, model.folder, target, model.packages.items())
        if place is None:
            self._client.log_artifacts(run_id, str(target), target.name)

    def _artifacts(self, run_id: str) -> Path | None:
        """Return the folder where MLflow's server expects a run's model.

        None if the client must upload it: to an MLflow server, or to the location of an older experiment.
        """
        uri: str = self._client.get_run(run_id).info.artifact_uri if self._workspace.models_here else ""
        if not uri.startswith(ARTIFACTS_URI):
            return None
        place = uri.removeprefix(ARTIFACTS_URI)
        # not in the folder of a DVC experiment, which is temporary
        owner = self._workspace if self._workspace.tracked_here else self._workspace.enclosing
        target: Path = owner.mlflow_store.with_name(ARTIFACTS) / place / "model"
        target.parent.mkdir(parents=True, exist_ok=True)
        return target


def save_model(kind: ModelKind, files: Path, target: Path, packages: Iterable[tuple[str, str]]) -> None:
    """Write a trained model as an MLflow model. `packages` are (name, version) of what it needs.

    The package `silverloom.ops`, which loads the model, is stored with it.
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
    with (
        tempfile.TemporaryDirectory() as scratch,
        contextlib.redirect_stderr(io.StringIO()),  # MLflow prints coloured advice about type hints
    ):
        code = Path(scratch, "silverloom")
        shutil.copytree(
            import_root() / code.name / "ops", code / "ops", ignore=shutil.ignore_patterns("__pycache__")
        )
        shutil.copy(import_root() / code.name / "__init__.py", code)
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
