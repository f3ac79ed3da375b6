"""The `silverloom` command: the code of the checkout that it is called in.

Set-up installs it once; experiments of DVC run in copies of the checkout, each of which has code of its own.
"""

import sys
from pathlib import Path


def main() -> None:
    """Run the command line of the nearest checkout, else that of the one that was installed."""
    folder = Path.cwd()
    for checkout in (folder, *folder.parents):
        if (checkout / "orchestration" / "cli" / "app.py").is_file():
            sys.path.insert(0, str(checkout))
            break
    from orchestration.cli.app import app

    app(prog_name="silverloom")
