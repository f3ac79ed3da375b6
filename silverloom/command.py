"""The `silverloom` command, with the code of the checkout that it is called in.

Set-up installs it once. Experiments of DVC run in copies of the checkout, each with its own code.
"""

from __future__ import annotations

import signal
import sys
from pathlib import Path


def main() -> None:
    """Run the command line of the nearest checkout, or, outside of any, of the installed one."""
    for folder in (Path.cwd(), *Path.cwd().parents):
        if (folder / "orchestration" / "cli" / "app.py").is_file():
            sys.path.insert(0, str(folder))
            break
    interrupted = signal.getsignal(signal.SIGINT)
    if interrupted is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C while modules load shows no traceback
    from silverloom.orchestration.process import prepare

    prepare()
    from silverloom.orchestration.cli.app import main as command_line

    signal.signal(signal.SIGINT, interrupted)
    command_line()
