"""Keep what `make ui` shows of the present up to date: the state beside the pages, and Data Docs.

Belongs here: noticing that partitions, params or code changed. Not here: what is written then (pages/live.py,
quality/docs.py): each time by a process of its own, which reads params and code anew.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator

from assets.settings import ROOT
from orchestration.graph import STATE

#: Seconds between two looks, and the most that writing may take.
_PAUSE, _LIMIT = 2.0, 300.0
_WRITERS = ("orchestration.pages.live", "orchestration.quality.docs")


def watch() -> None:
    """Write at the start and after every change, until this process is ended."""
    seen: frozenset[tuple[str, int]] | None = None
    while True:
        now = frozenset(_marks())
        if now != seen:
            seen = now
            for module in _WRITERS:
                _run(module)
        time.sleep(_PAUSE)


def _marks() -> Iterator[tuple[str, int]]:
    """Yield name and time of change of all that the present is told from."""
    for base in (STATE / "records", STATE / "history", STATE / "validations", ROOT / "assets", ROOT / "ops"):
        yield from ((str(path), path.stat().st_mtime_ns) for path in base.rglob("*.[jp]*") if path.is_file())
    for path in (ROOT / "params.yaml", ROOT / "dvc.lock"):
        if path.exists():
            yield str(path), path.stat().st_mtime_ns


def _run(module: str) -> None:
    try:
        subprocess.run([sys.executable, "-m", module], cwd=ROOT, timeout=_LIMIT, check=True)
    except subprocess.SubprocessError as error:
        print(error, file=sys.stderr, flush=True)  # the next change is the next chance


if __name__ == "__main__":
    from orchestration.command import run

    run(watch)
