"""The results of a validation: findings in words, failing rows, a history, the latest document."""

from types import SimpleNamespace

import pytest

from assets.declare.expectations import between
from orchestration.checks import history, validate
from tests.orchestration.checks.validations import SUITE, checking


@pytest.fixture
def check(tmp_workspace):
    return checking(tmp_workspace)


def test_a_sound_partition_passes_both_checks_and_is_recorded(check):
    found = check([0.1, 0.2])
    assert {name: finding.passed for name, finding in found.items()} == {
        "expectations": True,
        "warnings": True,
    }
    assert found["expectations"].summary == "3 of 3 expectations met"
    (row,) = history.validations(check.workspace, check.dataset, "2018-06")
    assert row["accepted"] and row["warnings"] == 0 and row["kept"] == 2 and row["run_id"] == "run-1"


def test_an_error_names_the_failed_expectations_the_number_of_rows_and_their_file(check):
    found = check([0.5, 1.5, -1.0])
    assert found["expectations"].faults == (
        "score at least 0 and at most 1: violated in 2 rows (1.5, -1.0)",
        "failing rows: data/quality/failing/talksumm/pairs/2018-06.parquet",
    )
    assert found["warnings"].passed
    shown = found["expectations"].shown
    assert shown["failing rows"].value == "data/quality/failing/talksumm/pairs/2018-06.parquet"
    assert shown["failed"].value == 1 and shown["kept"].value == 3
    table = shown["results"].value.splitlines()
    assert table[2].startswith("| ✗ | score at least 0 and at most 1 | kept | 2 | 1.5, -1.0")
    assert sum(line.startswith("| ✓") for line in table) == 2


def test_a_warning_does_not_affect_the_errors(check):
    found = check([0.5], text="x")
    assert found["expectations"].passed and not found["warnings"].passed
    assert found["warnings"].faults[0] == "text.characters at least 2: violated in 1 rows (1)"


def test_a_partition_is_compared_with_its_last_version_that_passed(check):
    check([0.1] * 10)
    check([2.0] * 100)  # not accepted
    found = check([0.1] * 4)
    assert found["warnings"].faults == ("kept.of_previous at least 0.5: violated (0.4)",)
    assert check([0.1] * 5)["warnings"].passed is True
    assert check([0.1] * 1, month="2018-07")["warnings"].passed


def test_the_same_bytes_validated_again_keep_their_warning(check):
    check([0.1] * 10)
    assert not check([0.1] * 4)["warnings"].passed
    assert not check([0.1] * 4)["warnings"].passed


def test_an_expectation_that_cannot_be_evaluated_is_an_error(check):
    found = check([0.5], suite=[*SUITE, between("text", 0, 1, "warning")])
    assert (
        found["expectations"].faults[0].startswith("text at least 0 and at most 1: could not be evaluated: ")
    )
    assert found["warnings"].passed


def test_a_failure_of_great_expectations_itself_is_an_error(check, monkeypatch):
    def broken(*arguments):
        raise ZeroDivisionError("no batch")

    monkeypatch.setattr(validate, "validate", broken)
    found = check([0.5])
    assert [finding.passed for finding in found.values()] == [False, False]
    assert "could not be evaluated: ZeroDivisionError: no batch" in found["expectations"].faults[0]


def test_the_warnings_of_a_manifest_are_those_found_in_the_same_bytes(check):
    check([0.5], text="x")
    (row,) = history.validations(check.workspace, check.dataset, "2018-06")

    def known(version, name):
        manifest = SimpleNamespace(version=version, counts={"kept": 281, "dropped": 40, "rejected": 0})
        return validate.known_finding(check.workspace, check.dataset, "2018-06", manifest, name)

    seen = known(row["version"], "warnings")
    assert seen.faults == ("text.characters at least 2: violated in 1 rows (1)",)
    unseen = known("another", "warnings")
    assert unseen.passed and unseen.summary.startswith("not validated in this checkout")
    passed = known("another", "conservation")
    assert passed.passed and passed.summary.endswith(": 281 kept, 40 dropped, 0 rejected")
