"""What only tells how things stand holds nothing up: cursors, ports, logs, validations, comparisons, failing rows."""

import json
import os

import pytest

from orchestration.catalogue import workspace
from orchestration.drivers import dvc
from orchestration.dvc import code
from orchestration.live import versions
from orchestration.quality import checks, docs, failing
from orchestration.serve import ui
from orchestration.state import validation_history as history
from orchestration.state.addresses import DEFAULT_PORT, Addresses
from orchestration.state.input_snapshot import MovedError
from tests.browser.test_data_docs import validated  # noqa: F401  fixture
from tests.faults.damage import DAMAGES, NO_FILE, damage
from tests.orchestration.dagster.test_source_changes import world  # noqa: F401  fixture
from tests.orchestration.quality.test_checks import check  # noqa: F401  fixture

CURSORS = {
    "truncated": '{"rules": {"papers.te',
    "random bytes": "\x00\ufffd\x1b",
    "a list": "[1]",
    "a text": '"text"',
    "another shape": '{"rules": {"papers.text": 1}, "seen": []}',
    "deeper than can be read": "[" * 100_000,
    "of a file that is gone": "0" * 32,
}


@pytest.mark.parametrize("cursor", CURSORS)
def test_a_damaged_cursor_is_begun_anew_and_that_is_said(world, tally, cursor):  # noqa: F811
    """The cursor of the sensor is damaged."""
    sound = world.look_with("")
    tally.attempt()
    found = world.look_with(CURSORS[cursor])
    assert found.memory == sound.memory and found.requests == sound.requests
    assert found.reason.startswith("the cursor could not be read, and is begun anew; ")
    assert not sound.reason.startswith("the cursor could not")
    tally.survive()


@pytest.mark.parametrize("how", DAMAGES)
def test_what_a_cursor_stands_for_is_begun_anew_where_it_is_damaged(world, tally, how):  # noqa: F811
    """What the cursor of the sensor stands for is damaged."""
    (kept,) = (world.root / ".silverloom/source_changes").iterdir()
    damage(kept, how)
    tally.attempt()
    sound, found = world.look_with(""), world.look_with(world.cursor)
    assert found.memory == sound.memory and found.requests == sound.requests
    assert found.reason.startswith("the cursor could not be read, and is begun anew; ")
    world.look()
    assert not world.look_with(world.cursor).reason.startswith("the cursor could not")
    tally.survive()


@pytest.mark.parametrize("how", [*DAMAGES, "out of range", "negative"])
def test_a_damaged_port_is_the_usual_one_and_another_can_be_chosen(tmp_workspace, monkeypatch, tally, how):
    """The remembered port is damaged."""
    addresses, path = Addresses(tmp_workspace), tmp_workspace.state / "port"
    monkeypatch.setattr(os, "environ", {k: v for k, v in os.environ.items() if k != "SILVERLOOM_PORT"})
    path.parent.mkdir()
    path.write_text({"out of range": "99999999", "negative": "-5"}.get(how, "x300"))
    if how in DAMAGES:
        damage(path, how)
    tally.attempt()
    assert addresses.base_port() == DEFAULT_PORT
    chosen = addresses.choose()
    del os.environ["SILVERLOOM_PORT"]
    assert addresses.base_port() == chosen
    tally.survive()


@pytest.mark.parametrize("how", DAMAGES)
def test_whatever_lies_in_the_place_of_a_log_a_process_is_started(tmp_workspace, tally, how):
    """The log of a process of `make ui` is damaged."""
    logs = ui._logs(tmp_workspace)
    logs.mkdir(parents=True)
    damage(logs / "pages.log", how)
    tally.attempt()
    child = ui._child(tmp_workspace, 0, "pages", "echo", "hello")
    assert child.process.wait() == 0 and child.last_lines().strip() == "hello"
    tally.survive()


@pytest.mark.parametrize("how", [how for how in DAMAGES if how not in NO_FILE])
def test_a_damaged_validation_is_set_aside_and_the_other_pages_are_rendered(validated, tally, capsys, how):  # noqa: F811
    """A validation is damaged."""
    validated("2018-06", "one")
    validated("2018-07", "two")
    damage(checks.validation_file(validated.workspace, validated.item, "2018-06"), how)
    tally.attempt()
    docs.build(validated.workspace)
    assert [path.name for path in docs.docs_folder(validated.workspace).rglob("2018-*.html")] == [
        "2018-07.html"
    ]
    (line,) = capsys.readouterr().err.splitlines()
    assert "2018-06.json is damaged" in line and "until the partition is validated again" in line
    validated("2018-06", "one")
    docs.build(validated.workspace)
    assert len(docs.shown(validated.workspace)) == 2 and not capsys.readouterr().err
    tally.survive()


@pytest.mark.parametrize("how", DAMAGES)
def test_damage_to_the_note_of_what_was_rendered_renders_all_again(validated, tally, how):  # noqa: F811
    """The note of what was rendered is damaged."""
    validated("2018-06", "one")
    docs.build(validated.workspace)
    damage(docs.docs_folder(validated.workspace) / ".rendered.json", how)
    tally.attempt()
    docs.build(validated.workspace)
    assert len(docs.shown(validated.workspace)) == 1
    tally.survive()


@pytest.mark.parametrize("how", DAMAGES)
def test_a_damaged_comparison_is_made_again(tmp_path, monkeypatch, tally, capsys, how):
    """A comparison of two versions is damaged."""
    monkeypatch.setattr(versions, "compared", lambda *_: {"rows": 1})
    monkeypatch.setattr(versions, "made_differently", lambda *_: [])
    item = workspace().datasets["talksumm/pairs"]
    now = versions.Version(workspace(), "talksumm/pairs", "", None, "1" * 32, {})
    old = versions.Version(workspace(), "talksumm/pairs", "HEAD", "2" * 40, "3" * 32, {})
    right = versions._compared(item, old, now, "why", tmp_path)
    (path,) = tmp_path.iterdir()
    damage(path, how)
    tally.attempt()
    assert versions._compared(item, old, now, "why", tmp_path) == right
    # JSON without a checksum is what was written before there were any
    assert ("it is compared anew" in capsys.readouterr().err) == (how != "another shape")
    tally.survive()


@pytest.mark.parametrize("how", DAMAGES)
def test_failing_rows_that_are_damaged_are_written_anew_or_removed(check, tally, how):  # noqa: F811
    """The file of failing rows is damaged."""
    check([2.0])
    path = failing.failing_file(check.workspace, check.item, "2018-06")
    right = path.read_bytes()
    damage(path, how)
    tally.attempt()
    check([2.0])
    assert path.read_bytes() == right
    damage(path, how)
    check([0.5])
    assert not os.path.lexists(path)
    tally.survive()


def test_a_validation_that_cannot_be_remembered_blocks_no_partition(check, monkeypatch, tally, caplog):  # noqa: F811
    """A validation cannot be remembered."""

    def broken(*_):
        raise TimeoutError("another process has held the lock")

    monkeypatch.setattr(history, "append", broken)
    tally.attempt()
    assert all(finding.passed for finding in check([0.5]).values())
    assert not check([2.0])["expectations"].passed, "what failed has failed all the same"
    tally.survive()


@pytest.mark.parametrize("how", DAMAGES)
def test_damage_to_code_json_is_no_traceback_and_the_next_commit_writes_it(
    tmp_workspace, tmp_path, tally, how
):
    """code.json is damaged."""
    code.write_code(tmp_workspace)
    right = json.loads((tmp_path / "code.json").read_text())
    damage(tmp_path / "code.json", how)
    tally.attempt()
    with pytest.raises(MovedError, match=r"code\.json is not today's: run all of `dvc repro`"):
        dvc._check_code(tmp_workspace, tmp_workspace.datasets["talksumm/pairs"])
    code.write_code(tmp_workspace)
    dvc._check_code(tmp_workspace, tmp_workspace.datasets["talksumm/pairs"])
    assert json.loads((tmp_path / "code.json").read_text()) == right
    tally.survive()
