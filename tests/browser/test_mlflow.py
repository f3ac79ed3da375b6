"""MLflow's pages, as a browser shows them, of a finished project."""

import pytest
from mlflow import MlflowClient

from tests.browser.servers import ui, wait


@pytest.fixture(scope="module")
def mlflow(tmp_path_factory, done_project):
    project = done_project.copy(tmp_path_factory.mktemp("mlflow") / "checkout")
    with ui(project.root) as servers:
        wait(f"{servers.mlflow}/health")
        yield project, servers


def test_the_page_of_a_run_shows_what_it_read_and_how_it_came_out(visit, mlflow):
    project, servers = mlflow
    client = MlflowClient(f"sqlite:///{project.root}/.silverloom/mlflow.db")
    experiment = client.get_experiment_by_name("talksumm/alignments").experiment_id
    (run,) = client.search_runs([experiment], "tags.partition = '2018-06'")

    opened = visit(f"{servers.pages}/to/mlflow/talksumm/alignments/2018-06", width=1400, height=2000)
    opened.assert_text("Finished", "talksumm.hmm.lambda", "drop share", "data-quality page")
    opened.assert_text(f"talksumm/pairs 2018-06 ({run.inputs.dataset_inputs[0].dataset.digest})")
    assert run.info.run_id in opened.page.url
    sound(opened)


def test_experiments_are_the_datasets_and_list_their_partitions(visit, mlflow):
    _, servers = mlflow
    opened = visit(f"{servers.mlflow}/#/experiments?workflowType=machine_learning", width=1400)
    opened.assert_text("talksumm/summaries")
    opened.page.get_by_text("talksumm/pairs", exact=True).first.click()
    opened.assert_text("2018-06", "2018-07")
    sound(opened)


def sound(opened):
    """Nothing went wrong, but for a remark of the browser on how often MLflow's page measures itself."""
    opened.errors[:] = [error for error in opened.errors if "ResizeObserver loop" not in error]
    opened.assert_sound()
