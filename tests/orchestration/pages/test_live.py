"""What the pages say of this moment is never better than what was found: warnings, exclusions and gaps are told."""

import dataclasses

import pytest

from orchestration.dagster.health import Unfresh
from orchestration.live import present as live
from orchestration.state import validation_history as history
from orchestration.state.freshness import Status
from orchestration.state.manifests import Manifest
from orchestration.workspace.workspace import Workspace

GOOD = {"mood": "good", "warnings": 0, "excluded": 0, "unknown": 0}
MONTHS = ("2018-06", "2018-07", "2018-08")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ([{}, {}], "All are up to date, and their checks passed."),
        ([{}, {"mood": "warned", "warnings": 1}], "All are up to date. 1 warning raised."),
        (
            [{"mood": "bad"}, {"mood": "stale"}, {"mood": "warned", "warnings": 2}],
            "2 of 3 are not up to date, 1 failed. 2 warnings raised.",
        ),
        ([{"excluded": 2}], "All are up to date, and their checks passed. 2 partitions excluded."),
        (
            [{"unknown": 1}, {}],
            "All are up to date. Whether 1 partition would raise warnings is not known here.",
        ),
    ],
)
def test_the_first_page_says_no_more_than_is_so(changes, said):
    assert live.description([{**GOOD, **one} for one in changes]) == said


class View:
    """Every partition is there, and fresh."""

    def __init__(self, workspace):
        self.workspace = workspace

    def known(self, item, month):
        return Manifest({}, {"kept-0.parquet": f"md5 of {month}"}, {"kept": 1, "dropped": 0, "rejected": 0})

    def status(self, item, month):
        return Status(self.known(item, month), ())


@pytest.fixture
def view(tmp_workspace):
    return View(tmp_workspace)


@pytest.fixture
def item(tmp_workspace):
    item = dataclasses.replace(tmp_workspace.datasets["sources/gold_alignments"], shape=None)
    assert set(MONTHS) <= set(item.made_months) and item.expectations
    return item


def validated(view, item, months, severity=None):
    found = {"name": "few", "column": "a", "table": "kept", "passed": severity is None, "unexpected": 1}
    for month in months:
        entry = history.entry(
            month, "r", view.known(item, month).version, "", view.known(item, month).counts, []
        )
        entry["expectations"] = [{**found, "severity": severity or "error", "observed": ""}]
        entry["warnings"] = int(severity == "warning")
        history.append(view.workspace, item, [entry])


def test_a_warning_is_neither_good_nor_stale(view, item):
    validated(view, item, item.made_months)
    assert live._dataset(item, view, {}, {})["mood"] == "good"
    validated(view, item, MONTHS[:1], "warning")
    found = live._dataset(item, view, {}, {})
    assert (found["mood"], found["state"], found["warnings"]) == ("warned", "up to date, 1 warning", 1)
    assert [month["mood"] for month in found["months"]].count("warned") == 1
    failed = Unfresh(item.name, MONTHS[1], "failed", "why", "r")
    assert live._dataset(item, view, {(item.name, MONTHS[1]): failed}, {})["mood"] == "bad"


def test_a_partition_that_was_validated_elsewhere_is_not_said_to_have_no_warnings(view, item):
    validated(view, item, item.made_months[1:])
    assert live._dataset(item, view, {}, {})["unknown"] == 1


def test_a_month_leads_to_its_checks_in_full_where_they_are_those_that_are_told(view, item):
    validated(view, item, MONTHS[:1])
    pages = {(item.name, month): f"validations/{month}.html" for month in MONTHS[:2]}
    months = {month["month"]: month["docs"] for month in live._dataset(item, view, {}, pages)["months"]}
    assert months[MONTHS[0]] == "../docs/validations/2018-06.html" and months[MONTHS[1]] is None


def test_everything_is_looked_at_once(monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr(live, "View", lambda workspace: asked.append("made") or "the view")
    monkeypatch.setattr(live, "health", lambda view: asked.append(view) or [])
    assert live.state(Workspace(tmp_path, {}))["datasets"] == {} and asked == ["made", "the view"]
