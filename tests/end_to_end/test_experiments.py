"""Experiments by DVC's own commands: in place, in its queue, side by side, and as plots that need no network."""

import csv
import io

import pytest

pytestmark = pytest.mark.long

EXPERIMENTS = {
    "half": "++talksumm.training_sets.validation=0.5",
    "few": "++talksumm.training_sets.sets=[words_150]",
}


@pytest.fixture(scope="module")
def queued(done_project, tmp_path_factory):
    """A checkout in which DVC's queue has finished two experiments."""
    project = done_project.copy(tmp_path_factory.mktemp("queue") / "checkout")
    project.silverloom("setup")  # as `make setup` does
    before = project.data(), project.lock
    for name, change in EXPERIMENTS.items():
        assert f"Queued experiment '{name}'" in project.dvc("exp", "run", "--queue", "-n", name, "-S", change)
    assert [row["Status"] for row in status(project)] == ["Queued", "Queued"]
    output = project.dvc("exp", "run", "--run-all")
    yield project, before, output
    project.dvc("queue", "stop", "--kill")


def status(project):
    """The rows of `dvc queue status`."""
    lines = project.dvc("queue", "status").split("\n\n")[0].splitlines()
    starts = [lines[0].index(name) for name in ("Task", "Name", "Created", "Status")]
    cuts = list(zip(starts, [*starts[1:], None], strict=True))
    return [
        dict(zip(("Task", "Name", "Created", "Status"), (line[a:b].strip() for a, b in cuts), strict=True))
        for line in lines[1:]
    ]


def shown(project):
    """The rows of `dvc exp show`, by experiment; the first one with its name is the workspace's."""
    rows = csv.DictReader(io.StringIO(project.dvc("exp", "show", "--csv")))
    return {row["Experiment"] or row["rev"]: row for row in rows}


def test_experiments_are_shown_side_by_side_with_params_counts_and_scores(queued):
    rows = shown(queued[0])
    assert {"workspace", "main", *EXPERIMENTS} <= rows.keys()
    assert rows["half"]["talksumm.training_sets.validation"] == "0.5"
    kept = "training_sets.kept"
    assert float(rows["few"][kept]) < float(rows["main"][kept]) == float(rows["half"][kept])
    assert rows["main"]["alignments.posterior"]


def test_the_queue_finishes_and_leaves_the_workspace_unchanged_for_every_tool(queued):
    project, (data, lock), output = queued
    assert {row["Name"]: row["Status"] for row in status(project)} == dict.fromkeys(EXPERIMENTS, "Success"), (
        output
    )
    assert project.made(output), "their stages report what they made"
    assert (project.data(), project.lock) == (data, lock)
    assert project.git("status", "--porcelain") == ""
    assert project.dvc_status() == {}
    assert project.made(project.run()) == []
    assert {part["status"] for part in project.dagster().values()} == {"FRESH"}


def test_plots_of_two_experiments_are_drawn_without_a_network(queued, visit, tmp_path):
    project = queued[0]
    project.dvc("plots", "diff", "main", "few", "-o", str(tmp_path / "two plots"))
    page = visit(tmp_path / "two plots/index.html")
    page.page.wait_for_selector("main svg")
    tables = len(list((project.root / "metrics").glob("*.csv")))
    assert tables
    page.page.wait_for_function(
        "count => document.querySelectorAll('main > div svg.marks').length == count", arg=tables
    )
    assert page.page.locator(".failed").count() == 0
    page.assert_text("training_sets", "not_a_training_set", "few")
    page.assert_sound()


def test_an_experiment_in_place_changes_the_workspace_and_can_be_reverted(done):
    before = done.data(), done.lock
    output = done.dvc("exp", "run", "-S", EXPERIMENTS["few"])
    trained = {"training_sets", "talk_examples", "release_files", "extractor", "system_summaries"}
    assert {name.split()[0] for name in done.made(output)} == {f"talksumm/{name}" for name in trained}
    assert "talksumm.training_sets.sets" in done.dvc("params", "diff")
    assert "training_sets.kept" in done.dvc("metrics", "diff")
    assert {part["status"] for part in done.dagster().values()} == {"FRESH"}
    assert done.dvc_status() == {}
    done.git("checkout", ".")
    done.dvc("checkout", "--force")
    assert (done.data(), done.lock) == before
    assert done.made(done.run()) == []
