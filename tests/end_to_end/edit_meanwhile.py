"""Run the DAG, and edit a file after the first partition of a dataset. Arguments: the dataset and the edit."""

import sys
from pathlib import Path

import orchestration.run.dagster_run
from orchestration.cli.command import run as command
from orchestration.definitions import workspace
from orchestration.run.drive import run

dataset, edit = sys.argv[1:]
EDITS = {
    "code": ("ops/talksumm/align/hmm.py", "float = Field(0.75,", "float = Field(3 / 4,"),
    "source": ("corpus/papers/alpha.txt", "half as many errors", "a third as many errors"),
}
materialise = orchestration.run.dagster_run.materialise


def edited(workspace, item, month, **options):
    ran = materialise(workspace, item, month, **options)
    if item.name == dataset and month == "2018-06":
        path, old, new = EDITS[edit]
        text = Path(path).read_text()
        assert old in text
        Path(path).write_text(text.replace(old, new))
    return ran


orchestration.run.dagster_run.materialise = edited
command(lambda: run(workspace()))
