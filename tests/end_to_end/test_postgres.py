"""The state of Dagster and MLflow on a real Postgres server instead of SQLite files: the data are the same."""

import contextlib
import json
from pathlib import Path

import psutil
import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from dotenv import set_key
from mlflow import MlflowClient

from orchestration.workspace.postgres import with_driver
from tests.end_to_end.servers import failures, serving
from tests.end_to_end.ticks import broken
from tests.postgres import PASSWORD, QUOTED

RUNS = str(Path(__file__).with_name("runs.py"))

#: Datasets of one month that depend on each other, and read no other month.
CHOSEN = ["sources/papers", "sources/sentences"]
MONTHS = [f"2013-{number:02d}" for number in range(1, 9)]
FAILING = [MONTHS[1], MONTHS[4], MONTHS[6]]
#: Two of forty papers are not text; the months can all be made.
POISONED = {f"{MONTHS[2]}-a", f"{MONTHS[5]}-a"}


def name_servers(project, **servers):
    """Add servers to the project's .env."""
    for name, address in servers.items():
        set_key(project.root / ".env", name, address)


def passwords(project):
    """The files of a project that contain the password, except .env."""
    told = {text.encode() for text in (PASSWORD, QUOTED)}
    files = [path for path in project.root.rglob("*") if path.is_file() and ".git" not in path.parts]
    return [path for path in files if path.name != ".env" and any(text in path.read_bytes() for text in told)]


@pytest.mark.long
def test_a_run_with_its_state_on_postgres_makes_the_same_as_with_sqlite(done, fresh, postgres):
    runs = postgres.database()
    name_servers(fresh, SILVERLOOM_DAGSTER_POSTGRES=postgres.database(), MLFLOW_TRACKING_URI=runs)
    former = {path: path.stat().st_mtime_ns for path in (fresh.root / ".dagster").rglob("*.db")}
    fresh.silverloom("setup")
    assert "storage:\n  postgres:" in (fresh.root / ".dagster/dagster.yaml").read_text()
    fresh.run()
    assert fresh.lock == done.lock and fresh.data() == done.data()
    assert fresh.silverloom("health").strip() == "everything is fresh"
    assert {path: path.stat().st_mtime_ns for path in (fresh.root / ".dagster").rglob("*.db")} == former
    known = json.loads(fresh.zygote.run(fresh.root, [], path=RUNS, env={}).output.splitlines()[-1])
    assert {run["status"] for run in known} == {"SUCCESS"} and len(known) > 10
    client = MlflowClient(with_driver(runs))
    experiment = client.get_experiment_by_name("talksumm/pairs")
    found = client.search_runs([experiment.experiment_id])
    assert sorted(run.info.run_name for run in found) == ["2018-06", "2018-07"]
    assert found[0].info.artifact_uri.startswith("mlflow-artifacts:/"), "no path of this machine"
    assert not passwords(fresh)

    postgres.stop()
    try:
        month = ("--from", "2018-06", "--to", "2018-06", "--force")
        said = fresh.silverloom("backfill", *month, ok=False, env={"SILVERLOOM_JOBS": "1"})
    finally:
        postgres.start()
    (line,) = [line for line in said.splitlines() if line.startswith("error: ")]
    assert f"Postgres at 127.0.0.1:{postgres.port} (SILVERLOOM_DAGSTER_POSTGRES) cannot be used" in line
    assert PASSWORD not in said and QUOTED not in said
    assert fresh.silverloom("plan").strip() == "everything is up to date"


def eight_months(project):
    """Give a project five papers in each of eight months; one in twenty is not text."""
    folder = project.root / "corpus/papers"
    text = (folder / "alpha.txt").read_text()
    for path in folder.iterdir():
        path.unlink()
    for month in MONTHS:
        for letter in "abcde":
            words = text.replace("2018-06", month).replace("Rare", f"Rare {month} {letter}")
            content = words.encode()
            if f"{month}-{letter}" in POISONED:
                content = content.replace(b"## 1 Introduction", b"\xff\xfe\x00 Introduction")
            (folder / f"{month}-{letter}.txt").write_bytes(content)
    project.params(lambda params: params.update(partitions={"start": MONTHS[0], "end": MONTHS[-1]}))
    project.silverloom("render")


@pytest.mark.long
def test_a_backfill_with_poison_and_failures_makes_the_rest_and_a_second_makes_what_is_missing(
    fresh, postgres
):
    eight_months(fresh)
    name_servers(fresh, SILVERLOOM_DAGSTER_POSTGRES=postgres.database())
    fresh.silverloom("setup")
    places = [broken_again(fresh, "sources/papers", month) for month in FAILING]
    with serving(fresh.root) as servers:
        ended = servers.backfill(CHOSEN, MONTHS)
        assert ended["status"] == "COMPLETED_FAILED", ended
        failed = [run for run in ended["runs"] if run["status"] == "FAILURE"]
        causes = [cause for run in failed for cause in failures(servers, run["runId"])]
        for month in FAILING:
            assert any(f"sources/papers {month}: Is a directory" in cause for cause in causes), causes
        landed = manifests(fresh)
        assert sorted(landed) == sorted(
            f"{name}/{month}.json" for name in CHOSEN for month in MONTHS if month not in FAILING
        )
        assert rejected(fresh) == {f"text/{name}.txt" for name in POISONED}
        shown = [arguments(program.pid) for program in servers.programs]
        assert not any(secret in text for text in shown for secret in (PASSWORD, QUOTED))

        for place in places:
            place.rmdir()
        ended = servers.backfill(CHOSEN, MONTHS)
        assert ended["status"] == "COMPLETED_SUCCESS", ended
        assert len(manifests(fresh)) == len(CHOSEN) * len(MONTHS)
        assert landed.items() <= manifests(fresh).items(), "finished partitions are unchanged"
    assert not passwords(fresh)


def broken_again(project, dataset, month):
    """Do what `broken` does, for one more month."""
    (project.root / ".silverloom/damaged").unlink(missing_ok=True)
    return broken(project, dataset, month)


def rejected(project):
    """The rejected papers of all months; an unreadable paper has no month and is in the first."""
    places = sorted(project.root.glob("data/sources/papers/*/__rejected"))
    rows = pa.concat_tables([ds.dataset(place, format="parquet").to_table(["id"]) for place in places])
    counted = {
        path.stem: json.loads(path.read_text())["counts"]["rejected"]
        for path in (project.root / "manifests/sources/papers").glob("*.json")
    }
    assert counted == {month: len(POISONED) * (month == MONTHS[0]) for month in counted}
    assert len(rows) == len(POISONED), "one row for each"
    return set(rows["id"].to_pylist())


def manifests(project):
    """The manifests of the chosen datasets: when each was written, and its text."""
    found = [path for name in CHOSEN for path in (project.root / "manifests" / name).glob("*.json")]
    root = project.root / "manifests"
    return {path.relative_to(root).as_posix(): (path.stat().st_mtime_ns, path.read_text()) for path in found}


def arguments(pid):
    """The command lines of a process and its descendants, which any user of the machine can see."""
    process, words = psutil.Process(pid), []
    for member in (process, *process.children(recursive=True)):
        with contextlib.suppress(psutil.NoSuchProcess):  # or a zombie, which has no command line
            words += member.cmdline()
    return " ".join(words)
