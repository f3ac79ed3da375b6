"""Which partition of a dataset a run of Dagster makes."""

import shutil

import dagster as dg

from assets.declare.dataset import CHECKS, dagster_asset
from assets.declare.settings import checkout
from orchestration.partition.materialise import Materialisation, Store


def test_a_run_of_one_month_makes_a_dataset_without_months_as_a_whole(tmp_workspace, monkeypatch):
    shutil.copy(checkout() / "params.yaml", tmp_workspace.root)
    (tmp_workspace.root / "data").mkdir()
    (tmp_workspace.root / "data/sample").symlink_to(checkout() / "data/sample")
    made = []

    def make(partition, run_id):
        made.append((partition.dataset.name, partition.partition))
        passed = [dg.AssetCheckResult(check_name=name, passed=True) for name in CHECKS]
        return dg.MaterializeResult(check_results=passed)

    monkeypatch.setattr(Materialisation, "make", make)
    chosen = [tmp_workspace.datasets[f"sources/prose_{name}"] for name in ("scores", "duplicates")]
    dg.materialize(
        [dagster_asset(dataset) for dataset in chosen],
        partition_key="2018-06",
        resources={"store": Store(tmp_workspace, commit=False)},
    )
    assert made == [("sources/prose_scores", "2018-06"), ("sources/prose_duplicates", "")]
