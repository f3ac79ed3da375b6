"""Failed expectations block dependants, warnings do not, and a changed suite makes no dataset."""

import json
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from silverloom.orchestration.files.identity import folder_hashes
from tests.programs import SCRIPTS

SUITE, BOUND = "assets/systems/toy.py", 'between("words", 1)'
TOO_HIGH = 'between("words", 20)'
MONTHS = ("2018-06", "2018-07")


def rows(folder):
    return pa.concat_tables(
        [pq.read_table(path) for path in sorted(folder.glob("kept-*.parquet"))]
    ).to_pylist()


def failing(project, month):
    return project.root / f"data/quality/failing/toy/questions/{month}.parquet"


def inodes(project):
    """Inode and time of each data file, which would change if it were written again."""
    return {path: path.stat().st_ino for path in (project.root / "data").rglob("*.parquet")}


def rows_of(project):
    """The bytes of all data, without the manifests, which name the expectations that were met."""
    return {name: content for name, content in project.data().items() if not name.startswith("manifests/")}


def plan(project):
    return [line.split(maxsplit=3) for line in project.silverloom("plan").splitlines()]


def test_an_error_blocks_its_dependants_in_both_drivers_until_it_is_gone(done_toy):
    lock, data, former = done_toy.lock, done_toy.data(), done_toy.dagster()
    done_toy.edit(SUITE, BOUND, TOO_HIGH)
    output = done_toy.run(ok=False)
    assert (
        "toy/questions 2018-06: failed: check expectations failed: words at least 20: "
        "violated in 3 rows (7, 6); failing rows: data/quality/failing/toy/questions/2018-06.parquet"
        in output
    )
    for name in ("lengths", "model", "rating_sheets"):
        assert f"failed toy/{name}: needs toy/questions 2018-0" in output
    for month in MONTHS:
        kept = rows(done_toy.root / f"data/toy/questions/{month}")
        found = pq.read_table(failing(done_toy, month)).to_pylist()
        assert [{name: row[name] for name in kept[0]} for row in found] == kept  # every failing row, whole
        assert {tuple(row["failed"]) for row in found} == {("words at least 20",)}
    states = done_toy.dagster()
    assert states["toy/questions 2018-06"]["checks"]["expectations"] is False
    assert states["toy/questions 2018-06"]["checks"]["warnings"] is True
    assert states["toy/questions 2018-06"]["run"] == former["toy/questions 2018-06"]["run"], (
        "not materialised"
    )

    repro = done_toy.repro(ok=False)
    assert "check expectations failed" in repro and "Running stage 'toy-lengths'" not in repro
    assert ["toy/questions", "2018-06", "checked", "its checks failed"] in plan(done_toy)

    done_toy.edit(SUITE, TOO_HIGH, BOUND)
    assert set(done_toy.made(done_toy.run())) == {f"toy/questions {month}" for month in MONTHS}
    assert not [month for month in MONTHS if failing(done_toy, month).exists()]
    states = done_toy.dagster()
    assert set(states["toy/questions 2018-06"]["checks"].values()) == {True}
    assert states["toy/questions 2018-06"]["shown"] == "MATERIALIZED"
    assert done_toy.lock == lock and done_toy.data() == data


def test_a_failed_check_leaves_the_previous_partition_and_its_manifest(failed, done_toy_project):
    for folder in ("data/toy/questions", "manifests/toy/questions"):
        before, after = (folder_hashes(project.root / folder) for project in (done_toy_project, failed))
        assert before and after == before
    assert ["toy/questions", "2018-06", "yes", "code changed"] in plan(failed)


@pytest.mark.long
def test_a_warning_blocks_nothing_and_its_rows_are_kept(done_toy):
    done_toy.edit(SUITE, BOUND, 'between("words", 20, None, "warning")')
    made = done_toy.made(done_toy.run())
    assert [name for name in made if name.startswith("toy")] == [f"toy/questions {month}" for month in MONTHS]
    states = done_toy.dagster()
    assert {part["status"] for part in states.values()} == {"FRESH"}
    assert states["toy/questions 2018-06"]["checks"]["warnings"] is False
    assert states["toy/questions 2018-06"]["checks"]["expectations"] is True
    assert pq.read_metadata(failing(done_toy, "2018-06")).num_rows == 3
    done_toy.repro()
    assert plan(done_toy) == [["everything", "is", "up", "to date"]]


@pytest.mark.long
def test_changed_expectations_are_validated_again_and_nothing_is_made(done_toy):
    data, written = rows_of(done_toy), inodes(done_toy)
    done_toy.edit(SUITE, BOUND, 'between("words", 0)')
    assert {tuple(line) for line in plan(done_toy)[1:] if line[2] == "checked"} == {
        ("toy/questions", month, "checked", "its checks changed") for month in MONTHS
    }
    output = done_toy.repro()
    assert "toy/questions 2018-06: 3 kept, 1 dropped, 0 rejected" in output
    assert "toy/lengths" not in output
    assert rows_of(done_toy) == data and inodes(done_toy) == written
    done_toy.commit("other expectations")
    assert "everything is up to date" in done_toy.silverloom("plan")


def check_alone(project, *chosen):
    """Run all or some checks of a dataset without making it; return whether they passed, and the results."""
    ended = project.zygote.run(project.root, list(chosen), path=str(SCRIPTS / "check_alone.py"))
    assert ended.status == 0, ended.output
    return json.loads(ended.output.splitlines()[-1])


def test_a_check_that_runs_alone_says_nothing_about_the_others(done_toy):
    done_toy.edit(SUITE, BOUND, TOO_HIGH)
    passed, found = check_alone(done_toy, "toy/questions", "schema")
    assert passed and {name for name, *_ in found} == {"schema"}
    assert ["toy/questions", "2018-06", "checked", "its checks changed"] in plan(done_toy)
    passed, found = check_alone(done_toy, "toy/questions", "expectations")
    assert not passed and ["expectations", "2018-06", False] in found
    assert ["toy/questions", "2018-06", "checked", "its checks failed"] in plan(done_toy)
    done_toy.edit(SUITE, TOO_HIGH, BOUND)
    check_alone(done_toy, "toy/questions", "expectations")
    assert ["toy/questions", "2018-06", "checked", "its checks failed"] in plan(done_toy), (
        "another may have failed"
    )
    passed, _ = check_alone(done_toy, "toy/questions")
    assert passed and plan(done_toy) == [["everything", "is", "up", "to date"]]


def test_a_new_dagster_store_does_not_show_a_failed_check_as_passed(done_toy):
    done_toy.edit(SUITE, BOUND, TOO_HIGH)
    passed, _ = check_alone(done_toy, "toy/questions")
    assert not passed
    shutil.rmtree(done_toy.root / ".dagster")
    told = done_toy.silverloom("sync").splitlines()
    assert "sources/riddles 2018-06" in told
    assert not [name for name in told if name.startswith("toy/questions")]
    state = done_toy.dagster()["toy/questions 2018-06"]
    assert (state["shown"], state["run"], state["checks"]) == (None, None, {})
