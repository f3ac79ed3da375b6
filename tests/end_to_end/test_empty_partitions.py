"""All partitions without records are published together, when the first of them is made, by every driver."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import yaml

from tests.projects import BLOCKING, Project
from tests.systems import leave_out

YEARS = [str(year) for year in range(1974, 1982)]
#: Papers are from these years; all other years are empty.
FILLED = ["1976", "1980"]
PAPER = (
    "# On {year}\ndate: {year}\n\n## 1 Introduction\nThis is a sentence about {year} that is long enough.\n"
)


@pytest.fixture(scope="module")
def yearly_project(made_once, toy_project) -> Project:
    return made_once("yearly", yearly, toy_project)


def yearly(project: Project) -> None:
    leave_out(project.root, "toy")
    (project.root / "assets/systems/toy.py").unlink()
    folder = project.root / "corpus/papers"
    folder.mkdir()
    for year in FILLED:
        (folder / f"{year}.txt").write_text(PAPER.format(year=year))
    content = yaml.safe_load((project.root / "params.yaml").read_text())
    source = {"kind": "plain_text", "path": "corpus/papers", "month": {"field": "date"}, "licence": "CC0-1.0"}
    sections = {
        "partitions": {"every": "year", "start": int(YEARS[0]), "end": int(YEARS[-1])},
        "sources": {"papers": {"mine": source}},
        "parse": content["parse"],
    }
    (project.root / "params.yaml").write_text(yaml.safe_dump(sections))
    project.silverloom("render")
    project.commit("years")


@pytest.fixture
def project(yearly_project, tmp_path) -> Project:
    return yearly_project.copy(tmp_path / "project")


def manifests(project, dataset):
    """The manifests of a dataset by year."""
    folder = project.root / "manifests/sources" / dataset
    return {path.stem: json.loads(path.read_text()) for path in folder.glob("*.json")}


def test_a_plan_counts_empty_partitions_in_one_line(project):
    plan = project.silverloom("plan")
    assert "and 18 partitions without records, made together: sources/papers, sources/" in plan
    assert not any(f" {year} " in plan for year in YEARS if year not in FILLED)


def test_an_empty_partition_that_another_process_makes_is_not_waited_for(project):
    script = str(Path(__file__).with_name("copy_empty_beside.py"))
    ended = project.zygote.run(project.root, [], path=script)
    assert ended.status == 0, ended.output
    empty = [year for year in YEARS if year not in FILLED]
    assert ended.output.splitlines()[-1].split() == [year for year in empty if year not in ("1974", "1975")]


def test_the_first_run_reports_empty_partitions_to_dagster_and_sync_adds_nothing(project):
    project.silverloom("run")
    seen = project.dagster()
    assert {part["status"] for part in seen.values()} == {"FRESH"}
    for name, part in seen.items():
        if name.startswith("sources/"):
            assert part["checks"].items() >= BLOCKING.items(), name
    with closing(sqlite3.connect(project.root / ".dagster/history/runs.db")) as store:
        assert store.execute("SELECT count(*) FROM runs WHERE pipeline_name = 'sync'").fetchone() == (0,)


@pytest.mark.long
def test_making_one_empty_partition_publishes_all_others_of_its_dataset(project):
    output = project.silverloom("run")
    made = [name for name in project.made(output) if name.startswith("sources/")]
    assert len(made) == 3 * (1 + len(FILLED)), made
    seen = project.dagster()
    for dataset in ("papers", "citations", "sentences"):
        found = manifests(project, dataset)
        empty = [year for year in found if year not in FILLED]
        assert sorted(found) == YEARS and len({json.dumps(found[year]["files"]) for year in empty}) == 1
        assert len({json.dumps(found[year]["checks"]) for year in empty}) == 1
        assert len({seen[f"sources/{dataset} {year}"]["run"] for year in empty}) == 1
    assert "everything is up to date" in project.silverloom("plan")
    assert project.silverloom("health").splitlines()[-1] == "2 warning", "two papers are short"
    assert project.made(project.silverloom("run")) == []
    assert project.dvc_status() == {}
    assert not {name: shown for name, shown in seen.items() if shown["status"] != "FRESH"}


def test_a_plan_counts_obsolete_partitions_in_one_line(project):
    for name in ("papers/2018-06", "papers/2018-07", "citations/2018-06", "citations/2018-07", "papers/1976"):
        (project.root / "data/sources" / name).mkdir(parents=True)
    assert [line for line in project.silverloom("plan").splitlines() if "no longer" in line] == [
        "would be removed, no longer partitions (4): "
        "sources/papers 2018-06, sources/papers 2018-07, sources/citations 2018-06, ..."
    ]


@pytest.mark.long
def test_without_periods_there_is_one_partition_and_no_month_is_needed(project):
    def undated(params):
        params["partitions"] = {"every": "none"}
        del params["sources"]["papers"]["mine"]["month"]

    project.run()
    project.params(undated)
    output = project.run()
    assert "sources/papers all: 2 kept" in output
    assert [line for line in output.splitlines() if "no longer partitions" in line] == [
        "removed, no longer partitions (24): sources/papers 1974, sources/papers 1975, sources/papers 1976, ..."
    ]
    folder = project.root / "data/sources/papers"
    assert [path.name for path in folder.iterdir()] == ["all"]
    assert not {name: shown for name, shown in project.dagster().items() if shown["status"] != "FRESH"}
    assert "every: none" in project.silverloom("backfill", "--from", "2018", "--to", "2018", ok=False)
    project.params(lambda params: params["partitions"].update(every="year", start=1974, end=1981))
    assert "sources.papers.mine.month is missing" in project.silverloom("plan", ok=False)
