"""The final messages of a command, even if other steps fail at its end."""

import pytest

from silverloom.orchestration.definitions import workspace
from silverloom.orchestration.run import drive as driver
from silverloom.orchestration.run.loop import Report
from silverloom.orchestration.run.summary import drop_shares
from silverloom.orchestration.state.freshness import Manifest, View

COUNTS = {"kept": 1, "dropped": 0, "rejected": 0, "reasons": {}}
KEY = {"inputs": {}, "params": {}, "code": {"code": ""}}


@pytest.fixture
def end(monkeypatch, capsys):
    """Run one partition, which fails, with replaced final steps; return the output."""

    def nothing(*_):
        pass

    def drive(made=(), **ends) -> str:
        papers = workspace().datasets["sources/papers"]
        report = Report(papers, ["2018-06"], [*made], failed={"2018-06": "a page was torn"})
        monkeypatch.setattr(driver, "bring_up_to_date", lambda *_: (one for one in [report]))
        monkeypatch.setattr(driver, "source_versions", nothing)
        places = {
            "restore": "silverloom.orchestration.dvc.stages",
            "commit_finished": "silverloom.orchestration.dvc.stages",
        }
        for name, module in places.items():
            monkeypatch.setattr(f"{module}.{name}", ends.get(name, nothing))
        assert driver.drive(workspace(), [(papers, ["2018-06"])], notes=["and this"]) == 1
        return capsys.readouterr().out

    return drive


def test_a_failure_to_commit_does_not_hide_what_failed_before(end, capsys):
    def fail(*_):
        raise RuntimeError("no room")

    with pytest.raises(RuntimeError, match="no room"):
        end(commit_finished=fail)
    assert "failed sources/papers 2018-06: a page was torn" in capsys.readouterr().out


def test_a_run_explains_why_rows_were_dropped(end, monkeypatch):
    assert "dropped for" not in end().replace("seconds  dropped for", "")
    counts = {"kept": 1, "dropped": 2, "rejected": 0, "reasons": {"not_a_paper": 2}}
    monkeypatch.setattr("silverloom.orchestration.run.summary.total", lambda _: counts)
    assert "dropped for not_a_paper: a fetched file that holds no paper" in end()


def test_expectations_that_only_warn_are_named(end, monkeypatch):
    def result(expected, severity, passed):
        return {
            "expected": expected,
            "severity": severity,
            "passed": passed,
            "observed": "violated in 3 rows",
        }

    monkeypatch.setattr(View, "known", lambda *_: Manifest(KEY, {}, COUNTS, {"warnings": found}))
    found = [result("titles are short", "warning", True)]
    assert "warning in" not in end(made=["2018-06"])
    found = [result(f"{what} are short", "warning", False) for what in ("texts", "titles")]
    said = "warning in sources/papers 2018-06: texts are short: violated in 3 rows, and 1 more"
    assert said in end(made=["2018-06"])


def test_the_table_names_the_source_that_params_yaml_lacks(end, monkeypatch):
    assert "params.yaml has no sources.papers" not in end()
    monkeypatch.delitem(workspace().settings.sources, "papers")
    rows = [line for line in end().splitlines() if line.startswith("sources/papers")]
    assert any(row.rstrip().endswith("params.yaml has no sources.papers") for row in rows)


def test_every_reason_is_printed_with_its_share_of_the_dropped_rows():
    reasons = {"collapsed": 10, "zero_count": 85, "other_paper": 5}
    assert drop_shares(reasons) == "zero_count 85%, collapsed 10%, other_paper 5%"
    assert drop_shares({}) == ""


def test_the_tags_of_a_run_quote_the_command_line(monkeypatch):
    monkeypatch.setattr("sys.argv", ["/bin/silverloom", "run", "--select", "a b"])
    assert driver.tags_of_command(workspace())["silverloom/command"] == "silverloom run --select 'a b'"
