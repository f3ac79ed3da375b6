"""Drivers that run in parallel in one checkout make every partition once, and end like one alone."""

import os
import subprocess
import sys

from silverloom.orchestration.state.dvc_files import parse_lock
from silverloom.orchestration.workspace.environment import QUIET, STRICT

RUN = ("silverloom.orchestration.cli", "run", "--select", "toy/questions")
REPRO = ("dvc", "repro", "toy-questions")

#: Writes a line for each folder of a partition that is built.
LOGGED = """
build = building
def building(staging, target):
    with open("made.log", "a") as log:
        log.write(f"{target.parent.parent.name}/{target.parent.name} {target.name}\\n")
    return build(staging, target)
"""


def drivers(project, commands):
    """Start commands in parallel; return how each ended."""
    environment = {**os.environ, **STRICT, **QUIET, **project.zygote.environment}
    started = [
        subprocess.Popen(
            [sys.executable if command[0] == "dvc" else project.zygote.bin / "python", "-m", *command],
            cwd=project.root,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for command in commands
    ]
    outputs = [process.communicate()[0] for process in started]
    return [process.returncode for process in started], outputs


def test_parallel_drivers_make_every_partition_once_and_the_same_lock(tally, done_toy, toy):
    """Two drivers in parallel: `make run` with `dvc repro`"""
    toy.append("orchestration/partition/materialise.py", LOGGED)
    tally.attempt()
    statuses, outputs = drivers(toy, (RUN, REPRO))
    assert statuses == [0, 0], "\n".join(outputs)
    made = (toy.root / "made.log").read_text().splitlines()
    selected = ("sources/riddles", "toy/questions")
    assert sorted(made) == [f"{name} {month}" for name in selected for month in ("2018-06", "2018-07")]
    whole, data = parse_lock(done_toy.lock.encode()), done_toy.data()
    # as mappings: DVC takes a new stage and its ancestors from a set, so it appends them in any order
    chosen = ("code", "sources", *(name.replace("/", "-") for name in selected))
    assert parse_lock(toy.lock.encode()) == {name: whole[name] for name in chosen}
    found = toy.data()
    assert found and found == {path: data[path] for path in found}
    tally.survive()
