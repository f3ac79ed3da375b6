"""Send MLflow the runs that it lacks, through its own client: one for each made partition.

Belongs here: what a run becomes in MLflow. Not here: a run's content (tracking.py), models (models.py), the
local store (store.py).

An experiment is a system. Those of earlier versions, one for each dataset, stay as they are.

Nothing is written down about what was sent: MLflow itself is asked, by the tags that identify a run. A run
ends when all of it is there, so one of this checkout that has not ended is what an interrupted attempt left,
or what a slow server made of a request that was repeated. It is deleted, and sent again if MLflow lacks it.
"""

from __future__ import annotations

import logging
import os
import socket
import sys
import tempfile
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from silverloom.assets.declare.declaration import Dataset
from silverloom.orchestration.files.identity import text_md5
from silverloom.orchestration.files.publish import sharing
from silverloom.orchestration.messages import describe
from silverloom.orchestration.mlflow.models import delete_models, log_model, register, set_champion
from silverloom.orchestration.mlflow.store import ARTIFACTS_URI, prepare, prepare_server
from silverloom.orchestration.mlflow.tracking import (
    IDENTITY,
    MadePartition,
    TrackedRun,
    accepted,
    entity,
    made_partitions,
    tracked,
)
from silverloom.orchestration.workspace.postgres import is_postgres
from silverloom.orchestration.workspace.workspace import Workspace

#: The tag of all runs, child runs too: which checkout sent them. Several may share a server.
TAG = "silverloom.checkout"

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
        with sharing(workspace, "sending"):  # to a server that may be slow
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
        with sharing(workspace):
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
    try:
        receiver.name_champions({place.dataset.name for place in made})
    except Exception as error:
        if not _refused(error):
            raise
        causes.append(_line(error))
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
        systems = {place.dataset.key.group for place in made}
        experiments = self._pages(self._client.search_experiments, view_type=ViewType.ALL)
        self._experiments = {
            experiment.name: experiment for experiment in experiments if experiment.name in systems
        }
        self._known = {
            (run.info.experiment_id, " ".join(run.data.tags.get(name, "") for name in IDENTITY))
            for run in self._runs(f"attributes.status = 'FINISHED' AND tags.`{IDENTITY[1]}` LIKE '%'")
        }

    def has(self, place: MadePartition) -> bool:
        """Return whether the run of a partition is there, with all that belongs to it."""
        experiment = self._experiments.get(place.dataset.key.group)
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
                self._log(run_id, child, self._log_model(place, experiment, run_id, child, Path(folder)))
                self._client.set_terminated(run_id, "FINISHED", child.time)
            self._log(parent, run)
        if not place.is_intact(self._workspace):
            raise RuntimeError(f"{place.dataset.name} was made again meanwhile")
        self._client.set_terminated(parent, "FINISHED", run.time)
        self._known.add((experiment, _name(place)))

    def name_champions(self, names: Collection[str]) -> None:
        """Name the best of the models of each dataset that is among `names`, or whose evaluation is."""
        for dataset in self._workspace.datasets.values():
            judge = dataset.trains and dataset.trains.judge
            evaluation = self._workspace.datasets.get(f"{dataset.key.group}/{judge}")
            if evaluation is not None and (dataset.name in names or evaluation.name in names):
                for place in filter(self.has, made_partitions(self._workspace, [evaluation])):
                    set_champion(self._client, self._workspace, dataset, place)

    def _experiment(self, dataset: Dataset) -> str:
        name = dataset.key.group
        if (experiment := self._experiments.get(name)) is None:
            place = f"{ARTIFACTS_URI}{name}" if self._workspace.models_here else None
            tags = {**_KIND, "mlflow.note.content": f"The partitions of all datasets of {name}"}
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
            if "model" in deleted.data.tags:
                delete_models(self._client, run.info.experiment_id, deleted.info.run_id)
            self._client.delete_run(deleted.info.run_id)

    def _begin(self, experiment: str, run: TrackedRun, parent: str | None = None) -> str:
        own = {name: value[:_LONGEST_TAG] for name, value in accepted(run.tags).items()}
        tags = {**own, TAG: self._checkout, **({"mlflow.parentRunId": parent} if parent else {})}
        return str(self._client.create_run(experiment, run.time, tags, run.name[:250]).info.run_id)

    def _log_model(
        self, place: MadePartition, experiment: str, run_id: str, run: TrackedRun, folder: Path
    ) -> str | None:
        """Log and register the model of a run, and return its id. `folder` is a temporary one."""
        from mlflow.entities import LoggedModelOutput

        if run.model is None:
            return None
        model_id = log_model(self._client, self._workspace, experiment, run_id, run.model, folder)
        self._client.log_outputs(run_id, [LoggedModelOutput(model_id, 0)])
        register(self._client, place.dataset, run_id, model_id, run.model)
        return model_id

    def _log(self, run_id: str, run: TrackedRun, model_id: str | None = None) -> None:
        """Log what a run contains; its metrics are those of its model, too."""
        from mlflow.entities import DatasetInput, InputTag, Metric, Param

        points = [*((name, 0, value) for name, value in run.metrics.items()), *run.curve]
        keys = {name: key for key, name in accepted({name: name for name, _, _ in points}).items()}
        self._client.log_batch(
            run_id,
            [Metric(keys[name], value, run.time, step, model_id) for name, step, value in points],
            [Param(name, text) for name, text in accepted(run.params).items()],
        )
        inputs = [
            DatasetInput(entity(dataset), [InputTag("mlflow.data.context", dataset.context)])
            for dataset in run.datasets
        ]
        if inputs:
            self._client.log_inputs(run_id, inputs)
