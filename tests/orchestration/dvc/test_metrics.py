"""What DVC compares of a dataset: counts, funnel, distributions and scores, read from the partitions on disk."""

import dataclasses
import json

import pytest

from ops.core.measures import DatasetScore
from orchestration.definitions import workspace
from orchestration.dvc import metrics
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
    assert numbers.keys() <= {"kept", "dropped", "rejected", "score"}  # DVC makes these columns


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
    assert "score" not in project.numbers and project.scores == {}
    project.put("2018-06", [3, 12])
    project.put("2018-08", [3])
    project.write()
    assert project.scores == {"words": 6.0, "longest": 12.0} and project.numbers["score"] == 6.0


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
    assert project.scores["longest"] == 40.0
    project.dataset = dataclasses.replace(
        project.dataset, scores={"share": DatasetScore("last_word", "share")}
    )
    project.write()
    assert read[1:] == list(MONTHS)
    assert project.scores == {"share": 1.0}


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
    files = sorted((project.workspace.root / "metrics" / "sources").iterdir())
    times = [path.stat().st_mtime_ns for path in files]
    assert [path.name for path in files] == [
        f"gold_alignments{end}" for end in (".distributions.csv", ".funnel.csv", ".json", ".scores.json")
    ]
    project.write()
    assert [path.stat().st_mtime_ns for path in files] == times


def test_every_plot_has_a_template_a_title_and_column_labels():
    from assets.declare.settings import checkout

    for dataset in workspace().datasets.values():
        for plot in metrics.plots(workspace(), dataset) if dataset.shape else []:
            template = json.loads((checkout() / ".dvc/plots" / f"{plot.drawn['template']}.json").read_text())
            assert "<DVC_METRIC_DATA>" in json.dumps(template)
            header = metrics.FUNNEL if plot.drawn["template"] == "funnel" else metrics.DISTRIBUTIONS
            assert {plot.drawn["x"], plot.drawn["y"]} <= set(header)
            assert plot.drawn["title"].startswith(dataset.name)
