"""Send the runs that wait to MLflow while a command goes on. Not here: how (mlflow/send.py)."""

from __future__ import annotations

import subprocess
import sys

from orchestration.mlflow.outbox import waiting
from orchestration.workspace.workspace import Workspace

#: Seconds; what then is still being sent goes on after the command.
_PATIENCE = 300.0


class Sender:
    """Sends in a process beside this one: to import MLflow's client takes seconds.

    That process says what still waits. It ends by itself, also when this one is interrupted.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Begin to send what waits, unless that is under way."""
        if waiting(self._workspace) and (self._process is None or self._process.poll() is not None):
            command = [sys.executable, "-m", "orchestration.cli", "send"]
            self._process = subprocess.Popen(
                command, cwd=self._workspace.root, stdout=subprocess.DEVNULL, start_new_session=True
            )

    def finish(self) -> None:
        """Send all, also what was made after the process looked last; a slow server is not waited for."""
        try:
            if self._process is None or self._process.wait(_PATIENCE) == 0:
                self.start()
            if self._process is not None:
                self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            print("MLflow is slow: runs are still being sent to it", file=sys.stderr)
