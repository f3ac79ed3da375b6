"""Run Dagster's daemon as `dagster-daemon` does, but let it look for backfills each second, not each half minute."""

import sys

import dagster._daemon.controller
from dagster._daemon.cli import main

dagster._daemon.controller.DEFAULT_DAEMON_INTERVAL_SECONDS = 1
sys.argv = [
    "dagster-daemon",
    "run",
    "-m",
    "orchestration.dagster.definitions",
    "--code-server-log-level",
    "warning",
]
main()
