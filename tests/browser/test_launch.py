"""Launches on Dagster's pages, run by its daemon: a backfill, and only the checks of a dataset.

Belongs here: clicks, and their results on disk, in Dagster and in MLflow. Not here: what the pages show
(test_make_ui.py), backfills, sensors and schedules without a browser (end_to_end/test_daemon.py).
"""

import pytest

from tests.end_to_end.corpus import write_paper
from tests.end_to_end.servers import BACKFILL, END, serving
from tests.end_to_end.stores import runs as runs_in_mlflow
from tests.projects import BLOCKING

pytestmark = pytest.mark.long

MONTHS = ("2018-06", "2018-07", "2018-08")
CHOSEN = ("sources/papers", "sources/sentences")
BACKFILLS = """{ partitionBackfillsOrError { ... on PartitionBackfills { results { id partitionNames
  assetSelection { path } } } } }"""
RUNS = """{ runsOrError { ... on Runs { results { id status assetCheckSelection { name } assetSelection { path }
  eventConnection(limit: 1000) { events { __typename
  ... on AssetCheckEvaluationEvent { evaluation { checkName success partition } } } } } } } }"""


@pytest.fixture(scope="module")
def by_click(fresh_project, tmp_path_factory):
    """A checkout with three months in which nothing has run, and an identical one."""
    project = fresh_project.copy(tmp_path_factory.mktemp("click") / "checkout")
    project.params(lambda params: params["partitions"].update(end=MONTHS[-1]))
    write_paper(project.root / "corpus", "epsilon", MONTHS[-1])
    project.silverloom("render")
    project.silverloom("setup")
    project.commit()
    return project, project.copy(tmp_path_factory.mktemp("command") / "checkout")


def test_a_backfill_launched_in_the_browser_leaves_the_same_state_as_a_command(by_click, visit):
    project, other = by_click
    with serving(project.root) as servers:
        keys = " or ".join(f'key:"{name}"' for name in CHOSEN)
        assets = visit(f"{servers.address}/assets?asset-selection={keys}")
        assets.page.get_by_role("checkbox").first.locator("xpath=..").click()  # Dagster draws a label over it
        assets.page.get_by_role("button", name="Materialize selected").click()
        dialog = assets.page.get_by_role("dialog")
        dialog.get_by_role("button", name="All", exact=True).click()
        dialog.get_by_text("3 partitions").wait_for()
        dialog.get_by_role("button", name="Launch backfill").click()
        dialog.wait_for(state="hidden")
        (backfill,) = servers.ask(BACKFILLS)["partitionBackfillsOrError"]["results"]
        assert {"/".join(key["path"]) for key in backfill["assetSelection"]} == set(CHOSEN)
        ended = servers.until(
            lambda: servers.ask(BACKFILL, id=backfill["id"])["partitionBackfillOrError"],
            lambda found: found["status"] in END,
        )
        assert ended["status"] == "COMPLETED_SUCCESS", ended
        assert {run["status"] for run in ended["runs"]} == {"SUCCESS"}
        assets.go(f"{servers.address}/runs/b/{backfill['id']}")
        assets.assert_text("Succeeded")
        assets.assert_sound()
    for name in CHOSEN:
        other.silverloom("run", "--select", name)
    assert files(project) == files(other)
    states = project.dagster()
    for name in CHOSEN:
        for month in MONTHS:
            state = states[f"{name} {month}"]
            assert (state["status"], state["shown"]) == ("FRESH", "MATERIALIZED")
            assert state["checks"].items() >= BLOCKING.items()
    project.silverloom("send")  # what the daemon has not sent yet
    for name in CHOSEN:
        tracked = runs_in_mlflow(project, name)
        assert tracked.keys() == set(MONTHS) and {run.info.status for run in tracked.values()} == {"FINISHED"}
    assert not any(f"{name} " in project.silverloom("plan") for name in CHOSEN)


def files(project):
    """Every byte of the data and the manifests."""
    folders = [project.root / folder / name for folder in ("data", "manifests") for name in CHOSEN]
    found = [file for folder in folders for file in folder.rglob("*") if file.is_file()]
    assert len({file.parent for file in found}) >= len(CHOSEN) * (len(MONTHS) + 1)
    return {file.relative_to(project.root).as_posix(): file.read_bytes() for file in sorted(found)}


def test_all_checks_of_a_dataset_run_in_the_browser_and_nothing_is_made(done, visit):
    done.silverloom("setup")  # its own store, not that of the checkout that it was copied from
    made, manifests = times(done, "data"), times(done, "manifests")
    before = done.data()
    with serving(done.root) as servers:
        known = {run["id"] for run in runs(servers)}
        checks = visit(f"{servers.address}/assets/talksumm/pairs?view=checks")
        checks.page.get_by_role("button", name="Execute all").click()
        (run,) = servers.until(
            lambda: [run for run in runs(servers) if run["id"] not in known],
            lambda found: found and all(run["status"] in ("SUCCESS", "FAILURE") for run in found),
        )
        checks.assert_text("Passed")
        checks.assert_sound()
    assert run["status"] == "SUCCESS" and not run["assetSelection"]
    events = run["eventConnection"]["events"]
    assert "MaterializationEvent" not in {event["__typename"] for event in events}
    evaluations = [event["evaluation"] for event in events if "evaluation" in event]
    found = {(one["checkName"], one["partition"]): one["success"] for one in evaluations}
    named = ("conservation", "schema", "expectations", "warnings")
    assert found == {(name, month): True for name in named for month in ("2018-06", "2018-07", None)}
    assert done.data() == before
    assert (times(done, "data"), times(done, "manifests")) == (made, manifests)
    assert done.made(done.run()) == []


def runs(servers):
    return servers.ask(RUNS)["runsOrError"]["results"]


def times(project, folder):
    """Inode and time of each file, which would change if it were written again."""
    return {file: file.stat().st_ino for file in (project.root / folder).rglob("*") if file.is_file()}
