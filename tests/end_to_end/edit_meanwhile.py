"""Run the DAG, and edit the code of the alignments after their first partition."""

from pathlib import Path

import silverloom.orchestration.run.dagster_run
from silverloom.orchestration.cli.command import run as command
from silverloom.orchestration.definitions import workspace
from silverloom.orchestration.run.drive import run

CODE = Path("ops/talksumm/align/hmm.py")
OLD, NEW = "float = Field(0.75,", "float = Field(3 / 4,"
materialise = silverloom.orchestration.run.dagster_run.materialise


def edited(workspace, item, month, *others):
    ran = materialise(workspace, item, month, *others)
    if item.name == "talksumm/alignments" and month == "2018-06":
        text = CODE.read_text()
        assert OLD in text
        CODE.write_text(text.replace(OLD, NEW))
    return ran


if __name__ == "__main__":  # not in the processes that this one starts
    silverloom.orchestration.run.dagster_run.materialise = edited
    command(lambda: run(workspace()))
