"""Checkpoints and staging folders: unreadable ones are not used, and nothing outside is touched."""

import os

import pytest

from silverloom.orchestration.files import publish
from silverloom.orchestration.files.local_state import dump_checked
from silverloom.orchestration.files.publish import building, recover
from silverloom.orchestration.partition.resume import StoredCheckpoints
from tests.faults.damage import DAMAGES, damage

FILES = {"state.json": b"{}", "weights.safetensors": bytes(range(256)) * 8}


@pytest.fixture
def training(tmp_workspace):
    """A training that left a checkpoint."""
    stored = StoredCheckpoints(tmp_workspace.state / "checkpoints")
    stored.at("short").write(FILES)
    return stored


def begin_anew(checkpoint, capsys):
    assert checkpoint.read() is None
    (line,) = capsys.readouterr().err.splitlines()
    assert checkpoint.path.name in line and "training starts over" in line
    assert checkpoint.read() is None
    checkpoint.write(FILES)
    assert checkpoint.read() == FILES


@pytest.mark.parametrize("how", DAMAGES)
def test_a_training_starts_over_if_its_checkpoint_is_damaged(training, tally, capsys, how):
    """A checkpoint is damaged."""
    checkpoint = training.at("short")
    damage(checkpoint.path, how)
    tally.attempt()
    begin_anew(checkpoint, capsys)
    tally.survive()


def test_a_foreign_file_next_to_a_checkpoint_is_left_alone(training, tally, capsys):
    """A foreign file is next to a checkpoint."""
    training.at("short").path.with_name("notes.txt").write_text("mine")
    tally.attempt()
    assert training.at("short").read() == FILES and not capsys.readouterr().err
    tally.survive()


@pytest.fixture
def killed(tmp_path):
    """A staging folder of a process killed between its two renames: `old` is the only copy of the previous version."""
    workshop, target = tmp_path / "data" / ".building", tmp_path / "data" / "group" / "asset"
    target.mkdir(parents=True)
    (target / "kept").write_text("old")
    child = os.fork()
    if child == 0:
        publish.exchange = lambda one, other: False
        rename = publish.Path.rename
        publish.Path.rename = lambda *paths: (rename(*paths), os._exit(9))
        with building(workshop, target) as new:
            (new / "kept").write_text("new")
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    (room,) = (path for path in workshop.iterdir() if path.is_dir())
    assert (room / "old" / "kept").read_text() == "old" and not target.exists()
    return workshop, room, target


def test_a_sound_staging_folder_gives_back_what_it_holds(killed):
    workshop, room, target = killed
    recover(workshop)
    assert (target / "kept").read_text() == "old" and not room.exists()


TARGETS = {
    "up": dump_checked({"target": "../../outside"}),
    "absolute": dump_checked({"target": "/outside"}),
    "empty": dump_checked({"target": ""}),
    "its own": dump_checked({"target": "."}),
    "plain text": b"group/asset",
    "nothing": dump_checked({}),
}


@pytest.mark.parametrize("how", [*DAMAGES, *TARGETS])
def test_a_staging_folder_whose_target_is_damaged_stays(killed, tmp_path, tally, capsys, how):
    """The file that says what a killed process was building is damaged."""
    workshop, room, _ = killed
    if how in TARGETS:
        (room / "target").write_bytes(TARGETS[how])
    else:
        damage(room / "target", how)
    before = {path for path in tmp_path.rglob("*") if workshop not in path.parents}
    tally.attempt()
    recover(workshop)
    assert {path for path in tmp_path.rglob("*") if workshop not in path.parents} == before
    assert (room / "old" / "kept").read_text() == "old"
    (line,) = capsys.readouterr().err.splitlines()
    assert "made again if it is missing" in line
    tally.survive()


def test_a_link_in_the_staging_area_leads_nowhere_outside(killed, tmp_path, tally):
    """A link to a folder elsewhere is in the staging area."""
    workshop, _, _ = killed
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept").write_text("mine")
    (workshop / "tmplink").symlink_to(elsewhere)
    tally.attempt()
    recover(workshop)
    assert [path.name for path in elsewhere.iterdir()] == ["kept"]
    tally.survive()
