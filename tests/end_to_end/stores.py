"""What Dagster and MLflow have stored about a project."""

import contextlib

import dagster as dg
import pytest
from mlflow import MlflowClient


def client(project) -> MlflowClient:
    return MlflowClient(f"sqlite:///{project.root}/.silverloom/mlflow.db")


def runs(project, name):
    """The latest run of each partition of a dataset, and its child runs by name."""
    mlflow = client(project)
    experiment = mlflow.get_experiment_by_name(name.partition("/")[0])
    found = mlflow.search_runs(
        [experiment.experiment_id], f"tags.dataset = '{name}'", order_by=["attributes.end_time ASC"]
    )
    return {run.data.tags.get("partition", run.info.run_name): run for run in found}


@contextlib.contextmanager
def dagster_of(project):
    """Dagster's instance of a project."""
    home = str(project.root / ".dagster")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DAGSTER_HOME", home)
        with dg.DagsterInstance.from_config(home) as instance:
            yield instance
