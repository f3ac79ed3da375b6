"""The `silverloom` command, with the code of the checkout that it is called in.

Set-up installs it once. Experiments of DVC run in copies of the checkout, each with its own code. A copy's
code is run by a new process, since this one has already imported the installed package.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path


def main() -> None:
    """Run the command line of the nearest checkout, or, outside of any, of the installed one."""
    for folder in (Path.cwd(), *Path.cwd().parents):
        if (folder / "orchestration" / "cli" / "app.py").is_file():
            if folder != Path(__file__).parents[1]:
                paths = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
                environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
                program = [sys.executable, "-m", "silverloom", *sys.argv[1:]]
                os.execve(sys.executable, program, environment)  # noqa: S606
            break
    interrupted = signal.getsignal(signal.SIGINT)
    if interrupted is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C while modules load shows no traceback
    from silverloom.orchestration.process import prepare

    prepare()
    from silverloom.orchestration.cli.app import main as command_line

    signal.signal(signal.SIGINT, interrupted)
    command_line()
