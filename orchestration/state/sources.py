"""What the sources in params.yaml contain: raw corpora, empty partitions, unfinished crawls.

Belongs here: what is known about a partition before anything is made. Not here: scanning (ops/parse/scan.py),
making empty partitions together (partition/empty.py), what a crawl does (ops/crawl).
"""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from silverloom.assets.declare.declaration import Dataset
from silverloom.ops.core.periods import is_over
from silverloom.ops.crawl.journal import JOURNAL, has_outcomes
from silverloom.ops.parse.scan import Corpus
from silverloom.ops.parse.source import EVERY, folder_formats
from silverloom.orchestration.executors.parts import engine
from silverloom.orchestration.files.identity import json_digest
from silverloom.orchestration.files.publish import write_file
from silverloom.orchestration.state.derived import made_once
from silverloom.orchestration.workspace.workspace import Workspace


@cache
def corpus(workspace: Workspace, name: str) -> Corpus:
    """Return the corpus `sources.<name>`. It is scanned once, until its files or its code change."""
    chosen = workspace.settings
    dataset = next(dataset for dataset in workspace.datasets.values() if dataset.records == name)
    return Corpus(
        name=name,
        sources=chosen.folders(name),
        formats=folder_formats(dataset.formats),
        root=workspace.root,
        first_partition=chosen.partitions.start,
        last_partition=chosen.partitions.last,
        every=chosen.partitions.every,
        records_per_part=chosen.store.records_per_part,
        engine=engine(),
        keeper=_Scans(workspace, dataset),
    )


def follow_sources(workspace: Workspace) -> None:
    """Let the partitions end with the newest period in the sources that is over, if params.yaml asks for it.

    Raises SourceError for a source that cannot be read: without it, partitions would seem to be obsolete.
    """
    chosen = workspace.settings.partitions
    if chosen.follows_sources:
        today, names = datetime.now(UTC).date(), {dataset.records for dataset in workspace.datasets.values()}
        periods = {name for read in names if read for name in corpus(workspace, read).index.months}
        known = {name for name in periods if name and name != EVERY and is_over(name, chosen.every, today)}
        chosen.follow(max(known, default=chosen.start))
        corpus.cache_clear()  # these had other partitions


def missing_source(workspace: Workspace, dataset: Dataset) -> str:
    """Return that params.yaml has no source for the records that a dataset reads, "" if it has one."""
    name = dataset.records
    return f"params.yaml has no sources.{name}" if name and not workspace.settings.sources.get(name) else ""


def outside(workspace: Workspace, datasets: Iterable[Dataset]) -> Iterator[str]:
    """Say of each dataset how many records of its sources are in no partition, and in which periods."""
    for name, left in count_outside(workspace, datasets).items():
        periods = ", ".join(f"{period} ({count})" for period, count in left.items())
        total = sum(left.values())
        records = "1 record lies" if total == 1 else f"{total} records lie"
        yield f"{records} outside the partitions of {name}: {periods}"


def count_outside(workspace: Workspace, datasets: Iterable[Dataset]) -> dict[str, Mapping[str, int]]:
    """Return the number of records in no partition by period, by the name of the dataset."""
    left = {
        dataset.name: corpus(workspace, dataset.records).outside() for dataset in datasets if dataset.records
    }
    return {name: periods for name, periods in left.items() if periods}


@dataclass(frozen=True)
class _Scans:
    """Keeps the scan of a dataset's sources from one command to the next."""

    workspace: Workspace
    dataset: Dataset

    def folder(self, write: Callable[[Path], object], whole: Callable[[Path], bool]) -> Path | None:
        """Return the folder of a scan of the current files, or None if one of them changed just now."""
        sources = self.workspace.settings.folders(self.dataset.records or "")
        stamps = source_stamps(self.workspace, self.dataset.records or "")
        if any(time.time_ns() - stamp[-1] < 1_000_000_000 for stamp in stamps):
            return None  # a second change within the same tick would leave the stamp unchanged
        code = {name: mark for name, mark in self.dataset.code.items() if name != "expectations"}
        described = {name: source.model_dump(mode="json") for name, source in sources.items()}
        every = self.workspace.settings.partitions.every
        version = json_digest({"code": code, "sources": described, "every": every, "files": stamps})
        with contextlib.suppress(
            OSError, UnicodeError
        ):  # disk full, or a name that is not text: do not keep it
            place = self.workspace.state_file("derived", self.dataset, "").with_name("scan")
            return made_once(place / version, write, whole)
        return None


def source_stamps(workspace: Workspace, name: str) -> list[tuple[str, int, int, int]]:
    """Return stamps that change with any file or folder of `sources.<name>`."""
    folders = workspace.settings.folders(name).values()
    return [stamp for source in folders for stamp in _stamps(workspace.root / source.path)]


def _stamps(folder: Path) -> Iterator[tuple[str, int, int, int]]:
    """Yield stamps that change with any file or folder below a folder, and with their permissions."""
    for base, folders, names in os.walk(folder):
        folders.sort()
        for path in (base, *(f"{base}/{name}" for name in sorted(names))):
            with contextlib.suppress(OSError):
                stat = Path(path).stat()
                yield path, stat.st_size, stat.st_ino, stat.st_ctime_ns


def check_versions(workspace: Workspace) -> None:
    """Raise SourceError for a file that DVC cannot read, or for a pipe, which DVC would wait on."""
    for name in workspace.settings.sources:
        corpus(workspace, name).check()
        corpus(workspace, name).check_versions()


#: Up to this many empty partitions are made one by one, like others.
FEW = 2


def is_empty(workspace: Workspace, dataset: Dataset, partition: str) -> bool:
    """Return whether a partition cannot have records. A crawl finds units itself, but none without a list."""
    if not dataset.partitioned or dataset.shape is None:
        return False
    if dataset.records and corpus(workspace, dataset.records).has(partition):
        return False
    local = [
        parent
        for source, parent in zip(dataset.inputs, workspace.graph.upstream(dataset), strict=True)
        if parent.partitioned and not source.all_partitions
    ]
    made_of_own = bool(dataset.records or local)
    return made_of_own and all(is_empty(workspace, parent, partition) for parent in local)


def empty_partitions(workspace: Workspace, dataset: Dataset, partitions: Collection[str]) -> list[str]:
    """Return the partitions that are empty and made together; none if there are only a few."""
    empty = [partition for partition in partitions if is_empty(workspace, dataset, partition)]
    return empty if len(empty) > FEW else []


#: The tag of a run whose crawls fetch from the web again.
RECRAWL = "silverloom/recrawl"

MARK = "ask-again"


def crawls(workspace: Workspace) -> Path:
    """Return the folder with the working folders of all crawls."""
    return workspace.state / "crawls"


def work_folder(workspace: Workspace, dataset: Dataset, partition: str) -> Path:
    """Return the working folder of a partition's crawl; an interrupted crawl resumes from there."""
    return workspace.state_file("crawls", dataset, partition)


def ask_again(workspace: Workspace, dataset: Dataset, partitions: Iterable[str]) -> None:
    """Mark a crawl's partitions as stale until their pages are fetched again; ignore other datasets."""
    for partition in partitions if dataset.crawl else ():
        write_file(work_folder(workspace, dataset, partition) / MARK, b"")


def asks_again(workspace: Workspace, dataset: Dataset, partition: str) -> bool:
    """Return whether a partition's pages are to be fetched again."""
    return bool(dataset.crawl) and (work_folder(workspace, dataset, partition) / MARK).is_file()


def under_way(workspace: Workspace, dataset: Dataset, partition: str) -> bool:
    """Return whether a partition's crawl has outcomes that are not published yet."""
    return any(map(has_outcomes, work_folder(workspace, dataset, partition).glob(f"*/{JOURNAL}")))


def discard_crawl(workspace: Workspace, dataset: Dataset, partition: str) -> None:
    """Remove a crawl's working files after its partition was made."""
    shutil.rmtree(work_folder(workspace, dataset, partition), ignore_errors=True)
