"""Rows that are trials become child runs of their partition's run."""

import pyarrow as pa
import pyarrow.parquet as pq
from mlflow import MlflowClient

from orchestration.definitions import workspace
from orchestration.mlflow import tracking
from orchestration.mlflow.send import send
from orchestration.state.freshness import Manifest

KEY = {
    "inputs": {"sources/talks": {"2018-06": "0" * 32 + ".dir"}},
    "params": {"a.b": {"c": [1, 2], "url": "https://me:s3cret@host/search"}},
    "code": {},
}
COUNTS = {"kept": 81, "dropped": 0, "rejected": 0, "reasons": {}}


def points() -> pa.Table:
    trials = workspace().datasets["talksumm/tuning"].trials
    names = [*trials.params, *trials.metrics]
    rows = [{"id": f"point-{n}", **dict.fromkeys(names, n / 100)} for n in range(81)]
    rows[3]["low"] = None
    return pa.Table.from_pylist(rows)


def test_every_kept_row_of_a_grid_is_a_child_run(tmp_workspace):
    dataset = tmp_workspace.datasets["talksumm/tuning"]
    for number, table in enumerate((points().slice(0, 50), points().slice(50))):
        folder = tmp_workspace.folder(dataset)
        folder.mkdir(parents=True, exist_ok=True)
        pq.write_table(table, folder / f"kept-{number:05d}.parquet")
    record = Manifest(KEY, {"kept-00000.parquet": "0" * 32}, COUNTS)
    tracking.track(tmp_workspace, dataset, "", record, True, {}, "a-run", 1.5)
    assert send(tmp_workspace) == ""

    mlflow = MlflowClient(tmp_workspace.tracking_uri)
    experiment = mlflow.get_experiment_by_name("talksumm/tuning").experiment_id
    (parent,) = mlflow.search_runs([experiment], "attributes.run_name = 'all'")
    children = mlflow.search_runs(
        [experiment], f"tags.mlflow.parentRunId = '{parent.info.run_id}'", max_results=200
    )
    assert len(children) == 81
    third = next(run for run in children if run.data.tags["row"] == "point-3")
    names = ("model", "lambda", "gamma", "delta", "epsilon")
    assert third.data.params == dict.fromkeys(names, "0.03")
    assert third.data.metrics == {"accuracy": 0.03, "high": 0.03, "within_two": 0.03, "words": 0.03}
    assert third.info.run_name == ", ".join(f"{name}=0.03" for name in names)
    assert (
        parent.data.params == {"a.b.c": "[1, 2]", "a.b.url": "https://host/search"}
        and parent.data.metrics["kept"] == 81
    )
    assert not any("://127.0.0.1" in text for text in parent.data.tags.values()), "ports change, runs stay"
    assert parent.data.tags["data-quality page"] == "data/quality/pages/datasets/talksumm-tuning.html"
    assert parent.info.end_time - parent.info.start_time == 1_500
