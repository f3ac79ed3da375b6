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


def ask(workspace: Workspace, command: str, *options: str, text: str = "", seconds: float = SECONDS) -> Any:
    """Return what a command prints, read as JSON; raises what `answer` raises."""
    return json.loads(answer(workspace, command, *options, text=text, seconds=seconds))


def answer(
    workspace: Workspace, command: str, *options: str, text: str = "", seconds: float = SECONDS
) -> str:
    """Run a command and return what it prints; `text` is its standard input.

    Raises RuntimeError with its last line of complaint where it fails, TimeoutError where it takes too long.
    """
    argv = [sys.executable, "-m", "orchestration.cli", command, *options]
    called = f"`silverloom {command}`"
    try:
        ended = subprocess.run(
            argv, cwd=workspace.root, input=text, capture_output=True, text=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise TimeoutError(
            f"{called} took more than {seconds:.0f} s; in a terminal it has no limit"
        ) from error
    if ended.returncode != 0:
        complaint = (ended.stderr.strip() or f"{called} ended with status {ended.returncode}").splitlines()
        raise RuntimeError(complaint[-1].removeprefix("error: "))
    return ended.stdout
