"""The command `silverloom convert`: its options, its progress, and what it says of lost units.

Belongs here: what is printed. Not here: the rows (orchestration/project/convert.py).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path

from silverloom.assets.declare.params_file import ParamsError
from silverloom.assets.declare.project import nearest_project
from silverloom.ops.core.steps import Steps
from silverloom.orchestration.messages import why_lost
from silverloom.orchestration.project.convert import convert
from silverloom.orchestration.project.create import UNKNOWN_LICENCE
from silverloom.orchestration.project.detect import SourceOptions
from silverloom.orchestration.workspace.workspace import Workspace

#: Seconds between two lines of progress.
_PAUSE = 2.0


def run(
    workspace: Workspace,
    file: Path,
    system: str,
    out: Path,
    kind: str,
    columns: Sequence[str],
    licence: str,
    assignments: Sequence[str],
) -> int:
    """Convert a file and print what became of it; return 1 if there are no rows. Raises as `convert` does."""
    chosen = dict(text.partition("=")[::2] for text in columns)
    if wrong := next((text for text in columns if not all(text.partition("="))), None):
        raise ValueError(f"--column takes WHAT=COLUMN, such as text=abstract, not {wrong!r}")
    options = SourceOptions(kind, chosen)
    licence = licence or UNKNOWN_LICENCE
    count, steps = convert(
        file, system, out, options, licence, assignments, _is_strict(workspace), _Progress()
    )
    if lost := _lost(steps):
        print(*lost, *why_lost(steps.dropped), sep="\n")
    for error in dict.fromkeys(steps.errors):
        print(f"rejected: {error}", file=sys.stderr)
    if not count:
        print(f"error: {file} gives no rows; {out} is not written", file=sys.stderr)
        return 1
    print(f"written: {out}, {count:,} rows")
    return 0


def _is_strict(workspace: Workspace) -> bool:
    """Return what `numerics` says; an installed package outside of any project has none, and is fast."""
    try:
        return workspace.settings.numerics == "strict"
    except ParamsError:
        if nearest_project() is None:
            return False
        raise


class _Progress:
    """Prints lines of progress, one in a few seconds."""

    def __init__(self) -> None:
        self._printed = 0.0

    def __call__(self, text: str) -> None:
        if (now := time.monotonic()) - self._printed >= _PAUSE:
            print(text, file=sys.stderr, flush=True)
            self._printed = now


def _lost(steps: Steps) -> list[str]:
    """Return a line for each dataset that lost units: their numbers by reason."""
    lines = []
    for name, reasons in steps.dropped.items():
        lost = [f"{reason} {number:,}" for reason, number in reasons.most_common()]
        lost += [f"rejected {steps.rejected[name]:,}"] if steps.rejected[name] else []
        if lost:
            lines.append(f"{name} lost: {', '.join(lost)}")
    return lines
