"""What changed in each dataset since its last other version, as pages beside the state of now.

Belongs here: choosing that version from the history of dvc.lock, and the pages. Not here: comparing two
versions (orchestration/versions/compare.py). Git's history is no input of any asset: these pages are none.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from assets.declare.declaration import Declaration
from orchestration.files.checksummed import dump, read
from orchestration.files.damage import remove_file
from orchestration.files.page_paths import shown_pages
from orchestration.files.publish import write_file
from orchestration.pages.html import render
from orchestration.state.dvc_lock import recorded, stage_name
from orchestration.versions.compare import ALIKE, compared, made_differently
from orchestration.versions.difference import KINDS
from orchestration.versions.revisions import Version, at, lock_commits, stages_of
from orchestration.workspace.workspace import Workspace

#: Commits that are looked through, and examples of each kind on a page.
COMMITS, EXAMPLES = 50, 25
_FOUND = TypeAdapter(dict[str, Any])


@dataclass(frozen=True)
class DatasetChange:
    """What changed in one dataset: a sentence, and where its rows differ, the comparison and its page."""

    name: str
    summary: str
    subject: str = ""
    found: Mapping[str, Any] = field(default_factory=dict)
    link: str = ""


def write_versions(workspace: Workspace, folder: Path) -> None:
    """Write `versions.html` and a page for each dataset that has changed; pages of older comparisons go.

    What cannot be compared, for want of its bytes or of a history, stands in its place.
    """
    datasets = [item for item in workspace.datasets.values() if item.shape is not None]
    entries = [_entry(workspace, item, folder / "versions") for item in datasets]
    changed = [entry for entry in entries if entry.link]
    for entry in changed:
        _write_change(workspace, folder / entry.link, entry)
    _write(workspace, folder / "versions.html", "versions.html", "Versions", entries=entries)
    wanted = {Path(entry.link).stem for entry in changed}
    for path in (folder / "versions").glob("[!.]*"):
        if path.stem not in wanted:
            remove_file(path)


def write_page(workspace: Workspace, path: Path, found: Mapping[str, Any]) -> None:
    """Write one comparison as a page."""
    summary = f"from {found['old']['label']} to {found['new']['label']}"
    _write_change(workspace, path, DatasetChange(str(found["dataset"]), summary, found=found))


def _write_change(workspace: Workspace, path: Path, entry: DatasetChange) -> None:
    _write(workspace, path, "version.html", f"{entry.name}: versions", entry=entry, found=entry.found)


def _write(workspace: Workspace, path: Path, template: str, title: str, **values: object) -> None:
    root = Path(os.path.relpath(shown_pages(workspace.quality), path.resolve().parent)).as_posix() + "/"
    place = "../live/versions.html"
    _, content = render(place, template, title, root=root, kinds=KINDS, alike=ALIKE, **values)
    write_file(path, content)


def _entry(workspace: Workspace, item: Declaration, folder: Path) -> DatasetChange:
    try:
        now = at(workspace, item.name, "")
        former = _former(workspace, item, now.md5)
        if isinstance(former, str):
            return DatasetChange(item.name, former)
        commit, subject = former
        return _compared(item, at(workspace, item.name, commit), now, subject, folder)
    except (ValueError, LookupError, RuntimeError) as error:
        return DatasetChange(item.name, str(error))


def _former(workspace: Workspace, item: Declaration, md5: str) -> tuple[str, str] | str:
    """Return the last commit that recorded another version, and its first line; or why there is none."""
    since, looked = "", lock_commits(workspace, COMMITS)
    for commit, subject in looked:
        try:
            stages = stages_of(workspace, commit)
        except (ValueError, LookupError):
            continue  # a commit without a lock that can be read recorded no version
        recorded_md5 = recorded(stages.get(stage_name(item), {}), "outs", f"data/{item.name}")
        if recorded_md5 is None:
            return f"new since {since}" if since else "new: no commit has recorded it yet"
        if recorded_md5 != md5:
            return commit, subject
        since = f"{commit[:7]} ({subject})"
    if not since:
        return "no commit has recorded it yet"
    return f"unchanged since {since}" + (", or longer" if len(looked) == COMMITS else "")


def _compared(item: Declaration, old: Version, now: Version, subject: str, folder: Path) -> DatasetChange:
    """Compare, unless that was done before: rows of the same two versions differ in the same way."""
    name = f"{item.name.replace('/', '-')}-{str(old.commit)[:7]}-{now.md5[:7]}"
    kept = folder / f"{name}.json"
    found = read(kept, _FOUND, "it is compared anew")
    if found is None:
        found = json.loads(json.dumps(compared(old, now, EXAMPLES)))
        write_file(kept, dump(found))
    found["made_of"] = made_differently(old, now)
    return DatasetChange(
        item.name, f"changed since {str(old.commit)[:7]}", subject, found, f"versions/{name}.html"
    )
