"""A project that a former commit made opens, is stale by its code, and is made again with the same bytes.

If a rule changes on purpose what the texts of the stored project give, store it anew.
"""

import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.projects import ROOT

#: Made with `silverloom init` and `silverloom run --select discofuse/examples` by commit fe703226, when `ops`,
#: `assets`, `pages` and `orchestration` were packages of their own.
STORED = Path(__file__).parent / "project_of_fe703226.tar.gz"


@pytest.fixture
def stored(tmp_path):
    with tarfile.open(STORED) as archive:
        archive.extractall(tmp_path / "mine", filter="data")
    for command in ("init -q", "add .", "-c user.name=a -c user.email=a@b.example commit -qm stored"):
        subprocess.run(["git", *command.split()], cwd=tmp_path / "mine", check=True)
    return tmp_path / "mine"


def run(project, *command):
    environment = {name: value for name, value in os.environ.items() if name != "DAGSTER_HOME"}
    ended = subprocess.run(
        [sys.executable, "-m", "silverloom", *command],
        cwd=project,
        env={**environment, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert ended.returncode == 0 and "Traceback" not in ended.stdout, ended.stdout
    return ended.stdout


#: Columns that were empty or missing then, and those that now say less: lemmas of verbs, names and times.
SINCE = {"disfluency", "forward", "backward", "url", "lemmas", "entities"}


def rows(project):
    """The tables of a project's data, without the columns that came since."""
    tables = {
        path.relative_to(project): pq.read_table(path)
        for path in sorted((project / "data").rglob("*.parquet"))
    }
    return {
        path: table.drop_columns([name for name in table.column_names if name in SINCE])
        for path, table in tables.items()
    }


@pytest.mark.long
def test_a_project_of_a_former_commit_is_stale_by_its_code_and_keeps_its_rows(stored):
    former = rows(stored)
    assert len(former) > 4
    planned = run(stored, "plan", "--select", "discofuse/examples")
    assert planned.count("code changed") == 4
    told = run(stored, "run", "--select", "discofuse/examples")
    assert told.count("rendered dvc.yaml") == 1
    assert rows(stored) == former
    assert "everything is up to date" in run(stored, "plan", "--select", "discofuse/examples")
