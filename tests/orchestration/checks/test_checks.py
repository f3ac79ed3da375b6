"""The results of a validation: findings in words, failing rows, and what the manifest holds."""

import pytest

from silverloom.assets.declare.expectations import between
from silverloom.orchestration.checks import validate
from silverloom.orchestration.state.freshness import read_manifest
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
    manifest = read_manifest(check.workspace, check.dataset, "2018-06")
    assert manifest.passed and manifest.counts["kept"] == 2
    assert manifest.checks["expectations"][-1] == {
        "expected": "score at least 0 and at most 1",
        "severity": "error",
        "passed": True,
        "observed": "2 rows",
    }


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


def test_the_results_in_a_manifest_depend_on_its_bytes_alone(check):
    check([0.1] * 4)
    first = read_manifest(check.workspace, check.dataset, "2018-06")
    check([0.1] * 10)
    assert not check([0.1] * 4)["warnings"].passed
    assert read_manifest(check.workspace, check.dataset, "2018-06") == first


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


def test_the_results_that_a_manifest_holds_are_those_found_in_its_bytes(check):
    check([0.5], text="x")
    manifest = read_manifest(check.workspace, check.dataset, "2018-06")
    warnings = validate.known_finding(manifest, "warnings")
    assert warnings.faults == ("text.characters at least 2: violated in 1 rows (1)",)
    assert warnings.summary == "0 of 1 expectations met"
    assert validate.known_finding(manifest, "expectations").summary == "3 of 3 expectations met"
    assert validate.known_finding(manifest, "conservation").summary == "no result is recorded"
