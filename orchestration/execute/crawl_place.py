"""What a crawl is handed: its folder, the partition as it is published, and who hears how far it is.

Belongs here: making a `CrawlPlace` of a workspace, and what is damaged there. Not here: where its folder is
(state/crawls.py), damage within a journal, which has checksums (ops/crawl/journal.py).
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from assets.declare.declaration import Declaration
from assets.declare.graph import label
from ops.crawl.child import PLAN
from ops.crawl.fetched import AGAIN, FORMER
from ops.crawl.journal import FILES, OPTIONS
from ops.crawl.place import CrawlPlace
from ops.parts import FILES as PUBLISHED
from orchestration.files.damage import DamagedError, is_file, make_folder, read_state, set_aside
from orchestration.messages.progress import PartitionProgress, Recent, tell
from orchestration.state.crawls import MARK, asks_again, work_folder
from orchestration.state.freshness import View
from orchestration.workspace.workspace import Workspace

_DIGEST = re.compile(rb"[0-9a-f]{32}")


def crawl_place(workspace: Workspace, item: Declaration, month: str) -> CrawlPlace:
    """Return where a partition is crawled. What is published counts only if it is as it was made."""
    published = View(workspace).known(item, month) is not None
    pace, before = Recent(), 0

    def told(done: int, known: int) -> None:
        nonlocal pace, before
        if before:
            pace.finished(done - before)
        else:  # of the first: until then it waits for other crawls
            pace = Recent()
        before = done
        tell(PartitionProgress(label(item, month), "crawl", done, known, pace.pace, "pages"))

    place = CrawlPlace(
        work_folder(workspace, item, month),
        workspace.folder(item, month) / PUBLISHED if published else None,
        asks_again(workspace, item, month),
        told,
        workspace.root,
        work_folder(workspace, item, month).parents[2] / ".asking",
    )
    _set_damage_aside(place)
    return place


def _set_damage_aside(place: CrawlPlace) -> None:
    """Set aside what is no folder or file where a crawl has one, and journals whose options are unknown."""
    make_folder(place.working)
    _check(place.asking, "it is made anew")
    for crawl in sorted(path for path in place.working.iterdir() if path.name != MARK):
        for folder in (crawl / FORMER, crawl):
            if os.path.lexists(folder):
                make_folder(folder)
                if (fault := _fault_of_options(folder / OPTIONS)) is not None:
                    set_aside(folder, f"{OPTIONS}: {fault}", "its pages are asked for again")
                for name in (*FILES, PLAN, AGAIN):
                    _check(folder / name, "what it had is asked for again")


def _fault_of_options(path: Path) -> str | None:
    try:
        content = read_state(path)
    except DamagedError as error:
        return str(error)
    return None if content is None or _DIGEST.fullmatch(content) else "it holds no digest"


def _check(path: Path, then: str) -> None:
    """Set aside what is no file."""
    try:
        is_file(path)
    except DamagedError as error:
        set_aside(path, error, then)
