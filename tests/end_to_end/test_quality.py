"""Failed expectations block dependants, warnings do not, and a changed suite makes no dataset."""

import json
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from silverloom.orchestration.files.identity import folder_hashes
from tests.projects import SCRIPTS

SUITE, BOUND = "assets/systems/talksumm/datasets.py", 'between("similarity", 0, 1)'
TOO_HIGH = 'between("similarity", 2, 3)'
MONTHS = ("2018-06", "2018-07")


def rows(folder):
    return pa.concat_tables(
        [pq.read_table(path) for path in sorted(folder.glob("kept-*.parquet"))]
    ).to_pylist()


def failing(project, month):
    return project.root / f"data/quality/failing/talksumm/pairs/{month}.parquet"


def inodes(project):
    """Inode and time of each data file, which would change if it were written again."""
    return {path: path.stat().st_ino for path in (project.root / "data").rglob("*.parquet")}


def rows_of(project):
    """The bytes of all data, without the manifests, which name the expectations that were met."""
    return {name: content for name, content in project.data().items() if not name.startswith("manifests/")}


def plan(project):
    return [line.split(maxsplit=3) for line in project.silverloom("plan").splitlines()]


def test_an_error_blocks_its_dependants_in_both_drivers_until_it_is_gone(done):
    lock, data, former = done.lock, done.data(), done.dagster()
    done.edit(SUITE, BOUND, TOO_HIGH)
    output = done.run(ok=False)
    assert (
        "talksumm/pairs 2018-06: failed: check expectations failed: similarity at least 2 and at most 3: "
        "violated in 2 rows (1.0); failing rows: data/quality/failing/talksumm/pairs/2018-06.parquet"
        in output
    )
    assert "failed talksumm/alignments 2018-06: needs talksumm/pairs 2018-06, which failed" in output
    assert "failed talksumm/training_sets: needs talksumm/" in output
    for month in MONTHS:
        kept = rows(done.root / f"data/talksumm/pairs/{month}")
        found = pq.read_table(failing(done, month)).to_pylist()
        assert [{name: row[name] for name in kept[0]} for row in found] == kept  # every failing row, whole
        assert {tuple(row["failed"]) for row in found} == {("similarity at least 2 and at most 3",)}
    states = done.dagster()
    assert states["talksumm/pairs 2018-06"]["checks"]["expectations"] is False
    assert states["talksumm/pairs 2018-06"]["checks"]["warnings"] is True
    assert states["talksumm/pairs 2018-06"]["run"] == former["talksumm/pairs 2018-06"]["run"], (
        "not materialised"
    )

    repro = done.repro(ok=False)
    assert "check expectations failed" in repro and "talksumm_alignments" not in repro.split("failed")[0]
    assert ["talksumm/pairs", "2018-06", "checked", "its checks failed"] in plan(done)

    done.edit(SUITE, TOO_HIGH, BOUND)
    assert set(done.made(done.run())) == {f"talksumm/pairs {month}" for month in MONTHS}
    assert not [month for month in MONTHS if failing(done, month).exists()]
    states = done.dagster()
    assert set(states["talksumm/pairs 2018-06"]["checks"].values()) == {True}
    assert states["talksumm/pairs 2018-06"]["shown"] == "MATERIALIZED"
    assert done.lock == lock and done.data() == data


def test_a_failed_check_leaves_the_previous_partition_and_its_manifest(failed, done_project):
    for folder in ("data/talksumm/summaries", "manifests/talksumm/summaries"):
        before, after = (folder_hashes(project.root / folder) for project in (done_project, failed))
        assert before and after == before
    assert ["talksumm/summaries", "2018-06", "yes", "code changed"] in plan(failed)


@pytest.mark.long
def test_a_warning_blocks_nothing_and_its_rows_are_kept(done):
    done.edit(SUITE, BOUND, 'between("similarity", 2, 3, "warning")')
    made = done.made(done.run())
    assert [name for name in made if name.startswith("talksumm")] == [
        "talksumm/pairs 2018-06",
        "talksumm/pairs 2018-07",
    ]
    states = done.dagster()
    assert {part["status"] for part in states.values()} == {"FRESH"}
    assert states["talksumm/pairs 2018-06"]["checks"]["warnings"] is False
    assert states["talksumm/pairs 2018-06"]["checks"]["expectations"] is True
    assert pq.read_metadata(failing(done, "2018-06")).num_rows == 2
    done.repro()
    assert plan(done) == [["everything", "is", "up", "to date"]]


@pytest.mark.long
def test_changed_expectations_are_validated_again_and_nothing_is_made(done):
    data, written = rows_of(done), inodes(done)
    done.edit(SUITE, BOUND, 'between("similarity", 0, 0.999999 + 1)')
    assert {tuple(line) for line in plan(done)[1:] if line[2] == "checked"} == {
        ("talksumm/pairs", month, "checked", "its checks changed") for month in MONTHS
    }
    output = done.repro()
    assert "talksumm/pairs 2018-06: 2 kept, 1 dropped, 0 rejected" in output
    assert "talksumm/alignments 2018" not in output
    assert rows_of(done) == data and inodes(done) == written
    done.commit("other expectations")
    assert "everything is up to date" in done.silverloom("plan")


def check_alone(project, *chosen):
    """Run all or some checks of a dataset without making it; return whether they passed, and the results."""
    ended = project.zygote.run(project.root, list(chosen), path=str(SCRIPTS / "check_alone.py"))
    assert ended.status == 0, ended.output
    return json.loads(ended.output.splitlines()[-1])


def test_a_check_that_runs_alone_says_nothing_about_the_others(done):
    done.edit(SUITE, BOUND, TOO_HIGH)
    passed, found = check_alone(done, "talksumm/pairs", "schema")
    assert passed and {name for name, *_ in found} == {"schema"}
    assert ["talksumm/pairs", "2018-06", "checked", "its checks changed"] in plan(done)
    passed, found = check_alone(done, "talksumm/pairs", "expectations")
    assert not passed and ["expectations", "2018-06", False] in found
    assert ["talksumm/pairs", "2018-06", "checked", "its checks failed"] in plan(done)
    done.edit(SUITE, TOO_HIGH, BOUND)
    check_alone(done, "talksumm/pairs", "expectations")
    assert ["talksumm/pairs", "2018-06", "checked", "its checks failed"] in plan(done), (
        "another may have failed"
    )
    passed, _ = check_alone(done, "talksumm/pairs")
    assert passed and plan(done) == [["everything", "is", "up", "to date"]]


def test_a_new_dagster_store_does_not_show_a_failed_check_as_passed(done):
    done.edit(SUITE, BOUND, TOO_HIGH)
    passed, _ = check_alone(done, "talksumm/pairs")
    assert not passed
    shutil.rmtree(done.root / ".dagster")
    told = done.silverloom("sync").splitlines()
    assert "talksumm/alignments 2018-06" in told
    assert not [name for name in told if name.startswith("talksumm/pairs")]
    state = done.dagster()["talksumm/pairs 2018-06"]
    assert (state["shown"], state["run"], state["checks"]) == (None, None, {})
