"""Checkpoints are found again under their own key alone, and go when what they led to is made."""

import os

import pytest

from orchestration.execute import checkpoints, materialise
from orchestration.execute.checkpoints import StoredCheckpoints, discard
from orchestration.files import publish
from orchestration.quality.conservation import Finding
from orchestration.state.graph import datasets
from orchestration.state.records import Record

KEY = {"params": {"talksumm.extractor": {"size": "tiny"}}, "code": {"code": "1"}}


@pytest.fixture(autouse=True)
def state(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoints, "STATE", tmp_path / "state")
    monkeypatch.setattr(checkpoints, "_WORKSHOP", tmp_path / "state" / ".building")
    return tmp_path / "state"


def at(name="pointer-short", key=KEY, month="", item=None):
    return StoredCheckpoints(item or datasets()["talksumm/extractor"], month, key).at(name)


def files_of(state):
    return sorted(path for path in (state / "checkpoints").rglob("*") if path.is_file())


def test_what_was_written_last_is_read_whole():
    assert at().read() is None
    at().write({"state.json": b"1", "weights": b"one", "best": b"b"})
    at().write({"state.json": b"2", "weights": b"two"})
    assert at().read() == {"state.json": b"2", "weights": b"two"}


def test_a_write_that_fails_leaves_the_former_checkpoint():
    at().write({"state.json": b"1"})
    with pytest.raises(ValueError, match="leaves its folder"):
        at().write({"state.json": b"2", "../out": b""})
    assert at().read() == {"state.json": b"1"}


def test_a_checkpoint_that_a_kill_left_between_two_renames_is_found():
    at().write({"state.json": b"1"})
    child = os.fork()
    if child == 0:
        publish._exchange = lambda one, other: False
        publish.Path.rename = die_behind(publish.Path.rename)
        at().write({"state.json": b"2"})
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    assert not at().folder.exists()
    assert at().read() == {"state.json": b"1"}


def die_behind(call):
    def dying(*arguments):
        call(*arguments)
        os._exit(9)

    return dying


@pytest.mark.parametrize(
    "other",
    [
        {"key": {**KEY, "code": {"code": "2"}}},
        {"key": {**KEY, "params": {"talksumm.extractor": {"size": "full"}}}},
        {"name": "pointer-long"},
        {"month": "2018-07"},
        {"item": "talksumm/evaluation"},
    ],
    ids=["code", "params", "training", "month", "dataset"],
)
def test_another_key_training_or_dataset_has_its_own(other):
    if "item" in other:
        other = {"item": datasets()[other["item"]]}
    at().write({"state.json": b"1"})
    assert at(**other).read() is None
    at(**other).write({"state.json": b"2"})
    assert at().read() == {"state.json": b"1"}


def test_the_order_of_a_key_does_not_matter():
    at().write({"state.json": b"1"})
    assert at(key=dict(reversed(KEY.items()))).read() == {"state.json": b"1"}


def test_those_of_all_keys_go_together_and_others_stay(state):
    item, other = datasets()["talksumm/extractor"], datasets()["talksumm/evaluation"]
    discard(item, "")
    at().write({"state.json": b"1"})
    at(key={}).write({"state.json": b"2"})
    at(item=other).write({"state.json": b"3"})
    discard(item, "")
    assert [path.read_bytes() for path in files_of(state) if path.name == "state.json"] == [b"3"]


@pytest.mark.parametrize("passed", [True, False])
def test_they_go_when_the_dataset_is_made_and_stay_when_a_check_refuses_it(monkeypatch, state, passed):
    done = []
    for name in ("write_record", "forget", "track"):
        monkeypatch.setattr(materialise, name, lambda *arguments, name=name: done.append(name))
    at().write({"state.json": b"1"})
    faults = () if passed else ("a unit is lost",)
    item = datasets()["talksumm/extractor"]
    materialise._remember(item, "", Record({}, {}), {"conservation": Finding(faults, "")})
    assert done == ["write_record" if passed else "forget", "track"]
    assert bool(files_of(state)) != passed
