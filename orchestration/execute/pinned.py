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
from orchestration.state.dvc_lock import locked_stages, stage_name
from orchestration.state.freshness import View
from orchestration.state.manifests import read_manifest
from orchestration.workspace.workspace import Workspace


def bring_back(workspace: Workspace, item: Declaration, month: str) -> int:
    """Replace what is damaged or lost of a crawl by the bytes that DVC's cache has; return how many files.

    Raises ChangedBytesError where it has not all of them. A partition that is gone, and that this checkout
    has never made, is crawled; so is one whose crawl is under way, or is to ask again.
    """
    if View(workspace).known(item, month) is not None or under_way(workspace, item, month):
        return 0
    manifest, folder = read_manifest(workspace, item, month), workspace.folder(item, month)
    if manifest is None:
        committed = folder.is_dir() and stage_name(item) in locked_stages(workspace)
        if committed and not asks_again(workspace, item, month):
            raise ChangedBytesError(f"{workspace.shown(folder)} has no manifest. {_pinned(item)}")
        return 0
    made = manifest.files
    found = folder_hashes(folder)
    places = {name: cached(workspace, md5) for name, md5 in made.items() if found.get(name) != md5}
    lost = [name for name, place in places.items() if not place.is_file() or file_md5(place) != made[name]]
    if lost:
        if asks_again(workspace, item, month):
            return 0
        raise ChangedBytesError(
            f"{workspace.shown(folder / lost[0])} is not as it was made, and DVC's cache has not the file "
            f"with the MD5 {made[lost[0]]}. {_pinned(item)}"
        )
    for name in found:
        if found[name] != made.get(name):
            set_aside(folder / name, "it is not as it was made", "DVC's cache has what it was")
    for name, place in places.items():
        with writing(folder / name) as temporary:
            shutil.copyfile(place, temporary)
    return len(places)


def _pinned(item: Declaration) -> str:
    stage = stage_name(item)
    return (
        f"What was crawled is pinned: `dvc fetch {stage}` gets it, `dvc checkout --force {stage}` brings it "
        f"back; or ask the web again: `silverloom run --recrawl --select {item.name}`"
    )
