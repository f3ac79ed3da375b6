"""Rows that are trials become child runs of their partition's run."""

import pyarrow as pa
import pyarrow.parquet as pq
from mlflow import MlflowClient

from orchestration.mlflow import tracking
from orchestration.state.graph import datasets
from orchestration.state.records import Record

KEY = {
    "inputs": {"sources/talks": {"2018-06": "0" * 32 + ".dir"}},
    "params": {"a.b": {"c": [1, 2]}},
    "code": {},
}
COUNTS = {"kept": 81, "dropped": 0, "rejected": 0, "reasons": {}}


def points() -> pa.Table:
    trials = datasets()["talksumm/tuning"].trials
    names = [*trials.params, *trials.metrics]
    rows = [{"id": f"point-{n}", **dict.fromkeys(names, n / 100)} for n in range(81)]
    rows[3]["low"] = None
    return pa.Table.from_pylist(rows)


def test_every_kept_row_of_a_grid_is_a_child_run(tmp_path, monkeypatch):
    store = tmp_path / "mlflow.db"
    item = datasets()["talksumm/tuning"]
    for number, table in enumerate((points().slice(0, 50), points().slice(50))):
        pq.write_table(table, tmp_path / f"kept-{number:05d}.parquet")
    monkeypatch.setattr(tracking, "STORE", store)
    monkeypatch.setattr(tracking, "folder", lambda item, month: tmp_path)
    monkeypatch.setattr(tracking, "ROOT", tmp_path)
    monkeypatch.setattr(tracking, "read_record", lambda item, month: record)
    record = Record(KEY, {"kept-00000.parquet": "0" * 32}, COUNTS, "a-run", 1.5)
    tracking.track(item, "", record, {})

    mlflow = MlflowClient(f"sqlite:///{store}")
    experiment = mlflow.get_experiment_by_name("talksumm/tuning").experiment_id
    (parent,) = mlflow.search_runs([experiment], "attributes.run_name = 'all'")
    children = mlflow.search_runs(
        [experiment], f"tags.mlflow.parentRunId = '{parent.info.run_id}'", max_results=200
    )
    assert len(children) == 81
    third = next(run for run in children if run.data.tags["row"] == "point-3")
    assert third.data.params == {"lambda": "0.03", "gamma": "0.03", "delta": "0.03", "epsilon": "0.03"}
    assert third.data.metrics == {"accuracy": 0.03, "high": 0.03, "within_two": 0.03, "words": 0.03}
    assert third.info.run_name == "lambda=0.03, gamma=0.03, delta=0.03, epsilon=0.03"
    assert parent.data.params == {"a.b.c": "[1, 2]"} and parent.data.metrics["kept"] == 81
    assert parent.info.end_time - parent.info.start_time == 1_500
    assert tracking.latest("talksumm/tuning", "") == tracking.find(item, "", record)
    assert f"/runs/{parent.info.run_id}?" in tracking.latest("talksumm/tuning", "")


def test_without_a_store_nothing_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(tracking, "STORE", tmp_path / "none.db")
    assert tracking.latest("talksumm/pairs", "2018-06") is None
    (tmp_path / "none.db").write_bytes(b"no database" * 100)
    record = Record(KEY, {"x": "0" * 32}, COUNTS)
    assert tracking.find(datasets()["talksumm/pairs"], "2018-06", record) is None
