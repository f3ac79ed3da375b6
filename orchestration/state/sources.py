"""What the sources of params.yaml hold: raw corpora ready to be scanned, months without records, crawls under
way.

Belongs here: what is known of a partition before anything is made. Not here: scanning (ops/parse/scan.py),
making empty partitions together (partition/empty.py), what a crawl does (ops/crawl).
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path

from assets.declare.declaration import Declaration
from ops.crawl.journal import LINES
from ops.parse.scan import Corpus
from ops.parse.source import folder_formats
from orchestration.executors.parts import engine
from orchestration.files.publish import write_file
from orchestration.workspace.workspace import Workspace


@cache
def corpus(workspace: Workspace, name: str) -> Corpus:
    """Return the corpus `sources.<name>`, its index scanned at most once in a process."""
    chosen = workspace.settings
    return Corpus(
        name=name,
        sources=chosen.folders(name),
        formats=folder_formats(
            next(dataset.formats for dataset in workspace.datasets.values() if dataset.records == name)
        ),
        root=workspace.root,
        first_month=chosen.partitions.start,
        last_month=chosen.partitions.end,
        every=chosen.partitions.every,
        records_per_part=chosen.store.records_per_part,
        engine=engine(),
    )


def check_versions(workspace: Workspace) -> None:
    """Raise SourceError that names a file which DVC fails at, or a pipe, which it would wait for."""
    for name in workspace.settings.sources:
        corpus(workspace, name).check()
        corpus(workspace, name).check_versions()


#: As many empty partitions of a dataset are made like others: each is a run of its own then.
FEW = 2


def is_empty(workspace: Workspace, dataset: Declaration, partition: str) -> bool:
    """Say whether no record can be in a partition. A crawl finds units itself, but none without a list."""
    if not dataset.partitioned or dataset.shape is None:
        return False
    if dataset.records and corpus(workspace, dataset.records).ids(partition):
        return False
    local = [
        parent
        for source, parent in zip(dataset.inputs, workspace.graph.upstream(dataset), strict=True)
        if parent.partitioned and not source.all_partitions
    ]
    made_of_month = bool(dataset.records or local)
    return made_of_month and all(is_empty(workspace, parent, partition) for parent in local)


def empty_partitions(workspace: Workspace, dataset: Declaration, partitions: Collection[str]) -> list[str]:
    """Return those of some months whose partitions are empty and made together; none where they are few."""
    found = [partition for partition in partitions if is_empty(workspace, dataset, partition)]
    return found if len(found) > FEW else []


#: The tag of a run whose crawls ask the web again.
RECRAWL = "silverloom/recrawl"

MARK = "ask-again"


def work_folder(workspace: Workspace, dataset: Declaration, partition: str) -> Path:
    """Return where the crawl of a partition works: an interrupted one goes on from there."""
    return workspace.state_file("crawls", dataset, partition, "")


def ask_again(workspace: Workspace, dataset: Declaration, partitions: Iterable[str]) -> None:
    """Let partitions be stale until their pages were asked for again, if they are of a crawl."""
    for partition in partitions if dataset.crawl else ():
        write_file(work_folder(workspace, dataset, partition) / MARK, b"")


def asks_again(workspace: Workspace, dataset: Declaration, partition: str) -> bool:
    """Say whether the pages of a partition are to be asked for again."""
    return bool(dataset.crawl) and (work_folder(workspace, dataset, partition) / MARK).is_file()


def under_way(workspace: Workspace, dataset: Declaration, partition: str) -> bool:
    """Say whether a crawl of a partition has outcomes that are not published."""
    journals = work_folder(workspace, dataset, partition).glob(f"*/{LINES}")
    return any(path.is_file() and path.stat().st_size for path in journals)


def discard_crawl(workspace: Workspace, dataset: Declaration, partition: str) -> None:
    """Remove what a crawl left, whose partition is made."""
    shutil.rmtree(work_folder(workspace, dataset, partition), ignore_errors=True)
