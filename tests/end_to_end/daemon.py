"""Run Dagster's daemon as `python -m dagster._daemon` does, but let it look for backfills each second, not each half minute."""

import sys
from pathlib import Path

import dagster._daemon.controller
from dagster._daemon.cli import main

dagster._daemon.controller.DEFAULT_DAEMON_INTERVAL_SECONDS = 1
sys.path.insert(0, str(Path.cwd()))  # as `python -m dagster._daemon` does: the stores are of the project
sys.argv = [
    "dagster-daemon",
    "run",
    "-m",
    "orchestration.definitions",
    "--code-server-log-level",
    "warning",
]
main()
