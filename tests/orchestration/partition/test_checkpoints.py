"""Checkpoints are found only under their own key, and are deleted once their dataset is made."""

import os

import pytest

from silverloom.orchestration.checks.conservation import Finding
from silverloom.orchestration.executors.parts import LocalEngine
from silverloom.orchestration.files import publish
from silverloom.orchestration.partition import materialise
from silverloom.orchestration.partition.resume import ResumableEngine, begin_parts
from silverloom.orchestration.state.freshness import Manifest

KEY = {"params": {"talksumm.extractor": {"size": "tiny"}}, "code": {"code": "1"}}


@pytest.fixture
def at(tmp_workspace):
    def at(name="pointer-short", key=KEY, month="", dataset="talksumm/extractor"):
        declaration = tmp_workspace.datasets[dataset]
        folder = begin_parts(tmp_workspace, declaration, month, key)
        return ResumableEngine(tmp_workspace, LocalEngine(), dataset, folder).checkpoints.at(name)

    return at


def files_of(workspace):
    return sorted(path for path in (workspace.state / "parts").rglob("*") if path.is_file())


def test_the_last_checkpoint_is_read_back_completely(at):
    assert at().read() is None
    at().write({"state.json": b"1", "weights": b"one", "best": b"b"})
    at().write({"state.json": b"2", "weights": b"two"})
    assert at().read() == {"state.json": b"2", "weights": b"two"}


def test_a_write_that_fails_leaves_the_previous_checkpoint(at):
    at().write({"state.json": b"1"})
    with pytest.raises(TypeError):
        at().write({"state.json": b"2", "weights": 3})
    assert at().read() == {"state.json": b"1"}


@pytest.mark.parametrize(("call", "found"), [("sync_to_disk", b"1"), ("Path.replace", b"2")])
def test_a_kill_during_a_write_leaves_the_previous_checkpoint_or_the_new_one(at, call, found):
    at().write({"state.json": b"1"})
    child = os.fork()
    if child == 0:
        place, _, name = f"publish.{call}".rpartition(".")
        setattr(publish.Path if place.endswith("Path") else publish, name, die_behind(call))
        at().write({"state.json": b"2"})
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    assert at().read() == {"state.json": found}


def die_behind(name):
    call = publish.Path.replace if name == "Path.replace" else publish.sync_to_disk

    def dying(*arguments):
        call(*arguments)
        os._exit(9)

    return dying


@pytest.mark.parametrize(
    "other",
    [{"name": "pointer-long"}, {"month": "2018-07"}, {"dataset": "talksumm/evaluation"}],
    ids=["training", "month", "dataset"],
)
def test_another_training_or_dataset_has_its_own_checkpoint(at, other):
    at().write({"state.json": b"1"})
    assert at(**other).read() is None
    at(**other).write({"state.json": b"2"})
    assert at().read() == {"state.json": b"1"}


@pytest.mark.parametrize(
    "key",
    [{**KEY, "code": {"code": "2"}}, {**KEY, "params": {"talksumm.extractor": {"size": "full"}}}],
    ids=["code", "params"],
)
def test_under_another_key_a_training_starts_over(at, tmp_workspace, key):
    at().write({"state.json": b"1"})
    assert at(key=key).read() is None
    assert not files_of(tmp_workspace)


def test_the_order_of_a_key_does_not_matter(at):
    at().write({"state.json": b"1"})
    assert at(key=dict(reversed(KEY.items()))).read() == {"state.json": b"1"}


@pytest.mark.parametrize("passed", [True, False])
def test_checkpoints_are_deleted_when_the_dataset_is_made_and_kept_when_a_check_refuses_it(
    monkeypatch, at, tmp_workspace, passed
):
    written = []
    monkeypatch.setattr(materialise, "write_manifest", lambda *arguments: written.append(arguments))
    at().write({"state.json": b"1"})
    faults = () if passed else ("a unit is lost",)
    dataset = tmp_workspace.datasets["talksumm/extractor"]
    partition = materialise.Materialisation(tmp_workspace, dataset, "")
    partition.accept(Manifest({}, {}), {"conservation": Finding(faults, "")})
    assert len(written) == passed
    assert bool(files_of(tmp_workspace)) != passed
