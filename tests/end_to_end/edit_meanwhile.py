"""Run the DAG, and edit the code of the alignments after their first partition."""

from pathlib import Path

import silverloom.orchestration.run.dagster_run
from silverloom.orchestration.cli.command import run as command
from silverloom.orchestration.definitions import workspace
from silverloom.orchestration.run.drive import run

CODE = Path("ops/talksumm/align/hmm.py")
materialise = silverloom.orchestration.run.dagster_run.materialise


def edited(workspace, item, month, *others):
    ran = materialise(workspace, item, month, *others)
    if item.name == "talksumm/alignments" and month == "2018-06":
        with CODE.open("a") as code:
            code.write("decode = decode\n")
    return ran


if __name__ == "__main__":  # not in the processes that this one starts
    silverloom.orchestration.run.dagster_run.materialise = edited
    command(lambda: run(workspace()))
