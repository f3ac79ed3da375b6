"""Send the runs that wait to MLflow while a command goes on. Not here: how (mlflow/send.py)."""

from __future__ import annotations

import subprocess
import sys

from rich.console import Console
from rich.markup import escape

from orchestration.mlflow.outbox import waiting
from orchestration.workspace.workspace import Workspace


class Sender:
    """Sends in a process beside this one: to import MLflow's client takes seconds."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> bool:
        """Begin to send, unless that is under way or nothing waits; say whether it is under way."""
        if self._process is None and waiting(self._workspace):
            command = [sys.executable, "-m", "orchestration.cli", "send"]
            self._process = subprocess.Popen(
                command, cwd=self._workspace.root, stdout=subprocess.PIPE, text=True
            )
        return self._process is not None

    def finish(self, console: Console) -> None:
        """Send the rest, and say what still waits: the datasets are made all the same."""
        while self.start() and self._process:
            lines, _ = self._process.communicate()
            status, self._process = self._process.returncode, None
            if status:
                console.print(
                    f"[yellow]warning[/] {escape(lines.strip())}; the next command sends what waits"
                )
                return
