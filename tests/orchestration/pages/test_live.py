"""What the pages say of this moment is never better than what was found: warnings, exclusions and gaps are told."""

import dataclasses

import pytest

from orchestration.dagster.health import Standing
from orchestration.live import present as live
from orchestration.state import validation_history as history
from orchestration.state.freshness import Status
from orchestration.state.graph import datasets
from orchestration.state.records import Record

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
    assert live.told([{**GOOD, **one} for one in changes]) == said


class View:
    """Every partition is there, and fresh."""

    def known(self, item, month):
        return Record(
            {}, {"kept-0.parquet": f"md5 of {month}"}, {"kept": 1, "dropped": 0, "rejected": 0}, run_id="r"
        )

    def status(self, item, month):
        return Status(self.known(item, month), ())


@pytest.fixture
def item(tmp_path, monkeypatch):
    monkeypatch.setattr(history, "HISTORY", tmp_path / "history")
    monkeypatch.setattr(live.tracking, "find", lambda *_: None)
    item = dataclasses.replace(datasets()["sources/gold_alignments"], shape=None)
    assert set(MONTHS) <= set(item.made_months) and item.expectations
    return item


def validated(item, months, severity=None):
    found = {"name": "few", "column": "a", "table": "kept", "passed": severity is None, "unexpected": 1}
    for month in months:
        entry = history.entry(
            month, "r", View().known(item, month).version, "", View().known(item, month).counts, []
        )
        entry["expectations"] = [{**found, "severity": severity or "error", "observed": ""}]
        entry["warnings"] = int(severity == "warning")
        history.append(item, [entry])


def test_a_warning_is_neither_good_nor_stale(item):
    validated(item, item.made_months)
    assert live._dataset(item, View(), {}, {})["mood"] == "good"
    validated(item, MONTHS[:1], "warning")
    found = live._dataset(item, View(), {}, {})
    assert (found["mood"], found["state"], found["warnings"]) == ("warned", "up to date, 1 warning", 1)
    assert [month["mood"] for month in found["months"]].count("warned") == 1
    failed = Standing(item.name, MONTHS[1], "failed", "why", "r")
    assert live._dataset(item, View(), {(item.name, MONTHS[1]): failed}, {})["mood"] == "bad"


def test_a_partition_that_was_validated_elsewhere_is_not_said_to_have_no_warnings(item):
    validated(item, item.made_months[1:])
    assert live._dataset(item, View(), {}, {})["unknown"] == 1


def test_a_month_leads_to_its_checks_in_full_where_they_are_those_that_are_told(item):
    validated(item, MONTHS[:1])
    pages = {(item.name, month): f"validations/{month}.html" for month in MONTHS[:2]}
    months = {month["month"]: month["docs"] for month in live._dataset(item, View(), {}, pages)["months"]}
    assert months[MONTHS[0]] == "../docs/validations/2018-06.html" and months[MONTHS[1]] is None


def test_everything_is_looked_at_once(monkeypatch):
    asked = []
    monkeypatch.setattr(live, "View", lambda: asked.append("made") or "the view")
    monkeypatch.setattr(live, "standing", lambda view: asked.append(view) or [])
    monkeypatch.setattr(live, "datasets", dict)
    assert live.state()["datasets"] == {} and asked == ["made", "the view"]
