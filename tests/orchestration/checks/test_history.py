"""Validations are recorded in the order in which they ended, also when several processes append."""

import subprocess
import sys

import pytest

from assets.declare.expectations import between
from assets.declare.project import checkout
from orchestration.checks import history
from orchestration.checks.history import Result
from tests.orchestration.checks.validations import COUNTS, MET, entry


@pytest.fixture
def pairs(tmp_workspace):
    """A workspace and one of its datasets."""
    return tmp_workspace, tmp_workspace.datasets["talksumm/pairs"]


ERROR = Result(between("similarity", 0, 1), False, 2, "1.5, 2.0", (0, 1))
WARNING = Result(between("words.length", 9, severity="warning"), False, 1, "3", (2,))
BROKEN = Result(between("words.length", 9, severity="warning"), False, 0, "", (), "no numbers")


def test_a_validation_is_read_back_unchanged(pairs):
    history.append(*pairs, [entry("2018-06", "v1", MET, ERROR, WARNING)])
    (row,) = history.validations(*pairs, "2018-06")
    assert (row["partition"], row["version"], row["run_id"], row["suite"]) == (
        "2018-06",
        "v1",
        "run",
        "suite",
    )
    assert {name: row[name] for name in COUNTS} == COUNTS
    assert row["accepted"] is False and row["warnings"] == 1
    assert row["expectations"][1] == {
        "name": "similarity at least 0 and at most 1",
        "column": "similarity",
        "table": "kept",
        "severity": "error",
        "passed": False,
        "unexpected": 2,
        "observed": "1.5, 2.0",
    }
    assert row["time"].tzinfo is not None


def test_an_absent_history_reads_as_empty(pairs):
    assert history.validations(*pairs, "2018-06") == []
    assert history.latest(*pairs, "2018-06", "v1") is None


def test_the_latest_validation_of_a_version_and_the_last_accepted_other_one_are_found(pairs):
    history.append(*pairs, [entry("2018-06", "v1", MET), entry("2018-06", "v2", MET, WARNING)])
    history.append(*pairs, [entry("2018-07", "v9", MET), entry("2018-06", "v3", ERROR)])
    assert history.latest(*pairs, "2018-06", "v2")["warnings"] == 1
    assert history.latest(*pairs, "2018-06", "v9") is None
    assert history.accepted_before(*pairs, "2018-06", "v4")["version"] == "v2"
    assert history.accepted_before(*pairs, "2018-06", "v2")["version"] == "v1"
    assert history.accepted_before(*pairs, "2018-07", "v9") is None


def test_an_expectation_that_could_not_be_evaluated_is_recorded_as_an_error_with_its_cause(pairs):
    history.append(*pairs, [entry("2018-06", "v1", BROKEN)])
    (row,) = history.validations(*pairs, "2018-06")
    assert row["accepted"] is False and row["warnings"] == 0
    assert row["expectations"][0]["severity"] == "error"
    assert row["expectations"][0]["observed"] == "no numbers"


def test_a_validation_is_appended_to_the_file_of_its_partition_only(pairs):
    history.append(*pairs, [entry("2018-06", "v1", MET), entry("2018-07", "v1", MET)])
    june, july = (history.history_file(*pairs, month) for month in ("2018-06", "2018-07"))
    before, content = july.stat(), june.read_bytes()
    history.append(*pairs, [entry("2018-06", "v2", MET)])
    assert june.read_bytes().startswith(content) and june.read_bytes() != content
    assert (july.stat().st_mtime_ns, july.stat().st_ino) == (before.st_mtime_ns, before.st_ino)


APPEND = """
import os
import sys
from pathlib import Path
import orchestration.definitions
from orchestration.workspace.workspace import Workspace
from orchestration.checks import history
here = Workspace(Path(sys.argv[1]))
dataset = here.datasets["talksumm/pairs"]
children = []
for name in sys.argv[2]:
    children.append(os.fork())
    if not children[-1]:
        for number in range(15):
            entry = history.entry("2018-06", name, str(number), "", {"kept": 0, "dropped": 0, "rejected": 0}, [])
            history.append(here, dataset, [entry])
        sys.exit()
sys.exit(any([os.waitpid(child, 0)[1] for child in children]))
"""


def test_processes_that_append_simultaneously_lose_nothing(pairs, tmp_path):
    assert subprocess.run([sys.executable, "-c", APPEND, tmp_path, "abc"], cwd=checkout()).returncode == 0
    rows = history.validations(*pairs, "2018-06")
    for name in "abc":
        assert [row["version"] for row in rows if row["run_id"] == name] == [str(n) for n in range(15)]
    assert [path.name for path in (tmp_path / ".silverloom").rglob("*") if path.name.startswith(".")] == []
