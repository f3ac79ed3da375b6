"""Ask a module in a process of its own: what lives long holds params, sources and code as it once read them.

Belongs here: running `python -m MODULE`, bounded in time, and reading its answer. Not here: what is asked.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from assets.settings import ROOT

#: Dagster gives a tick 60 seconds.
SECONDS = 50.0


def ask(module: str, *argv: str, text: str = "", seconds: float = SECONDS) -> Any:
    """Return what a module prints, read as JSON; `text` is its standard input.

    Raises RuntimeError with its last line of complaint where it fails, TimeoutError where it takes too long.
    """
    command = [sys.executable, "-m", module, *argv]
    try:
        ended = subprocess.run(
            command, cwd=ROOT, input=text, capture_output=True, text=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise TimeoutError(
            f"{module} took more than {seconds:.0f} s; `make plan` shows what it would say, without a limit"
        ) from error
    if ended.returncode != 0:
        complaint = (ended.stderr.strip() or f"{module} ended with status {ended.returncode}").splitlines()
        raise RuntimeError(complaint[-1].removeprefix("error: "))
    return json.loads(ended.stdout)
