"""The `silverloom` command: the code of the checkout that it is called in.

Set-up installs it once; experiments of DVC run in copies of the checkout, each of which has code of its own.
"""

import signal
import sys
from pathlib import Path

# The nearest checkout is imported from, else the one that was installed.
for folder in (Path.cwd(), *Path.cwd().parents):
    if (folder / "orchestration" / "cli" / "app.py").is_file():
        sys.path.insert(0, str(folder))
        break


def main() -> None:
    """Run the command line."""
    interrupted = signal.getsignal(signal.SIGINT)
    if interrupted is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C while modules load shows no traceback
    from orchestration.cli.app import main as command_line

    signal.signal(signal.SIGINT, interrupted)
    command_line()
