"""What a crawl gets: its folder, the published partition, a progress listener, and its pinned bytes.

Belongs here: making a `CrawlPlace` for a workspace, and restoring what a published crawl lost from DVC's
cache instead of the web. Not here: the folder's path (state/sources.py), unreadable journals
(ops/crawl/journal.py), fetching from the web (ops/crawl).
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from silverloom.assets.declare.declaration import Dataset
from silverloom.assets.declare.graph import label
from silverloom.ops.core.parts import FILES as PUBLISHED
from silverloom.ops.core.parts import TABLES, part_files
from silverloom.ops.crawl.options import CrawlPlace
from silverloom.orchestration.files.identity import file_md5, folder_files, folder_hashes
from silverloom.orchestration.files.local_state import tell_unreadable
from silverloom.orchestration.files.publish import writing
from silverloom.orchestration.messages import PartitionProgress, Recent, tell
from silverloom.orchestration.partition.inputs import ChangedBytesError
from silverloom.orchestration.state.dvc_files import cached, locked_stages, stage_name
from silverloom.orchestration.state.freshness import View, read_manifest
from silverloom.orchestration.state.sources import asks_again, crawls, under_way, work_folder
from silverloom.orchestration.workspace.workspace import Workspace


def crawl_place(workspace: Workspace, dataset: Dataset, partition: str) -> CrawlPlace:
    """Return the place for crawling a partition. It uses the published version only if that is intact."""
    published = View(workspace).known(dataset, partition) is not None
    pace, before = Recent(), 0

    def told(done: int, known: int) -> None:
        nonlocal pace, before
        if before:
            pace.finished(done - before)
        else:  # restart the clock at the first page: until then it waits for other crawls
            pace = Recent()
        before = done
        tell(PartitionProgress(label(dataset, partition), "crawl", done, known, pace.pace, "pages"))

    return CrawlPlace(
        work_folder(workspace, dataset, partition),
        workspace.folder(dataset, partition) / PUBLISHED if published else None,
        asks_again(workspace, dataset, partition),
        told,
        workspace.root,
        crawls(workspace) / ".asking",
    )


def bring_back(workspace: Workspace, dataset: Dataset, partition: str) -> int:
    """Restore a crawl's damaged or lost files from DVC's cache; return how many.

    Raises ChangedBytesError if the cache lacks any of them. Does nothing for a partition that is to be
    crawled: one that never existed in this checkout, whose crawl is under way, or that is to be fetched
    again.
    """
    if View(workspace).known(dataset, partition) is not None or under_way(workspace, dataset, partition):
        return 0
    manifest, folder = read_manifest(workspace, dataset, partition), workspace.folder(dataset, partition)
    if manifest is None:
        committed = folder.is_dir() and stage_name(dataset) in locked_stages(workspace)
        if committed and _has_answers(folder) and not asks_again(workspace, dataset, partition):
            raise ChangedBytesError(f"{workspace.shown(folder)} has no manifest. {_pinned(dataset)}")
        return 0
    made = manifest.files
    hashes = folder_hashes(folder)
    places = {name: cached(workspace, md5) for name, md5 in made.items() if hashes.get(name) != md5}
    lost = [name for name, place in places.items() if not place.is_file() or file_md5(place) != made[name]]
    if lost:
        if asks_again(workspace, dataset, partition):
            return 0
        raise ChangedBytesError(
            f"{workspace.shown(folder / lost[0])} was changed or lost, and DVC's cache does not have the "
            f"original (MD5 {made[lost[0]]}). {_pinned(dataset)}"
        )
    for name in hashes:
        if hashes[name] != made.get(name):
            then = "the crawl is restored from DVC's cache"
            tell_unreadable(folder / name, "it is not what was made", then)
            (folder / name).unlink()
    for name, place in places.items():
        with writing(folder / name) as temporary:
            shutil.copyfile(place, temporary)
    return len(places)


def _has_answers(folder: Path) -> bool:
    """Return whether a crawl's folder has a row or another file; a judge without an address asked nothing."""
    rows = [path for table in TABLES for path in part_files(folder, table)]
    try:
        answers = sum(pq.read_metadata(path).num_rows for path in part_files(folder, "kept"))
    except (pa.ArrowInvalid, OSError):
        return True
    return answers > 0 or len(folder_files(folder)) > len(rows)


def _pinned(dataset: Dataset) -> str:
    stage = stage_name(dataset)
    return (
        f"Crawls are pinned: `dvc fetch {stage}` downloads this one, `dvc checkout --force {stage}` restores "
        f"it; or fetch from the web again: `silverloom run --recrawl --select {dataset.name}`"
    )
