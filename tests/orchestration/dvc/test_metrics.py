"""What DVC compares of a dataset: counts, funnel, distributions and scores, read from the partitions on disk."""

import dataclasses
import json
import threading

import pytest

from silverloom.ops.core.measures import DatasetScore
from silverloom.orchestration.definitions import workspace
from silverloom.orchestration.dvc import metrics
from tests.orchestration.dvc.measuring import MONTHS, measured


@pytest.fixture
def project(tmp_workspace):
    return measured(tmp_workspace)


def test_the_funnel_has_each_month_and_reason_and_sums_to_the_counts(project):
    project.put("2018-06", [3, 4], ["short", "short", "long"], ["bad"])
    project.put("2018-07", [], ["long"])
    project.write()
    assert project.table("funnel") == [
        ("2018-06", "kept", "kept", "2"),
        ("2018-06", "dropped", "long", "1"),
        ("2018-06", "dropped", "short", "2"),
        ("2018-06", "rejected", "rejected", "1"),
        ("2018-07", "kept", "kept", "0"),
        ("2018-07", "dropped", "long", "1"),
        ("2018-08", "kept", "kept", "0"),
    ]
    numbers = project.numbers
    for outcome in ("kept", "dropped", "rejected"):
        rows = [int(line[3]) for line in project.table("funnel") if line[1] == outcome]
        assert sum(rows) == numbers[outcome]


def test_distributions_sum_the_months_from_the_first_bin_with_rows_to_the_last(project):
    project.put("2018-06", [3, 12])
    project.put("2018-08", [3, 60])
    project.write()
    assert [line for line in project.table("distributions") if line[0] == "last_word"] == [
        ("last_word", "2", "5", "2"),
        ("last_word", "5", "10", "0"),
        ("last_word", "10", "20", "1"),
        ("last_word", "20", "50", "0"),
        ("last_word", "50", "100", "1"),
    ]
    assert {line[0] for line in project.table("distributions")} == set(project.dataset.measures)


def test_scores_are_over_all_months_and_left_out_if_there_is_none(project):
    project.write()
    assert project.numbers == {"kept": 0}
    project.put("2018-06", [3, 12])
    project.put("2018-08", [3])
    project.write()
    assert project.numbers == {"kept": 3, "words": 6.0, "longest": 12.0}


def test_the_numbers_are_of_datasets_with_scores_alone_and_the_plots_of_all(project):
    project.put("2018-06", [3, 12])
    project.write()
    scored = project.dataset
    project.dataset = dataclasses.replace(scored, scores={})
    project.file(".json").unlink()
    project.write()
    assert not project.file(".json").exists() and project.table("funnel")
    assert metrics.metrics_files(project.workspace, [project.dataset]) == []
    assert metrics.metrics_files(project.workspace, [project.dataset, scored]) == [project.file(".json")]


def test_a_dataset_without_rows_can_be_plotted(project):
    project.write()
    assert len(project.table("funnel")) == len(MONTHS)
    assert project.table("distributions") == [
        ("last_word", "0", "1", "0"),
        ("sentence.characters", "0", "1", "0"),
    ]


def test_a_partition_is_read_again_only_if_it_or_the_declared_measures_have_changed(project, monkeypatch):
    project.put("2018-06", [3])
    project.write()
    read = []
    profiled = metrics.profile.profile
    monkeypatch.setattr(
        metrics.profile, "profile", lambda place, names: read.append(place.name) or profiled(place, names)
    )
    project.write()
    assert read == []
    project.put("2018-07", [40])
    project.write()
    assert read == ["2018-07"]
    assert project.numbers["longest"] == 40.0
    project.dataset = dataclasses.replace(
        project.dataset, scores={"share": DatasetScore("last_word", "share")}
    )
    project.write()
    assert read[1:] == list(MONTHS)
    assert project.numbers["share"] == 1.0 and "longest" not in project.numbers


def test_the_cache_of_measures_may_be_corrupt_or_lost(project):
    project.put("2018-06", [3])
    project.write()
    before = project.numbers
    for path in (project.workspace.state).rglob("*.json"):
        path.write_text("{")
    project.write()
    assert project.numbers == before


def test_correct_files_are_left_alone(project):
    project.write()
    files = sorted((project.workspace.root / "metrics").iterdir())
    times = [path.stat().st_mtime_ns for path in files]
    assert [path.name for path in files] == [
        f"sources{end}" for end in (".distributions.csv", ".funnel.csv", ".json")
    ]
    project.write()
    assert [path.stat().st_mtime_ns for path in files] == times


def test_every_plot_has_a_template_a_title_and_column_labels():
    from silverloom.assets.declare.project import checkout

    systems = {dataset.key.path[0] for dataset in workspace().datasets.values() if dataset.shape}
    for path, drawn in metrics.plots(workspace(), workspace().datasets.values()).items():
        system, kind, _ = path.name.split(".")
        template = json.loads((checkout() / ".dvc/plots" / f"{drawn['template']}.json").read_text())
        assert "<DVC_METRIC_DATA>" in json.dumps(template) and drawn["template"] == kind
        header = metrics.FUNNEL if kind == "funnel" else metrics.DISTRIBUTIONS
        assert {drawn["x"], drawn["y"]} <= set(header)
        assert system in systems and drawn["title"].startswith(system)


def test_what_the_files_say_of_other_datasets_stays_and_of_removed_ones_goes(project):
    project.put("2018-06", [3])
    project.write()
    for suffix, said in (
        (".funnel.csv", "%s,2018-06,kept,kept,9\n"),
        (".distributions.csv", "%s,words,0,1,9\n"),
    ):
        with project.file(suffix).open("a") as file:
            file.write(said % "papers" + said % "gone")
    numbers = json.loads(project.file(".json").read_text())
    numbers |= {"papers": {"kept": 9}, "gone": {"kept": 9}}
    project.file(".json").write_text(json.dumps(numbers))
    project.write()
    assert json.loads(project.file(".json").read_text()).keys() == {"gold_alignments", "papers"}
    for suffix in (".funnel.csv", ".distributions.csv"):
        lines = project.file(suffix).read_text().splitlines()
        assert {line.split(",")[0] for line in lines} == {"dataset", "gold_alignments", "papers"}


@pytest.mark.parametrize("suffix", [".json", ".funnel.csv", ".distributions.csv"])
def test_a_file_that_cannot_be_read_is_written_anew(project, suffix):
    project.put("2018-06", [3])
    project.write()
    right = project.file(suffix).read_bytes()
    for damage in (b"", b"<<<<<<< HEAD\n", b"\xff\x00", b'{"gold_alignments": 3}', right[:20]):
        project.file(suffix).write_bytes(damage)
        project.write()
        assert project.file(suffix).read_bytes() == right


def test_processes_that_finish_datasets_of_one_system_at_once_keep_each_others_numbers(project, monkeypatch):
    for month in MONTHS:
        project.put(month, [3])
    key = project.workspace.datasets["sources/talks"].key
    other = type(project)(project.workspace, dataclasses.replace(project.dataset, key=key))
    for month in MONTHS:
        other.put(month, [3])
    second = threading.Thread(target=other.write)
    write = metrics.write_changed

    def write_late(path, content):
        if second.ident is None:
            second.start()
            second.join(0.5)
        write(path, content)

    monkeypatch.setattr(metrics, "write_changed", write_late)
    project.write()
    second.join()
    assert json.loads(project.file(".json").read_text()).keys() == {"gold_alignments", "talks"}
