"""Ask a command in a process of its own: what lives long holds params, sources and code as it once read them.

Belongs here: running `silverloom COMMAND`, bounded in time, and reading its answer. Not here: what for.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from orchestration.workspace.workspace import Workspace

#: Dagster gives a tick 60 seconds.
SECONDS = 50.0


def ask(workspace: Workspace, command: str, *options: str, seconds: float = SECONDS) -> Any:
    """Return what a command prints, read as JSON.

    Raises RuntimeError with its last line of complaint where it fails, TimeoutError where it takes too long.
    """
    with begin(workspace, command, *options) as process:
        try:
            printed, complaint = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired as error:
            process.kill()
            raise TimeoutError(
                f"`silverloom {command}` took more than {seconds:.0f} s; in a terminal it has no limit"
            ) from error
    if process.returncode != 0:
        ended = f"`silverloom {command}` ended with status {process.returncode}"
        raise RuntimeError((complaint.strip() or ended).splitlines()[-1].removeprefix("error: "))
    return json.loads(printed)


def begin(workspace: Workspace, command: str, *options: str) -> subprocess.Popen[str]:
    """Begin a command that can be written to, and read from."""
    argv, pipe = [sys.executable, "-m", "orchestration.cli", command, *options], subprocess.PIPE
    return subprocess.Popen(argv, cwd=workspace.root, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
