"""The current status is never better than the findings: warnings, exclusions and gaps are shown."""

import dataclasses

import pytest

from orchestration import present
from orchestration.checks import history
from orchestration.dagster.health import Unfresh
from orchestration.state.freshness import Manifest, Status
from orchestration.workspace.workspace import Workspace

GOOD = {"status": "good", "warnings": 0, "excluded": 0, "unknown": 0}
MONTHS = ("2018-06", "2018-07", "2018-08")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ([{}, {}], "All are up to date, and their checks passed."),
        ([{}, {"status": "warned", "warnings": 1}], "All are up to date. 1 warning raised."),
        (
            [{"status": "bad"}, {"status": "stale"}, {"status": "warned", "warnings": 2}],
            "2 of 3 are not up to date, 1 failed. 2 warnings raised.",
        ),
        ([{"excluded": 2}], "All are up to date, and their checks passed. 2 partitions excluded."),
        (
            [{"unknown": 1}, {}],
            "All are up to date. Warnings of 1 partition are unknown.",
        ),
    ],
)
def test_the_first_page_claims_no_more_than_is_true(changes, said):
    assert present.description([{**GOOD, **one} for one in changes]) == said


class View:
    """Every partition exists and is fresh."""

    def __init__(self, workspace):
        self.workspace = workspace

    def known(self, dataset, month):
        return Manifest({}, {"kept-0.parquet": f"md5 of {month}"}, {"kept": 1, "dropped": 0, "rejected": 0})

    def status(self, dataset, month):
        return Status(self.known(dataset, month), ())


@pytest.fixture
def view(tmp_workspace):
    return View(tmp_workspace)


@pytest.fixture
def dataset(tmp_workspace):
    dataset = dataclasses.replace(tmp_workspace.datasets["sources/gold_alignments"], shape=None)
    assert set(MONTHS) <= set(dataset.made_partitions) and dataset.expectations
    return dataset


def validated(view, dataset, months, severity=None):
    found = {"name": "few", "column": "a", "table": "kept", "passed": severity is None, "unexpected": 1}
    for month in months:
        entry = history.entry(
            month, "r", view.known(dataset, month).version, "", view.known(dataset, month).counts, []
        )
        entry["expectations"] = [{**found, "severity": severity or "error", "observed": ""}]
        entry["warnings"] = int(severity == "warning")
        history.append(view.workspace, dataset, [entry])


def test_a_warning_counts_neither_as_good_nor_as_stale(view, dataset):
    validated(view, dataset, dataset.made_partitions)
    assert present.dataset_now(dataset, view, {}, {})["status"] == "good"
    validated(view, dataset, MONTHS[:1], "warning")
    found = present.dataset_now(dataset, view, {}, {})
    assert (found["status"], found["state"], found["warnings"]) == ("warned", "up to date, 1 warning", 1)
    assert [partition["status"] for partition in found["partitions"]].count("warned") == 1
    failed = Unfresh(dataset.name, MONTHS[1], "failed", "why", "r")
    assert present.dataset_now(dataset, view, {(dataset.name, MONTHS[1]): failed}, {})["status"] == "bad"


def test_a_partition_validated_elsewhere_is_not_claimed_to_have_no_warnings(view, dataset):
    validated(view, dataset, dataset.made_partitions[1:])
    assert present.dataset_now(dataset, view, {}, {})["unknown"] == 1


def test_a_month_links_to_its_full_checks_if_they_are_the_current_ones(view, dataset):
    validated(view, dataset, MONTHS[:1])
    pages = {(dataset.name, month): f"validations/{month}.html" for month in MONTHS[:2]}
    partitions = present.dataset_now(dataset, view, {}, pages)["partitions"]
    shown = {partition["name"]: partition["docs"] for partition in partitions}
    assert shown[MONTHS[0]] == "../docs/validations/2018-06.html" and shown[MONTHS[1]] is None


def test_every_partition_is_examined_once(monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr(present, "View", lambda workspace: asked.append("made") or "the view")
    monkeypatch.setattr(present, "health", lambda view: asked.append(view) or [])
    assert present.state(Workspace(tmp_path, {}))["datasets"] == {} and asked == ["made", "the view"]
