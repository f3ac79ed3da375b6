"""What a crawl is handed: its folder, the partition as it is published, and who hears how far it is.

Belongs here: making a `CrawlPlace` of a workspace. Not here: its folder (state/crawls.py).
"""

from __future__ import annotations

import time

from assets.declare.declaration import Declaration
from assets.declare.graph import label
from ops.crawl.place import CrawlPlace
from ops.parts import FILES
from orchestration.messages.progress import PartitionProgress, tell
from orchestration.state.crawls import asks_again, work_folder
from orchestration.state.freshness import View
from orchestration.workspace.workspace import Workspace


def crawl_place(workspace: Workspace, item: Declaration, month: str) -> CrawlPlace:
    """Return where a partition is crawled. What is published counts only if it is as it was made."""
    published = View(workspace).known(item, month) is not None
    begun: list[tuple[int, float]] = []  # when it is told of first: until then it waits for other crawls

    def told(done: int, known: int) -> None:
        begun.append((done, time.monotonic())) if not begun else None
        before, start = begun[0]
        seconds = time.monotonic() - start
        tell(PartitionProgress(label(item, month), "crawl", done, known, before, seconds, "pages"))

    return CrawlPlace(
        work_folder(workspace, item, month),
        workspace.folder(item, month) / FILES if published else None,
        asks_again(workspace, item, month),
        told,
        workspace.root,
        work_folder(workspace, item, month).parents[2] / ".asking",
    )
