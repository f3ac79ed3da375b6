"""What a crawl is handed: its folder, the partition as it is published, and who hears how far it is.

Belongs here: making a `CrawlPlace` of a workspace. Not here: its folder (state/crawls.py).
"""

from __future__ import annotations

from assets.declare.declaration import Declaration
from assets.declare.graph import label
from ops.crawl.place import CrawlPlace
from ops.parts import FILES
from orchestration.messages.progress import PartitionProgress, Recent, tell
from orchestration.state.crawls import asks_again, work_folder
from orchestration.state.freshness import View
from orchestration.workspace.workspace import Workspace


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

    return CrawlPlace(
        work_folder(workspace, item, month),
        workspace.folder(item, month) / FILES if published else None,
        asks_again(workspace, item, month),
        told,
        workspace.root,
        work_folder(workspace, item, month).parents[2] / ".asking",
    )
