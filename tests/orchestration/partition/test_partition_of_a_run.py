"""Which partition of a dataset a run of Dagster makes."""

import shutil

import dagster as dg

from silverloom.assets.declare.checks import CHECKS
from silverloom.assets.declare.dagster_asset import asset_key, dagster_asset
from silverloom.assets.declare.project import checkout
from silverloom.assets.declare.settings import EngineParams
from silverloom.orchestration.dagster.automation import source_assets
from silverloom.orchestration.executors import parts
from silverloom.orchestration.partition import store
from silverloom.orchestration.partition.materialise import Checked, Materialisation
from silverloom.orchestration.partition.store import Store
from silverloom.orchestration.state.freshness import FORCED, Manifest, View, manifest_file


def test_a_run_of_one_month_makes_a_dataset_without_months_as_a_whole(tmp_workspace, monkeypatch):
    shutil.copy(checkout() / "params.yaml", tmp_workspace.root)
    (tmp_workspace.root / "data").mkdir()
    (tmp_workspace.root / "data/sample").symlink_to(checkout() / "data/sample")
    made = []

    def make(partition):
        made.append((partition.dataset.name, partition.partition))
        return Checked(Manifest({}, {}), {})

    passed = [dg.AssetCheckResult(check_name=name, passed=True) for name in CHECKS]
    monkeypatch.setattr(store, "materialize_result", lambda *_: dg.MaterializeResult(check_results=passed))
    monkeypatch.setattr(Materialisation, "make", make)
    chosen = [tmp_workspace.datasets[f"sources/prose_{name}"] for name in ("scores", "duplicates")]
    dg.materialize(
        [dagster_asset(dataset) for dataset in chosen],
        partition_key="2018-06",
        resources={"store": Store(tmp_workspace, commit=False)},
    )
    assert made == [("sources/prose_scores", "2018-06"), ("sources/prose_duplicates", "")]


def test_a_partition_that_a_server_failed_is_made_by_the_next_try_of_the_same_run(tmp_workspace, monkeypatch):
    monkeypatch.setattr(parts, "engine_params", lambda: EngineParams(retry_wait=0))
    shutil.copy(checkout() / "params.yaml", tmp_workspace.root)
    (tmp_workspace.root / "data").mkdir()
    (tmp_workspace.root / "data/sample").symlink_to(checkout() / "data/sample")
    dataset, make, errors = tmp_workspace.datasets["sources/human_summaries"], Materialisation.make, []

    def unreliable(partition):
        if len(errors) < 2:
            errors.append(ConnectionError("503 Service Unavailable"))
            raise errors[-1]
        return make(partition)

    monkeypatch.setattr(Materialisation, "make", unreliable)
    result = dg.materialize(
        [*source_assets(tmp_workspace), dagster_asset(dataset)],
        selection=dg.AssetSelection.assets(asset_key(dataset.key)),
        resources={"store": Store(tmp_workspace, commit=False)},
    )
    assert result.success and len(errors) == 2
    assert len(result.get_asset_materialization_events()) == 1


def test_a_run_of_a_fresh_partition_says_in_each_event_that_nothing_was_made_or_checked(
    tmp_workspace, monkeypatch
):
    shutil.copy(checkout() / "params.yaml", tmp_workspace.root)
    (tmp_workspace.root / "data").mkdir()
    (tmp_workspace.root / "data/sample").symlink_to(checkout() / "data/sample")
    dataset = tmp_workspace.datasets["sources/human_summaries"]
    followed = []

    @dg.asset(deps=[asset_key(dataset.key)])
    def reader():
        followed.append(dataset.name)

    def ran():
        result = dg.materialize(
            [*source_assets(tmp_workspace), dagster_asset(dataset), reader],
            selection=dg.AssetSelection.assets(asset_key(dataset.key), reader),
            resources={"store": Store(tmp_workspace, commit=False)},
            partition_key="2018-06" if dataset.partitioned else None,
        )
        (made, _) = result.get_asset_materialization_events()
        return made.materialization, result.get_asset_check_evaluations()

    made, checks = ran()
    assert "unchanged" not in made.metadata and not any("unchanged" in check.metadata for check in checks)
    again, checks = ran()
    manifest = manifest_file(tmp_workspace, dataset, "2018-06" if dataset.partitioned else "")
    told = f"its files are those of {tmp_workspace.shown(manifest)}"
    assert again.metadata["unchanged"].value == f"nothing was made; {told}"
    assert again.metadata["md5"] == made.metadata["md5"]
    assert "://" not in str(again.metadata), "no address of a server, whose port may change"
    by_name = {check.check_name: check for check in checks}
    assert CHECKS.keys() <= by_name.keys()
    for name in CHECKS:
        assert by_name[name].metadata["unchanged"].value == f"not checked again; {told}"
        assert by_name[name].description.startswith("unchanged, not checked again: ")
    assert len(followed) == 2, "steps that read it run all the same"


def test_a_log_begins_with_why_the_partition_is_made_and_from_what(tmp_workspace):
    shutil.copy(checkout() / "params.yaml", tmp_workspace.root)
    (tmp_workspace.root / "data").mkdir()
    (tmp_workspace.root / "data/sample").symlink_to(checkout() / "data/sample")
    dataset = tmp_workspace.datasets["sources/human_summaries"]

    def log(**tags):
        with dg.DagsterInstance.ephemeral() as instance:
            ran = dg.materialize(
                [*source_assets(tmp_workspace), dagster_asset(dataset)],
                selection=dg.AssetSelection.assets(asset_key(dataset.key)),
                resources={"store": Store(tmp_workspace, commit=False)},
                instance=instance,
                tags=tags,
            )
            return [
                entry.user_message for entry in instance.all_logs(ran.run_id) if not entry.is_dagster_event
            ]

    why, what, *_ = log()
    assert why == "made because: missing"
    version = View(tmp_workspace).record_versions(dataset, "")["records"][""]
    assert what.startswith(f"made from: records {version[:8]}, params sources.human_summaries")
    assert what.endswith(f", code {dataset.code['code'][:8]}")
    assert log() == ["fresh: nothing to make"]
    assert log(**{FORCED: "yes"})[0] == "made because: its run is forced"
