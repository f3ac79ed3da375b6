"""The pages of `make ui` in a browser, for a project in which a check of one dataset failed.

Belongs here: Dagster's and MLflow's pages. The servers are started once for all of
these tests. Not here: how they start and end (end_to_end/test_ui.py), our own pages (test_site.py).
"""

import json
import urllib.request

import pyarrow.parquet as pq
import pytest
from mlflow import MlflowClient
from playwright.sync_api import expect

from silverloom.ops.core.parts import part_name
from tests.browser.foreign import FETCH, SOCKET, WIPE, made, operation
from tests.browser.servers import ui, wait

MONTH = "2018-07"
DATASETS = {
    "sources/riddles",
    "toy/questions",
    "toy/lengths",
    "toy/model",
    "toy/rating_sheets",
    "quality/pages",
}
QUERY = "{ assetNodes { assetKey { path } groupName description partitionDefinition { name } } }"
STATS = "{ assetNodes { assetKey { path } partitionStats { numMaterialized numFailed } } }"


@pytest.fixture(scope="module")
def project(tmp_path_factory, failed_project):
    return failed_project.copy(tmp_path_factory.mktemp("make ui") / "checkout")


@pytest.fixture(scope="module")
def servers(project):
    with ui(project.root) as servers:
        wait(f"{servers.pages}/pages/")
        wait(f"{servers.mlflow}/health")
        yield servers


@pytest.fixture
def dagster(servers):
    return servers.dagster


def test_all_datasets_pages_and_runs_are_served(servers):
    nodes = ask(servers.dagster, QUERY)["assetNodes"]
    names = {"/".join(node["assetKey"]["path"]): node for node in nodes}
    assert set(names) == {*DATASETS, "source_files/riddles"}
    assert names["toy/questions"]["groupName"] == "toy"
    assert names["toy/questions"]["partitionDefinition"] and names["toy/questions"]["description"]
    home = read(servers.pages)
    assert servers.dagster in home and servers.mlflow in home
    assert "toy/questions" in read(f"{servers.pages}/pages/")


def ask(address, query):
    request = urllib.request.Request(
        f"{address}/graphql", json.dumps({"query": query}).encode(), {"Content-Type": "application/json"}
    )
    return json.loads(read(request))["data"]


def read(address) -> str:
    with urllib.request.urlopen(address, timeout=600) as answer:
        return answer.read().decode()


def seen(graph, text):
    """Wait for a text. Dagster also has a hidden copy of it, for measuring."""
    graph.page.get_by_text(text, exact=True).locator("visible=true").first.wait_for()


def test_an_asset_page_describes_the_dataset_and_its_content(visit, dagster, project):
    kept = pq.read_table(project.root / "data/sources/riddles" / MONTH / part_name("kept", 0))
    asset = visit(f"{dagster}/assets/sources/riddles")
    asset.assert_text("Riddles with their answers.", MONTH)
    columns = asset.page.get_by_role("table").filter(has_text="Column name").first
    for column in kept.column_names:
        expect(columns.get_by_text(column, exact=True).first).to_be_visible()
    for name, count in {"kept": kept.num_rows, "dropped": 0, "rejected": 0}.items():
        expect(row(asset, name).get_by_role("cell").last).to_have_text(str(count))
    sample = row(asset, "sample")
    expect(sample).to_contain_text(kept["id"][0].as_py())
    expect(sample).to_contain_text(kept["question"][0].as_py())
    asset.assert_sound()


def row(asset, name):
    """The row of the latest metadata whose label begins with a name."""
    return asset.page.get_by_role("row").filter(has=asset.page.get_by_text(name, exact=True)).first


def test_a_partition_whose_check_failed_is_failed_and_not_materialised(visit, dagster):
    stats = {
        "/".join(node["assetKey"]["path"]): node["partitionStats"]
        for node in ask(dagster, STATS)["assetNodes"]
    }
    assert stats["toy/questions"] == {"numMaterialized": 0, "numFailed": 2}
    assert stats["sources/riddles"] == {"numMaterialized": 2, "numFailed": 0}
    partitions = visit(f"{dagster}/assets/toy/questions?view=partitions&partition={MONTH}")
    partitions.assert_text("Failed (2)", "Materialized (0)")
    partitions.assert_sound()


def test_mlflows_page_of_a_run_shows_its_inputs_and_results(visit, servers, project):
    client = MlflowClient(f"sqlite:///{project.root}/.silverloom/mlflow.db")
    experiment = client.get_experiment_by_name("toy").experiment_id
    condition = "tags.dataset = 'toy/questions' AND tags.partition = '2018-06'"
    (run,) = client.search_runs([experiment], condition)

    place = f"{servers.mlflow}/#/experiments/{experiment}/runs/{run.info.run_id}"
    opened = visit(f"{place}?workflowType=machine_learning", width=1400, height=2000)
    opened.assert_text("Finished", "toy.questions.words", "drop share", "data-quality page")
    opened.assert_text(f"sources/riddles 2018-06 ({run.inputs.dataset_inputs[0].dataset.digest})")
    sound(opened)


def sound(opened):
    """No fault except those of MLflow's own pages, which ask for the logged-in user although there is no login."""
    expected = ("ResizeObserver loop", "the server responded with a status of 404")
    opened.errors[:] = [error for error in opened.errors if not any(text in error for text in expected)]
    opened.failed[:] = [failed for failed in opened.failed if "/mlflow/users/current" not in failed]
    opened.assert_sound()


def test_a_page_of_another_origin_drives_nothing(foreign, servers):
    """By a GET, a POST of plain text or a WebSocket; test_foreign_pages.py tries everything else."""
    body = json.dumps({"query": WIPE % "lengths"})
    foreign.evaluate(FETCH, [operation(servers, WIPE % "lengths"), {}])
    foreign.evaluate(FETCH, [f"{servers.dagster}/graphql", {"method": "POST", "body": body}])
    socket = f"{servers.dagster.replace('http', 'ws')}/graphql"
    assert foreign.evaluate(SOCKET, [socket]) == "failed"
    assert "lengths" in made(servers)
