"""What git says of a checkout: its commit, what differs from it, what is committed.

Belongs here: asking git. Not here: what runs, releases, versions and damaged files make of it.
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


class NoGitError(RuntimeError):
    """Git is not installed, does not answer, or has no repository here."""


def git(workspace: Workspace, *arguments: str) -> bytes | None:
    """Return what git prints; None where it finds nothing. Raises NoGitError."""
    command = ["git", "--no-optional-locks", *arguments]
    try:
        done = subprocess.run(command, cwd=workspace.root, capture_output=True, timeout=60, check=False)
    except FileNotFoundError as error:
        raise NoGitError("git is needed to compare versions, and was not found") from error
    except subprocess.TimeoutExpired as error:
        raise NoGitError(f"git took more than {error.timeout:.0f} s") from error
    if b"not a git repository" in done.stderr:
        raise NoGitError("this folder is no git repository: there are no versions to compare")
    return done.stdout if done.returncode == 0 else None


def git_lines(workspace: Workspace, *arguments: str) -> list[str]:
    """Return the lines that git prints. Raises NoGitError."""
    return (git(workspace, *arguments) or b"").decode(errors="replace").splitlines()


def commit(workspace: Workspace, besides: Sequence[str] = ()) -> Commit | None:
    """Return the commit that a checkout is on; None outside of git, or before the first one.

    What differs in the paths `besides` does not count.
    """
    kept_out = [f":(exclude){path}" for path in besides]
    try:
        shown = git_lines(workspace, "show", "--no-patch", "--format=%H%n%cI", "HEAD")
        found = git(workspace, "status", "--porcelain", "-z", "--no-renames", "--", ".", *kept_out)
    except NoGitError:
        return None
    if not shown or found is None:
        return None
    changed = sorted(line[3:] for line in found.decode(errors="replace").split("\0") if line)
    return Commit(shown[0], shown[1], tuple(changed))
