"""What a crawl fetched is pinned: bytes that were damaged come back from DVC's cache, the web is not asked.

Belongs here: the files of a published partition. Not here: telling that it is not as it was made
(state/freshness.py), asking the web (ops/crawl).
"""

from __future__ import annotations

import shutil

from assets.declare.declaration import Declaration
from orchestration.execute.inputs import ChangedBytesError
from orchestration.files.damage import set_aside
from orchestration.files.identity import file_md5, folder_hashes
from orchestration.files.publish import writing
from orchestration.state.crawls import asks_again, under_way
from orchestration.state.dvc_cache import cached
from orchestration.state.freshness import View
from orchestration.state.record_recovery import committed_hashes
from orchestration.state.records import read_record
from orchestration.workspace.workspace import Workspace


def bring_back(workspace: Workspace, item: Declaration, month: str) -> int:
    """Replace what is damaged or lost of a crawl by the bytes that DVC's cache has; return how many files.

    Raises ChangedBytesError where it has not all of them. A partition that is gone, and that this checkout
    has never made, is crawled; so is one whose crawl is under way, or is to ask again.
    """
    if View(workspace).known(item, month) is not None or under_way(workspace, item, month):
        return 0
    record = read_record(workspace, item, month)
    made = record.hashes if record else committed_hashes(workspace, item, month)
    if not made:
        return 0
    folder = workspace.folder(item, month)
    found = folder_hashes(folder)
    places = {name: cached(workspace, md5) for name, md5 in made.items() if found.get(name) != md5}
    lost = [name for name, place in places.items() if not place.is_file() or file_md5(place) != made[name]]
    if lost:
        if asks_again(workspace, item, month) or not (record or found):
            return 0
        raise ChangedBytesError(
            f"{workspace.shown(folder / lost[0])} is not as it was made, and DVC's cache has not the file "
            f"with the MD5 {made[lost[0]]}. What was crawled is pinned: `dvc fetch` gets it, `dvc checkout "
            f"--force {workspace.shown(workspace.folder(item))}` brings it back; or ask the web again: "
            f"`silverloom run --recrawl --select {item.name}`"
        )
    for name in found:
        if found[name] != made.get(name):
            set_aside(folder / name, "it is not as it was made", "DVC's cache has what it was")
    for name, place in places.items():
        with writing(folder / name) as temporary:
            shutil.copyfile(place, temporary)
    return len(places)
