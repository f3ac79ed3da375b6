"""Names that MLflow refuses, or cannot distinguish, are replaced."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mlflow import MlflowClient
from mlflow.entities import Param

from silverloom.orchestration.mlflow.tracking import accepted


def test_names_that_become_equal_are_numbered():
    names = ["drop: no 'x'", 'drop: no "x"', "drop: no _x_", "y" * 300, "y" * 301]
    assert list(accepted(dict.fromkeys(names))) == [
        "drop: no _x_",
        "drop: no _x_ 2",
        "drop: no _x_ 3",
        "y" * 250,
        "y" * 248 + " 2",
    ]


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mlflow")
    client = MlflowClient(f"sqlite:///{folder / 'mlflow.db'}")
    client.create_experiment("names")
    return client


@given(st.lists(st.text("ab/. \"'é:-_\n", min_size=1, max_size=12), unique=True, max_size=20))
def test_mlflow_accepts_every_name_and_none_is_lost(client, names):
    found = accepted({name: name for name in names})
    assert list(found.values()) == names
    run = client.create_run(client.get_experiment_by_name("names").experiment_id).info.run_id
    client.log_batch(run, params=[Param(name, "1") for name in found])
    assert client.get_run(run).data.params.keys() == found.keys()
