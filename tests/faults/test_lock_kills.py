"""Whatever kills a commit, the next command finds the old dvc.lock or the new one, and ends like an undisturbed one."""

import os
import re
import signal
import subprocess
import sys
from collections import Counter

import pytest

from silverloom.orchestration.dvc.spare import restore
from silverloom.orchestration.workspace.environment import QUIET, STRICT
from silverloom.orchestration.workspace.workspace import Workspace
from tests.faults.strace import kill_at, strace

#: All calls that change a file, or flush it to disk.
CALLS = "openat,write,pwrite64,writev,ftruncate,truncate,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat"
COMMIT = (
    "from silverloom.orchestration.definitions import workspace; from silverloom.orchestration.dvc.stages import commit_finished; "
    "from silverloom.orchestration.state.freshness import View; "
    "commit_finished(View(workspace()))"
)


def traced(project, options, *program):
    """Run a program under strace, watching the two files of a commit and their temporary files."""
    names = ("dvc.lock", ".dvc.lock.$$", ".silverloom/dvc.lock", ".silverloom/.dvc.lock.$$")
    paths = [f'-P "$PWD/{name}"' for name in names]
    # With -D, the program gets the process id of the shell, and so the name of the temporary file.
    script = f'exec "{strace()}" -D -qq {" ".join(paths)} {options} "$@"'
    environment = {**os.environ, **STRICT, **QUIET, **project.zygote.environment}
    command = ["sh", "-c", script, "sh", sys.executable, *program]
    return subprocess.run(
        command, cwd=project.root, env=environment, capture_output=True, text=True, check=False
    )


def calls(project, begin, *program):
    """Return a program's system calls on those files: name, and ordinal among calls of that name."""
    begin()
    log = project.root / "calls"
    ended = traced(project, f"-o {log} -e trace={CALLS}", *program)
    assert ended.returncode == 0, ended.stderr
    names = re.findall(r"^(\w+)\(", log.read_text(), re.MULTILINE)
    assert {"write", "fsync", "rename"} <= set(names), log.read_text()
    seen = Counter()
    return [(name, seen.update([name]) or seen[name]) for name in names]


def kill(project, begin, places, tally, *program):
    """Kill a program at each of these calls; each time the lock is old or new, and a run makes it the new one."""
    new = project.lock
    begin()
    old = (project.root / "dvc.lock").read_bytes() if (project.root / "dvc.lock").exists() else None
    for name, number in places:
        begin()
        tally.attempt()
        ended = traced(
            project, f"-o /dev/null -e trace={name} -e inject={name}:signal=KILL:when={number}", *program
        )
        assert ended.returncode == -signal.SIGKILL, (name, number, ended)
        restore(Workspace(project.root))
        left = (project.root / "dvc.lock").read_bytes() if (project.root / "dvc.lock").exists() else None
        assert left in (old, new.encode()), f"neither old nor new after {name} {number}"
        project.run()
        assert project.lock == new, (name, number)
        assert not (project.root / ".silverloom/dvc.lock").exists(), (name, number)
        tally.survive()


def changed(project):
    """Restore dvc.lock to its state before a stage in the middle changed."""
    new = project.lock
    stage = re.search(r"^  toy-questions:\n.*?(?=^  \S)", new, re.MULTILINE | re.DOTALL).group()
    output = re.search(r"path: data/toy/questions\n.*?md5: (\w+)", stage, re.DOTALL).group(1)
    old = new.replace(stage, stage.replace(output, "0" * 32))
    assert old != new

    def begin():
        (project.root / "dvc.lock").write_text(old)

    return begin


def test_a_lock_restored_by_git_after_a_kill_is_not_replaced(done_toy, tally):
    """A commit is killed while it writes dvc.lock"""
    tally.attempt()
    new = done_toy.lock
    changed(done_toy)()
    copy = done_toy.root / ".silverloom/dvc.lock"
    copy.write_text(done_toy.lock)
    cut = new[: new.index("  toy-model:")]
    for brought in (new, f"<<<<<<< HEAD\n{new}=======\n>>>>>>> theirs\n"):
        former = copy.read_text()
        (done_toy.root / "dvc.lock").write_text(brought)
        restore(Workspace(done_toy.root))
        assert done_toy.lock == brought and not copy.exists()
        copy.write_text(former)
    for left in (cut, new[:-2], ""):
        former = copy.read_text()
        (done_toy.root / "dvc.lock").write_text(left)
        restore(Workspace(done_toy.root))
        assert done_toy.lock == former and not copy.exists()
        copy.write_text(former)
    tally.survive()


@pytest.mark.long
def test_a_commit_killed_at_any_system_call_on_the_lock_leaves_it_whole(done_toy, tally):
    """A commit is killed while it writes dvc.lock"""
    begin = changed(done_toy)
    places = calls(done_toy, begin, "-c", COMMIT)
    done_toy.run()
    kill(done_toy, begin, places, tally, "-c", COMMIT)


@pytest.mark.long
def test_a_lock_left_by_a_killed_dvc_repro_is_recognised_and_repaired(done_toy, tally):
    """`dvc repro` is killed while it writes dvc.lock, in place"""
    whole = done_toy.lock
    changed(done_toy)()
    environment = {**os.environ, **STRICT, **QUIET, **done_toy.zygote.environment}
    command = [*kill_at(done_toy.root / "dvc.lock", "write", 2), sys.executable, "-m", "dvc", "repro"]
    tally.attempt()
    subprocess.run(command, cwd=done_toy.root, env=environment, capture_output=True, check=False)
    left = done_toy.lock
    assert len(left) < len(whole), "it was killed too late"
    output = done_toy.run(ok=False)
    assert re.search(r"^error: dvc.lock is damaged: .*`git checkout dvc.lock`", output, re.MULTILINE), output
    recipe = re.search(r"^repro:.*\n\t@(.*)", (done_toy.root / "Makefile").read_text(), re.MULTILINE).group(1)
    again = subprocess.run(
        recipe, shell=True, cwd=done_toy.root, env=environment, capture_output=True, text=True, check=False
    )
    assert again.returncode and re.fullmatch(r"error: dvc.lock is damaged: .*\n", again.stderr), again
    assert done_toy.lock == left
    done_toy.git("checkout", "dvc.lock")
    done_toy.run()
    assert done_toy.lock == whole
    tally.survive()
