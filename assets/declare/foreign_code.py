"""Refusing to run the code of one checkout in another one.

Belongs here: comparing the checkout around the working directory with that of the code. Not here: finding the
project (project.py), and the command, which runs the right code (silverloom/command.py).
"""

from __future__ import annotations

import contextlib
from pathlib import Path

from silverloom.assets.declare.project import checkout


class ForeignCodeError(ImportError):
    """The code of one checkout was imported in another one; the text names both and says what to do."""


def check_checkout() -> None:
    """Raise ForeignCodeError if the working directory is in a checkout other than that of this code.

    Checkouts that share a virtual environment have only one of them installed in it.
    """
    with contextlib.suppress(FileNotFoundError):  # the working directory was removed
        here = Path.cwd()
        for folder in (here, *here.parents):
            if (folder / "orchestration" / "cli" / "app.py").is_file():
                if folder != checkout():
                    raise ForeignCodeError(
                        f"{folder} is a checkout of its own, but this environment would run the code of "
                        f"{checkout()} in it: activate an environment of {folder} (`make setup` there makes "
                        f".venv), or set PYTHONPATH={folder}"
                    )
                return
