"""Descriptive state never blocks a run: validations, comparisons, failing rows."""

import json
import os

import pytest

from silverloom.orchestration.checks import results, validate
from silverloom.orchestration.dvc import stages
from silverloom.orchestration.files.edits import MovedError
from silverloom.orchestration.run import stage
from tests.faults.damage import DAMAGES, damage
from tests.orchestration.checks.validations import checking


@pytest.fixture
def check(tmp_workspace):
    return checking(tmp_workspace)


@pytest.mark.parametrize("how", DAMAGES)
def test_damaged_failing_rows_are_rewritten_or_removed(check, tally, how):
    """The file of failing rows is damaged."""
    check([2.0])
    path = results.failing_file(check.workspace, check.dataset, "2018-06")
    right = path.read_bytes()
    damage(path, how)
    tally.attempt()
    check([2.0])
    assert path.read_bytes() == right
    damage(path, how)
    check([0.5])
    assert not os.path.lexists(path)
    tally.survive()


def test_failing_rows_that_cannot_be_stored_block_no_partition(check, monkeypatch, tally):
    """Failing rows cannot be stored."""

    def broken(*_):
        raise TimeoutError("another process has held the lock")

    monkeypatch.setattr(validate, "keep_failing", broken)
    tally.attempt()
    assert all(finding.passed for finding in check([0.5]).values())
    assert not check([2.0])["expectations"].passed, "the check still fails"
    tally.survive()


@pytest.mark.parametrize("how", DAMAGES)
def test_damage_to_code_json_gives_no_traceback_and_the_next_commit_rewrites_it(
    tmp_workspace, tmp_path, tally, how
):
    """code.json is damaged."""
    (tmp_path / "params.yaml").write_text("partitions: {every: none}\nsources: {}\n")
    stages.write_code(tmp_workspace)
    right = json.loads((tmp_path / "code.json").read_text())
    damage(tmp_path / "code.json", how)
    tally.attempt()
    with pytest.raises(MovedError, match=r"code\.json is out of date: run `dvc repro` without"):
        stage.check_recorded_code(tmp_workspace, tmp_workspace.datasets["talksumm/pairs"])
    stages.write_code(tmp_workspace)
    stage.check_recorded_code(tmp_workspace, tmp_workspace.datasets["talksumm/pairs"])
    assert json.loads((tmp_path / "code.json").read_text()) == right
    tally.survive()
