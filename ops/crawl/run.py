"""Begin a crawl in a process of its own, and hear how far it is.

Belongs here: the child's beginning and end. Not here: what it does (child.py), and what becomes of what it
fetched (outcomes.py).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import ops
from ops.crawl.collections.kinds import KINDS
from ops.crawl.options import CrawlOptions


class CrawlError(RuntimeError):
    """A crawl that ended before it was through: what it has is kept, and the next run goes on from it."""


def run(
    folder: Path,
    former: Path | None,
    urls: Sequence[str],
    options: CrawlOptions,
    root: Path,
    tell: Callable[[int, int], None],
    kind: str = "url_list",
    month: str = "",
) -> None:
    """Ask for all URLs, and what they lead to, that the journal in `folder` has no outcome of.

    Of a `kind` of collection, `urls` are lines that list the items of a `month`. `former` is the folder of
    another journal, whose pages are asked for on condition that they changed. `tell` is called with how many
    URLs are done and how many are known. Raises CrawlError.
    """
    from ops.crawl.child import PLAN, Plan

    read = KINDS[kind].options if kind in KINDS else CrawlOptions
    plan = Plan(
        kind=kind,
        month=month,
        urls=urls,
        options=options.model_dump(mode="json", include=set(read.model_fields)),
        digest=options.digest,
        root=str(root),
        former=str(former) if former else None,
    )
    folder.mkdir(parents=True, exist_ok=True)
    (folder / PLAN).write_text(plan.model_dump_json())
    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(
            [sys.executable, "-m", "ops.crawl.child", str(folder)],
            stdin=subprocess.PIPE,  # its end tells the child that this process is gone, however it went
            stdout=subprocess.PIPE,
            stderr=errors,
            env={**os.environ, "PYTHONPATH": str(Path(ops.__path__[0]).parent)},
            start_new_session=True,  # Ctrl-C reaches this process alone, which then ends the child
        )
        assert child.stdin is not None and child.stdout is not None
        try:
            for line in child.stdout:
                done, known = json.loads(line)
                tell(done, known)
            status = child.wait()
        finally:
            child.kill()
            child.stdin.close()
            child.stdout.close()
            child.wait()
        if status != 0:
            errors.seek(0)
            last = errors.read().decode(errors="replace").strip().splitlines()[-3:]
            raise CrawlError(f"the crawl ended with status {status}: {' '.join(last)[:500]}")
