"""A publication is killed at each system call that changes the disk: readers find the previous rows or the new ones."""

import re
import signal
import subprocess
import sys
from collections import Counter

import pytest

from silverloom.assets.declare.project import checkout
from silverloom.orchestration.files.identity import folder_hashes
from silverloom.orchestration.files.publish import recover
from tests.faults.publish_tables import publish_tables
from tests.faults.strace import strace

CALLS = "openat,write,pwrite64,writev,ftruncate,fsync,mkdir,rename,renameat2,unlink,unlinkat,rmdir"
OLD, NEW = 1, 2


@pytest.mark.long
@pytest.mark.parametrize("way", ["exchange", "renames"])
def test_a_publication_killed_at_any_system_call_leaves_the_previous_rows_or_the_new_ones(
    tmp_path, tally, way
):
    """A publication is killed at a system call that changes the disk."""
    workshop, target = tmp_path / "data/.building", tmp_path / "data/group/asset"
    publish_tables(workshop, target, NEW)
    new = folder_hashes(target)
    publish_tables(workshop, target, OLD)
    old = folder_hashes(target)

    def traced(*options: str) -> int:
        program = [sys.executable, "-m", "tests.faults.publish_tables", workshop, target, str(NEW), way]
        return subprocess.run([strace(), "-qq", *options, *program], cwd=checkout(), check=False).returncode

    log = tmp_path / "calls"
    assert traced("-o", str(log), "-e", f"trace={CALLS},access") == 0
    places = calls_between_marks(log.read_text())
    assert {"write", "fsync", "unlinkat"} <= {name for name, _ in places}, places
    for name, number in places[::9]:
        publish_tables(workshop, target, OLD)
        tally.attempt()
        ended = traced(
            "-o", "/dev/null", "-e", f"trace={name}", "-e", f"inject={name}:signal=KILL:when={number}"
        )
        assert ended == -signal.SIGKILL, (name, number)
        recover(workshop)
        assert folder_hashes(target) in (old, new), (name, number)
        assert [*workshop.iterdir()] == [], (name, number)
        publish_tables(workshop, target, NEW)
        assert folder_hashes(target) == new, (name, number)
        tally.survive()


def calls_between_marks(log: str) -> list[tuple[str, int]]:
    """The system calls that publish: the name of each, and its ordinal among calls of that name since program start."""
    seen, found, inside = Counter(), [], False
    for line in log.splitlines():
        name = re.match(r"\w+", line).group()
        if name == "access":
            inside = '"begin"' in line or (inside and '"end"' not in line)
            continue
        seen[name] += 1
        reads = name == "openat" and "O_CREAT" not in line
        if inside and not reads:
            found.append((name, seen[name]))
    return found
