"""Every command that reads a damaged dvc.lock says so, and each suggested remedy works."""

import os
import re
import subprocess

import pytest
import yaml

COMMANDS = (
    ["run"],
    ["backfill", "--from", "2018-06", "--to", "2018-06"],
    ["stage", "toy/questions"],
    ["code"],
    ["repro"],
)


def damage(project, content):
    path = project.root / "dvc.lock"
    path.write_bytes(content)
    os.utime(path, (1e9, 1e9 + len(content)))  # no process is writing it any more


def refused(project, *command):
    """Run a command that refuses the lock: it names it in one line with what to do, and leaves it unchanged."""
    content = (project.root / "dvc.lock").read_bytes()
    output = project.silverloom(*command, ok=False)
    assert re.fullmatch(r"error: dvc\.lock is damaged: .*; .*remove it, and `make run` .*\n", output), output
    assert (project.root / "dvc.lock").read_bytes() == content
    return output


def test_a_damaged_lock_is_named_and_left_alone_and_restored_from_git(done_toy, tally):
    """dvc.lock is damaged: emptied, cut off, overwritten, replaced"""
    whole = done_toy.lock
    damage(done_toy, whole.encode()[: len(whole) * 2 // 3])
    tally.attempt()
    assert "`git checkout dvc.lock`" in refused(done_toy, "run")
    done_toy.git("checkout", "dvc.lock")
    done_toy.run()
    assert done_toy.lock == whole
    tally.survive()


@pytest.mark.long
def test_every_command_that_reads_the_lock_refuses_a_damaged_one(done_toy, tally):
    """dvc.lock is damaged: emptied, cut off, overwritten, replaced"""
    damage(done_toy, done_toy.lock.encode()[:-1])
    for command in COMMANDS:
        tally.attempt()
        refused(done_toy, *command)
        tally.survive()


def test_missing_stages_are_committed_again_and_nothing_is_made(done_toy, tally):
    """dvc.lock is damaged: emptied, cut off, overwritten, replaced"""
    whole = done_toy.lock
    damage(done_toy, whole[: re.search(r"^  toy-questions:", whole, re.M).start()].encode())
    tally.attempt()
    assert done_toy.made(done_toy.run()) == []
    assert done_toy.lock == whole
    tally.survive()


@pytest.mark.long
def test_a_lock_that_dvc_has_partly_rebuilt_is_not_called_damaged(done_toy, tally):
    """dvc.lock is removed and partly rebuilt"""
    whole = done_toy.lock
    (done_toy.root / "dvc.lock").unlink()
    tally.attempt()
    done_toy.dvc("repro", "sources-riddles")
    stages, built = (yaml.safe_load(lock)["stages"] for lock in (whole, done_toy.lock))
    assert built and built.items() < stages.items()
    assert "everything is up to date" in done_toy.silverloom("plan")
    done_toy.run()
    assert done_toy.lock == whole
    tally.survive()


def test_a_removed_lock_is_rebuilt_from_the_manifests(done_toy, tally):
    """dvc.lock is damaged: emptied, cut off, overwritten, replaced"""
    whole = done_toy.lock
    damage(done_toy, whole.encode()[: len(whole) // 4])
    tally.attempt()
    refused(done_toy, "run")
    (done_toy.root / "dvc.lock").unlink()
    done_toy.run()
    assert done_toy.lock == whole
    assert "everything is up to date" in done_toy.silverloom("plan")
    tally.survive()


def test_a_lock_with_a_conflict_is_named_and_a_side_can_be_taken(done_toy, tally):
    """dvc.lock holds a conflict of a merge"""
    whole = done_toy.lock
    hashes = re.findall(r"md5: (\w{32})", whole)
    done_toy.git("checkout", "-q", "-b", "other")
    damage(done_toy, whole.replace(hashes[-1], "1" * 32).encode())
    done_toy.commit()
    done_toy.git("checkout", "-q", "main")
    damage(done_toy, whole.replace(hashes[-1], "2" * 32).encode())
    done_toy.commit()
    tally.attempt()
    with pytest.raises(subprocess.CalledProcessError):
        done_toy.git("merge", "other")
    os.utime(done_toy.root / "dvc.lock", (1e9, 1e9))
    output = refused(done_toy, "run")
    assert "conflict markers" in output and "`git checkout --ours dvc.lock` or `--theirs`" in output
    done_toy.git("checkout", "--ours", "dvc.lock")
    done_toy.git("add", "dvc.lock")
    done_toy.run()
    assert done_toy.lock == whole
    tally.survive()
