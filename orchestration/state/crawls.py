"""Where crawls work until what they fetched is published, and which of them are to ask again.

Belongs here: the folder of a partition's crawl, and the mark in it. Not here: what lies there (ops/crawl).
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from assets.declare.declaration import Declaration
from ops.crawl.journal import LINES
from orchestration.files.publish import write_file
from orchestration.workspace.workspace import Workspace

#: The tag of a run whose crawls ask the web again.
RECRAWL = "silverloom/recrawl"

MARK = "ask-again"


def work_folder(workspace: Workspace, item: Declaration, month: str) -> Path:
    """Return where the crawl of a partition works: an interrupted one goes on from there."""
    return workspace.state_file("crawls", item, month, "")


def ask_again(workspace: Workspace, item: Declaration, months: Iterable[str]) -> None:
    """Let partitions be stale until their pages were asked for again, if they are of a crawl."""
    for month in months if item.crawl else ():
        write_file(work_folder(workspace, item, month) / MARK, b"")


def asks_again(workspace: Workspace, item: Declaration, month: str) -> bool:
    """Say whether the pages of a partition are to be asked for again."""
    return bool(item.crawl) and (work_folder(workspace, item, month) / MARK).is_file()


def under_way(workspace: Workspace, item: Declaration, month: str) -> bool:
    """Say whether a crawl of a partition has outcomes that are not published."""
    journals = work_folder(workspace, item, month).glob(f"*/{LINES}")
    return any(path.is_file() and path.stat().st_size for path in journals)


def discard_crawl(workspace: Workspace, item: Declaration, month: str) -> None:
    """Remove what a crawl left, whose partition is made."""
    shutil.rmtree(work_folder(workspace, item, month), ignore_errors=True)
