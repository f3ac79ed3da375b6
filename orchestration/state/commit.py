"""The commit of git that a checkout is on, and what differs from it.

Belongs here: asking git. Not here: what runs and releases say of it.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from typing import NamedTuple

from orchestration.workspace.workspace import Workspace


class Commit(NamedTuple):
    """A commit, and the files that are not as it has them, untracked ones too."""

    id: str
    time: str
    """Of the commit, in ISO 8601."""
    changed: tuple[str, ...]


def commit(workspace: Workspace, besides: Sequence[str] = ()) -> Commit | None:
    """Return the commit that a checkout is on; None outside of git, or before the first one.

    What differs in the paths `besides` does not count.
    """
    kept_out = [f":(exclude){path}" for path in besides]
    try:
        name, time = _git(workspace, "show", "--no-patch", "--format=%H%n%cI", "HEAD").splitlines()
        found = _git(workspace, "status", "--porcelain", "-z", "--no-renames", "--", ".", *kept_out)
    except (OSError, subprocess.SubprocessError):
        return None
    return Commit(name, time, tuple(sorted(line[3:] for line in found.split("\0") if line)))


def _git(workspace: Workspace, *arguments: str) -> str:
    command = ["git", "--no-optional-locks", *arguments]
    return subprocess.run(
        command, cwd=workspace.root, check=True, capture_output=True, text=True, timeout=20
    ).stdout
