"""Every command with its arguments and options, as Typer's own generator writes them.

Belongs here: asking Typer, and leaving out commands that only programs run. Not here: the overview of the
commands, which people wrote (docs/reference/commands.md).
"""

from __future__ import annotations

import re
import subprocess
import sys

import typer

from silverloom.orchestration.cli.app import app

NAME = "silverloom"


def commands_text() -> str:
    """Return Markdown with a section for each command that people type."""
    asked = [
        sys.executable,
        "-m",
        "typer",
        "silverloom.orchestration.cli.app",
        "utils",
        "docs",
        "--name",
        NAME,
    ]
    done = subprocess.run(asked, capture_output=True, text=True, check=True)
    hidden = {name for name, command in typer.main.get_group(app).commands.items() if command.hidden}
    _, *sections = re.split(r"^(?=## )", done.stdout, flags=re.MULTILINE)
    return "".join(section for section in sections if _command(section) not in hidden)


def _command(section: str) -> str:
    found = re.match(rf"## `{NAME} ([\w-]+)`", section)
    if not found:
        raise ValueError(f"Typer wrote a section of another form: {section[:60]!r}")
    return found[1]
