"""Evaluate a schedule or sensor once, as the daemon does."""

import json
from pathlib import Path

TICK = str(Path(__file__).with_name("tick.py"))


def tick(project, name, *argv, ok=True):
    ended = project.zygote.run(project.root, [name, *argv], path=TICK, env={})
    assert (ended.status == 0) == ok, ended.output
    if not ok:
        return ended.output
    lines = [line for line in ended.output.splitlines() if line.startswith("{")]
    assert lines, ended.output
    return json.loads(lines[-1])  # the last words of a program that it started may follow


def broken(project, dataset, month):
    """Make a partition impossible to make: put a folder in the place of its lock file."""
    path = project.root / ".silverloom/locks" / dataset / f"{month}.lock"
    path.unlink(missing_ok=True)
    path.mkdir(parents=True)
    return path
