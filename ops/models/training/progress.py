"""Progress of training as lines of text.

Belongs here: the default printer. Not here: measuring it (loop.py).
"""

from __future__ import annotations

import sys
import time
from typing import TextIO

from ops.models.training.task import Progress


class ProgressLines:
    """Writes a line every some seconds, and one for every validation; `name` is what is trained."""

    def __init__(self, name: str = "", stream: TextIO | None = None, seconds: float = 5.0) -> None:
        self._name = name
        self._stream = stream or sys.stderr
        self._seconds = seconds
        self._last = -seconds

    def __call__(self, progress: Progress) -> None:
        """Write a line, if it is time."""
        now = time.monotonic()
        if not progress.metrics and now - self._last < self._seconds:
            return
        self._last = now
        print(f"{self._name}  {line(progress)}".lstrip(), file=self._stream, flush=True)


def line(progress: Progress) -> str:
    """Return progress as one line: updates, epoch, loss, rate, remaining time, and metrics by name."""
    minutes, seconds = divmod(round(progress.remaining), 60)
    metrics = "".join(f"  {name} {value:.4f}" for name, value in sorted(progress.metrics.items()))
    return (
        f"update {progress.step}/{progress.steps}  epoch {progress.epoch + 1}  loss {progress.loss:.4f}  "
        f"{progress.rate:.2f} updates/s  {minutes}:{seconds:02d} left{metrics}"
    )
