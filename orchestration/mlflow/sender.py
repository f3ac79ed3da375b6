"""Send the runs that wait to MLflow while a command goes on. Not here: how (send.py)."""

from __future__ import annotations

import subprocess
import sys

from orchestration.mlflow.outbox import waiting
from orchestration.workspace.workspace import Workspace

#: Seconds; what then is still being sent goes on after the command.
_PATIENCE = 300.0


class Sender:
    """Sends in a process beside this one, which has the processors that the work leaves idle.

    To import MLflow's client takes seconds. That process says at its end what still waits, and ends also when
    this one is interrupted.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, soon: bool = False) -> None:
        """Send what waits, and what will until `finish`; where nothing waits yet, only if it `soon` will."""
        if self._process is None and (soon or waiting(self._workspace)):
            command = [sys.executable, "-m", "orchestration.cli", "send", "--follow"]
            self._process = subprocess.Popen(
                command,
                cwd=self._workspace.root,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
            )

    def finish(self) -> None:
        """Send all; a slow server is not waited for without end."""
        self.start()
        if self._process is None:
            return
        assert self._process.stdin is not None, "it is a pipe"
        self._process.stdin.close()
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            print("MLflow is slow: runs are still being sent to it", file=sys.stderr)
