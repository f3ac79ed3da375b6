"""Every command that reads a damaged dvc.lock says so, and each suggested remedy works."""

import os
import re
import subprocess

import pytest
import yaml

COMMANDS = (
    ["run"],
    ["backfill", "--from", "2018-06", "--to", "2018-06"],
    ["stage", "talksumm/pairs"],
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


def test_a_damaged_lock_is_named_and_left_alone_and_restored_from_git(done, tally):
    """dvc.lock is damaged: emptied, cut off, overwritten, replaced"""
    whole = done.lock
    damage(done, whole.encode()[:14633])
    tally.attempt()
    assert "`git checkout dvc.lock`" in refused(done, "run")
    done.git("checkout", "dvc.lock")
    done.run()
    assert done.lock == whole
    tally.survive()


@pytest.mark.long
def test_every_command_that_reads_the_lock_refuses_a_damaged_one(done, tally):
    """dvc.lock is damaged: emptied, cut off, overwritten, replaced"""
    damage(done, done.lock.encode()[:-1])
    for command in COMMANDS:
        tally.attempt()
        refused(done, *command)
        tally.survive()


def test_missing_stages_are_committed_again_and_nothing_is_made(done, tally):
    """dvc.lock is damaged: emptied, cut off, overwritten, replaced"""
    whole = done.lock
    damage(done, whole[: re.search(r"^  talksumm-pairs:", whole, re.M).start()].encode())
    tally.attempt()
    assert done.made(done.run()) == []
    assert done.lock == whole
    tally.survive()


@pytest.mark.long
def test_a_lock_that_dvc_has_partly_rebuilt_is_not_called_damaged(done, tally):
    """dvc.lock is removed and partly rebuilt"""
    whole = done.lock
    (done.root / "dvc.lock").unlink()
    tally.attempt()
    done.dvc("repro", "sources-papers")
    stages, built = (yaml.safe_load(lock)["stages"] for lock in (whole, done.lock))
    assert built and built.items() < stages.items()
    assert "everything is up to date" in done.silverloom("plan")
    done.run()
    assert done.lock == whole
    tally.survive()


def test_a_removed_lock_is_rebuilt_from_the_manifests(done, tally):
    """dvc.lock is damaged: emptied, cut off, overwritten, replaced"""
    whole = done.lock
    damage(done, whole.encode()[:5000])
    tally.attempt()
    refused(done, "run")
    (done.root / "dvc.lock").unlink()
    done.run()
    assert done.lock == whole
    assert "everything is up to date" in done.silverloom("plan")
    tally.survive()


def test_a_lock_with_a_conflict_is_named_and_a_side_can_be_taken(done, tally):
    """dvc.lock holds a conflict of a merge"""
    whole = done.lock
    hashes = re.findall(r"md5: (\w{32})", whole)
    done.git("checkout", "-q", "-b", "other")
    damage(done, whole.replace(hashes[-1], "1" * 32).encode())
    done.commit()
    done.git("checkout", "-q", "main")
    damage(done, whole.replace(hashes[-1], "2" * 32).encode())
    done.commit()
    tally.attempt()
    with pytest.raises(subprocess.CalledProcessError):
        done.git("merge", "other")
    os.utime(done.root / "dvc.lock", (1e9, 1e9))
    output = refused(done, "run")
    assert "conflict markers" in output and "`git checkout --ours dvc.lock` or `--theirs`" in output
    done.git("checkout", "--ours", "dvc.lock")
    done.git("add", "dvc.lock")
    done.run()
    assert done.lock == whole
    tally.survive()
