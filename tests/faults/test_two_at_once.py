"""Drivers that run in parallel in one checkout make every partition once, and end like one alone."""

import os
import subprocess
import sys
from collections import Counter

from silverloom.orchestration.definitions import workspace
from silverloom.orchestration.state.dvc_files import read_stages, stage_name
from silverloom.orchestration.workspace.environment import QUIET, STRICT

SELECT = "sources/sentences"
RUN = ("silverloom.orchestration.cli", "run", "--select", SELECT)
REPRO = ("dvc", "repro", "sources-sentences")

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


def test_parallel_drivers_make_every_partition_once_and_the_same_lock(tally, done, fresh):
    """Two drivers in parallel: `make run` with `dvc repro`"""
    fresh.append("orchestration/partition/materialise.py", LOGGED)
    tally.attempt()
    statuses, outputs = drivers(fresh, (RUN, REPRO))
    assert statuses == [0, 0], "\n".join(outputs)
    made = Counter((fresh.root / "made.log").read_text().splitlines())
    # the sample of the checkout has filters, this project does not
    selected = [
        item for item in workspace().graph.selected(SELECT) if (done.root / "data" / item.name).is_dir()
    ]
    expected = [f"{dataset.name} {month}" for dataset in selected for month in ("2018-06", "2018-07")]
    assert made == Counter(expected)
    chosen = {"code", *(stage_name(dataset) for dataset in selected)}
    whole, data = read_stages(done.lock.encode()), done.data()
    # as mappings: DVC takes a new stage and its ancestors from a set, so it appends them in any order
    assert read_stages(fresh.lock.encode()) == {
        name: stage for name, stage in whole.items() if name in chosen
    }
    found = fresh.data()
    assert found and found == {path: data[path] for path in found}
    tally.survive()
