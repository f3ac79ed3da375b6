"""Start a backfill as Dagster's page does."""

import os
import subprocess
import sys

from silverloom.orchestration.workspace.environment import QUIET, STRICT

MONTHS = ("--from", "2018-06", "--to", "2018-07")


def start(project, *argv):
    """Start a backfill whose workers are its own children, so that tests can kill them."""
    environment = {**os.environ, **STRICT, **QUIET, "PYTHONUNBUFFERED": "1"}
    return subprocess.Popen(
        [sys.executable, "-m", "silverloom.orchestration.cli", "backfill", *argv],
        cwd=project.root,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
