"""A system is a set of files: adding them adds it, deleting them removes it, and nothing else is edited."""

import csv
import filecmp
import io
import subprocess
import sys

import pytest
import yaml

from tests.end_to_end.stores import runs
from tests.projects import BLOCKING, CODE, LEFT_OUT, ROOT, datasets
from tests.systems import TOY, own_folders, put_in_toy

MADE = ("sources/riddles", "toy/questions", "toy/lengths", "toy/model", "toy/rating_sheets")

ANSWER = """
import sys
import pandas
from mlflow.pyfunc import load_model
asked = pandas.DataFrame({"question": ["What has keys but opens no locks?", "Who?"]})
print(load_model(sys.argv[1]).predict(asked)["answer"].tolist())
"""


@pytest.fixture(scope="module")
def with_toy(done_project, tmp_path_factory):
    """A finished checkout with the files of a third system added."""
    project = done_project.copy(tmp_path_factory.mktemp("toy") / "checkout")
    put_in_toy(project.root)
    project.silverloom("render")
    project.commit("a third system")
    return project


@pytest.fixture(scope="module")
def made(with_toy, tmp_path_factory):
    """The same after a run of the third system and then of everything stale: the project and both outputs."""
    project = with_toy.copy(tmp_path_factory.mktemp("made") / "checkout")
    return project, project.silverloom("run", "--select", "toy"), project.run()


def test_a_system_is_added_by_its_own_files_only():
    places = [path.relative_to(TOY).as_posix() for path in TOY.rglob("*") if path.is_file()]
    own = (*(f"{folder}/" for folder in own_folders("toy")), "assets/systems/toy.py", "data/sample/riddles/")
    assert all(place.startswith(own) for place in places if "__pycache__" not in place)
    assert not any((ROOT / place).exists() for place in places)


def test_a_third_system_is_made_and_checked_and_no_other_system_is_remade(made):
    project, first, second = made
    assert {name.split()[0] for name in project.made(first)} == set(MADE)
    assert "toy/questions 2018-06: 3 kept, 1 dropped, 0 rejected" in first
    assert "sources/riddles 2018-06: 4 kept, 0 dropped, 1 rejected" in first
    assert project.made(second) == []
    seen = project.dagster()
    assert {part["status"] for part in seen.values()} == {"FRESH"}
    for name in MADE:
        parts = [part for label, part in seen.items() if label.split()[0] == name]
        assert parts and all(part["checks"].items() >= BLOCKING.items() for part in parts), name


def test_a_third_system_has_pages_of_its_datasets_and_pages_of_its_own(made):
    pages = made[0].root / "data/quality/pages"
    for name in MADE:
        assert (pages / f"datasets/{name.replace('/', '-')}.html").exists()
    assert "What has keys" in (pages / "riddles.html").read_text()
    assert 'href="riddles.html"' in (pages / "index.html").read_text()
    assert "words of the question" in (pages / "what-if.html").read_text()


def test_the_runs_of_a_third_system_are_in_mlflow_with_trials_and_a_working_model(made, tmp_path):
    project = made[0]
    tracked = runs(project, "toy/questions")
    assert set(tracked) == {"2018-06"}, "no unit is of the other month"
    assert tracked["2018-06"].data.params["toy.questions.words"] == "4"
    tried = {name: run.data.metrics for name, run in runs(project, "toy/lengths").items() if name != "all"}
    assert tried == {
        "least=4": {"share": 1.0},
        "least=6": {"share": 1.0},
        "least=7": {"share": pytest.approx(2 / 3)},
    }
    (output,) = runs(project, "toy/model")["by_heart"].outputs.model_outputs
    folder = project.root / ".silverloom/mlflow/toy/models" / output.model_id / "artifacts"
    # In another process: here, `ops` is this checkout's, which has no such system.
    done = subprocess.run(
        [sys.executable, "-c", ANSWER, folder], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stdout.splitlines()[-1:] == ["['A piano', 'nobody knows']"], done.stderr


def test_a_third_system_has_a_rating_sheet_for_each_rater(made):
    folder = made[0].root / "data/toy/rating_sheets/__files/sheets"
    for rater in ("ann", "bob"):
        text = (folder / rater / "toy_riddles.csv").read_text(encoding="utf-8-sig")
        rows = list(csv.DictReader(io.StringIO(text)))
        assert len(rows) == 3 and all(row["answer: funny"] == "" for row in rows)


@pytest.mark.long
def test_dvc_makes_the_same_bytes_of_a_third_system(made, with_toy, tmp_path):
    project = with_toy.copy(tmp_path / "checkout")
    output = project.repro()
    assert "Running stage 'toy-questions'" in output and "Running stage 'talksumm" not in output
    assert yaml.safe_load(project.lock) == yaml.safe_load(made[0].lock)
    assert project.data() == made[0].data()


def test_a_project_without_a_system_lacks_its_files_and_no_other_differs(fresh_project):
    own = tuple(f"{folder}/" for system in LEFT_OUT for folder in own_folders(system))
    for package in CODE:
        for path in (ROOT / package).rglob("*"):
            if path.is_file() and path.suffix in {".py", ".html", ".js", ".css", ".yaml"}:
                place = path.relative_to(ROOT).as_posix()
                copy = fresh_project.root / place
                assert copy.exists() != place.startswith(own), place
                assert not copy.exists() or filecmp.cmp(path, copy, shallow=False), place


def test_a_project_without_a_system_makes_all_others(done):
    assert {name.split()[0] for name in done.dagster()} == set(datasets())
    index = (done.root / "data/quality/pages/index.html").read_text().lower()
    for system in LEFT_OUT:
        assert not any(system in place for place in done.data())
        assert system not in index


def test_a_section_of_a_missing_system_is_refused_by_name(fresh):
    fresh.params(lambda params: params.update(discofuse={"rules": {}}))
    assert "unknown key discofuse" in fresh.silverloom("plan", ok=False)
