"""A few updates give the same weights, to the bit, on another processor."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from silverloom.assets.declare.project import checkout
from silverloom.orchestration.workspace.environment import STRICT

COMMAND = [sys.executable, "-m", "tests.ops.models.training.few_steps"]


@pytest.mark.long
@pytest.mark.skipif(shutil.which("qemu-x86_64") is None, reason="qemu-x86_64 (qemu-user) is not installed")
def test_an_emulated_haswell_trains_the_same_weights():
    emulated = ["qemu-x86_64", "-cpu", "Haswell", *COMMAND]
    environment = {**os.environ, **STRICT}
    native, other = (
        subprocess.run(
            command, cwd=checkout(), env=environment, check=True, capture_output=True, text=True
        ).stdout
        for command in (COMMAND, emulated)
    )
    assert json.loads(native.splitlines()[-1]) == json.loads(other.splitlines()[-1])
