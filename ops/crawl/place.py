"""Where a crawl works: what an asset function of crawls is handed.

Belongs here: the folders of a partition. Not here: who makes them (orchestration/execute), what is done there
(crawl.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class CrawlPlace:
    """Where a crawl works, and what is there of the one before."""

    working: Path
    """Stays until the partition is published: an interrupted crawl goes on from there."""
    former: Path | None
    """The files of the published partition, if there is one."""
    recrawl: bool
    """Whether the web is asked again for what the former one has."""
    tell: Callable[[int, int], None]
    """Called with how many URLs are done, and how many are known."""
    root: Path = Path()
    """What relative paths of params.yaml begin at."""
    lock: Path | None = None
    """Of all that ask, one after the other; by default of the crawls that work beside this one."""

    @property
    def asking(self) -> Path:
        """The file that is locked as long as the web is asked."""
        return self.lock or self.working.parent / ".asking"
