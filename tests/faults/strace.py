"""strace, which kills a program at a chosen system call: found, or installed from Debian's packages.

Belongs here: finding strace, and its arguments. Not here: which programs are killed (the tests).
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest


def strace() -> str:
    """Return the path of strace; skips the test if it is missing and cannot be installed."""
    if shutil.which("strace") is None and shutil.which("apt-get") and os.geteuid() == 0:
        apt = ["apt-get", "-q", "-o", "DPkg::Lock::Timeout=120"]
        for command in (["update"], ["install", "-y", "--no-install-recommends", "strace"]):
            subprocess.run([*apt, *command], capture_output=True, timeout=600, check=False)
    found = shutil.which("strace")
    if found is None:
        pytest.skip("strace is not installed")
    return found


def kill_at(path: Path, calls: str, number: int) -> list[str]:
    """Return the first words of a command that is killed at its `number`-th of these calls on `path`."""
    inject = f"inject={calls}:signal=KILL:when={number}"
    return [strace(), "-f", "-qq", "-o", os.devnull, "-P", str(path), "-e", f"trace={calls}", "-e", inject]
