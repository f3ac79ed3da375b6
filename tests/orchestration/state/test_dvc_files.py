"""A damaged dvc.lock is recognised, and the suggested remedies work."""

import os
import re
import subprocess
import threading
import time
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML  # the loader and dumper that DVC uses

from silverloom.orchestration.state import dvc_files
from silverloom.orchestration.state.dvc_files import DamagedLockError, parse_lock
from silverloom.orchestration.workspace.workspace import Workspace

#: The first stages of the committed lock.
STAGES = 20
LINES = (Path(__file__).resolve().parents[3] / "dvc.lock").read_bytes().splitlines(keepends=True)
BEGINS = [number for number, line in enumerate(LINES) if re.match(rb"  \S", line)]
WHOLE = b"".join(LINES[: BEGINS[STAGES]])


def without(key):
    """The lock without a key of an output folder of a stage."""
    content = yaml.safe_load(WHOLE)
    made = (out for stage in content["stages"].values() for out in stage.get("outs", []))
    del next(out for out in made if "nfiles" in out)[key]
    return yaml.safe_dump(content, sort_keys=False).encode()


DAMAGE = {
    "empty": (b"", "it is empty"),
    "blank": (b"\n  \n", "it is empty"),
    "only zeros": (bytes(8192), "it cannot be read as YAML"),
    "zeros at its end": (WHOLE[: len(WHOLE) // 2] + bytes(4096), "it cannot be read as YAML"),
    "random bytes": (bytes(range(255, 127, -1)) * 9, "it cannot be read as YAML"),
    "conflict": (b"<<<<<<< HEAD\n" + WHOLE + b"=======\n" + WHOLE + b">>>>>>> x\n", "conflict markers"),
    "one marker left": (WHOLE + b">>>>>>> theirs\n", "conflict markers"),
    "a list": (b"- a\n- b\n", "it is not a mapping"),
    "a word": (b"hello\n", "it is not a mapping"),
    "no stages": (b"schema: '2.0'\n", "stages: Field required"),
    "stages a list": (b"schema: '2.0'\nstages:\n- code\n", "stages: "),
    "a stage that is a word": (b"schema: '2.0'\nstages:\n  code: x\n", "stages.code: "),
    "another schema": (WHOLE.replace(b"'2.0'", b"'3.0'"), "schema: "),
    "a stage twice": (WHOLE + b"  code:\n    cmd: x\n    outs: []\n", 'found duplicate key "code"'),
    "a stage that makes nothing": (
        WHOLE + b"  talksumm-more:\n    cmd: x\n",
        "the stage talksumm-more without outs",
    ),
    "within a word": (WHOLE[:-1], "its last line is cut off"),
    "an output without hash": (without("md5"), ".md5: Field required"),
    "an output without size": (without("size"), ".size: Field required"),
    "a folder without files": (without("nfiles"), "a folder without nfiles"),
}


@pytest.fixture
def lock(tmp_workspace, tmp_path):
    """The path of a committed dvc.lock, last changed a while ago."""
    path = tmp_workspace.lock
    path.write_bytes(WHOLE)
    for command in (["init", "-q"], ["add", "dvc.lock"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    return path


def put(path, content):
    path.write_bytes(content)
    os.utime(path, (1e9, 1e9 + len(content)))


def test_a_sound_lock_is_read_and_a_missing_one_is_not_damage(lock):
    assert dvc_files.locked_stages(Workspace(lock.parent)) == YAML(typ="safe").load(WHOLE)["stages"]
    lock.unlink()
    assert dvc_files.locked_stages(Workspace(lock.parent)) == {}


def test_a_folder_in_place_of_the_lock_is_named_and_another_lock_is_read_when_it_is_gone(lock):
    lock.unlink()
    lock.mkdir()
    os.utime(lock, (1e9, 1e9))
    with pytest.raises(DamagedLockError, match=r"^dvc\.lock is damaged: Is a directory; .* or remove it"):
        dvc_files.check_lock(Workspace(lock.parent))
    lock.rmdir()
    assert dvc_files.locked_stages(Workspace(lock.parent)) == {}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_named_with_what_to_do(lock, name):
    content, said = DAMAGE[name]
    put(lock, content)
    with pytest.raises(DamagedLockError) as caught:
        dvc_files.check_lock(Workspace(lock.parent))
    text = str(caught.value)
    assert text.startswith("dvc.lock is damaged: ") and said in text, text
    assert "`git checkout dvc.lock` restores git's version (in a merge: " in text and "or remove it" in text
    assert "(the hashes of datasets that are only in a remote or elsewhere are lost with it)" in text
    assert "\n" not in text and lock.read_bytes() == content


def test_numbers_are_read_as_dvc_writes_them(lock):
    written = "1e-06 1E+20 -2.5e3 .5 1.0 1e"
    content = yaml.safe_load(WHOLE)
    name, stage = next(iter(content["stages"].items()))
    stage["params"] = {"params.yaml": {"numbers": "HERE"}}
    put(lock, yaml.safe_dump(content).replace("HERE", f"[{', '.join(written.split())}]").encode())
    found = dvc_files.locked_stages(Workspace(lock.parent))[name]["params"]["params.yaml"]["numbers"]
    assert (
        found
        == [1e-6, 1e20, -2500.0, 0.5, 1.0, "1e"]
        == list(YAML(typ="safe").load(f"[{', '.join(written.split())}]"))
    )


def test_a_lock_that_is_being_written_is_read_again(lock):
    lock.write_bytes(WHOLE[:5000])

    def finish():
        time.sleep(0.5)
        lock.write_bytes(WHOLE)

    writer = threading.Thread(target=finish)
    writer.start()
    assert len(dvc_files.locked_stages(Workspace(lock.parent))) == STAGES
    writer.join()


@given(st.binary() | st.text().map(str.encode))
def test_any_bytes_are_stages_or_damage(content):
    try:
        assert isinstance(parse_lock(content), dict)
    except DamagedLockError as error:
        assert str(error)


@given(st.integers(0, len(WHOLE) - 1), st.integers(0, 255))
def test_a_lock_with_another_byte_is_stages_or_damage(place, byte):
    content = bytearray(WHOLE)
    content[place] = byte
    try:
        assert all(stage.get("outs") for name, stage in parse_lock(bytes(content)).items() if "-" in name)
    except DamagedLockError as error:
        assert str(error)
