"""What changed in each dataset since its last other version, as pages beside the state of now.

Belongs here: choosing that version from the history of dvc.lock, and where the pages lie. Not here: comparing
two versions (compare.py), what the pages say (pages/present.py). Git's history is no input of any asset:
these pages are none.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from assets.declare.declaration import Declaration
from orchestration.files.damage import dump_checked, read_checked, remove_file
from orchestration.files.publish import write_file
from orchestration.state.dvc_files import recorded, stage_name
from orchestration.versions.compare import ALIKE, compared, made_differently
from orchestration.versions.difference import KINDS
from orchestration.versions.revisions import Version, at, lock_commits, stages_of
from orchestration.workspace.workspace import Workspace
from pages.paths import shown_pages
from pages.present import DatasetChange, change_page, changes_page

#: Commits that are looked through, and examples of each kind on a page.
COMMITS, EXAMPLES = 50, 25
_FOUND = TypeAdapter(dict[str, Any])


def write_versions(workspace: Workspace, folder: Path) -> None:
    """Write `versions.html` and a page for each dataset that has changed; pages of older comparisons go.

    What cannot be compared, for want of its bytes or of a history, stands in its place.
    """
    datasets = [dataset for dataset in workspace.datasets.values() if dataset.shape is not None]
    entries = [_entry(workspace, dataset, folder / "versions") for dataset in datasets]
    changed = [entry for entry in entries if entry.link]
    for entry in changed:
        _write_change(workspace, folder / entry.link, entry)
    write_entries(workspace, folder / "versions.html", entries)
    wanted = {Path(entry.link).stem for entry in changed}
    for path in (folder / "versions").glob("[!.]*"):
        if path.stem not in wanted:
            remove_file(path)


def write_entries(workspace: Workspace, path: Path, entries: Sequence[DatasetChange]) -> None:
    """Write the list of datasets, each with what changed."""
    write_file(path, changes_page(entries, _way_to_pages(workspace, path), KINDS))


def write_page(workspace: Workspace, path: Path, found: Mapping[str, Any]) -> None:
    """Write one comparison as a page."""
    summary = f"from {found['old']['label']} to {found['new']['label']}"
    _write_change(workspace, path, DatasetChange(str(found["dataset"]), summary, found=found))


def _write_change(workspace: Workspace, path: Path, entry: DatasetChange) -> None:
    write_file(path, change_page(entry, _way_to_pages(workspace, path), KINDS, ALIKE))


def _way_to_pages(workspace: Workspace, path: Path) -> str:
    return Path(os.path.relpath(shown_pages(workspace.quality), path.resolve().parent)).as_posix() + "/"


def _entry(workspace: Workspace, dataset: Declaration, folder: Path) -> DatasetChange:
    try:
        now = at(workspace, dataset.name, "")
        former = _former(workspace, dataset, now.md5)
        if isinstance(former, str):
            return DatasetChange(dataset.name, former)
        commit, subject = former
        return compared_versions(dataset, at(workspace, dataset.name, commit), now, subject, folder)
    except (ValueError, LookupError, RuntimeError) as error:
        return DatasetChange(dataset.name, str(error))


def _former(workspace: Workspace, dataset: Declaration, md5: str) -> tuple[str, str] | str:
    """Return the last commit that recorded another version, and its first line; or why there is none."""
    since, looked = "", lock_commits(workspace, COMMITS)
    for commit, subject in looked:
        try:
            stages = stages_of(workspace, commit)
        except (ValueError, LookupError):
            continue  # a commit without a lock that can be read recorded no version
        recorded_md5 = recorded(stages.get(stage_name(dataset), {}), "outs", f"data/{dataset.name}")
        if recorded_md5 is None:
            return f"new since {since}" if since else "new: no commit has recorded it yet"
        if recorded_md5 != md5:
            return commit, subject
        since = f"{commit[:7]} ({subject})"
    if not since:
        return "no commit has recorded it yet"
    return f"unchanged since {since}" + (", or longer" if len(looked) == COMMITS else "")


def compared_versions(
    dataset: Declaration, old: Version, now: Version, subject: str, folder: Path
) -> DatasetChange:
    """Compare, unless that was done before: rows of the same two versions differ in the same way."""
    name = f"{dataset.name.replace('/', '-')}-{str(old.commit)[:7]}-{now.md5[:7]}"
    kept = folder / f"{name}.json"
    found = read_checked(kept, _FOUND, "it is compared anew")
    if found is None:
        found = json.loads(json.dumps(compared(old, now, EXAMPLES)))
        write_file(kept, dump_checked(found))
    found["made_of"] = made_differently(old, now)
    return DatasetChange(
        dataset.name, f"changed since {str(old.commit)[:7]}", subject, found, f"versions/{name}.html"
    )
