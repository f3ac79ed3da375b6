"""A schedule or sensor asked once, as the daemon asks it."""

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
    return json.loads(lines[-1])  # what a program that it began says at its end may stand behind it


def broken(project, dataset, month):
    """Make a partition impossible to make: where its lock file belongs is a folder, which cannot be set aside."""
    (project.root / ".silverloom/damaged").symlink_to("/proc")
    path = project.root / ".silverloom/locks" / dataset / f"{month}.lock"
    path.unlink(missing_ok=True)
    path.mkdir(parents=True)
    return path
