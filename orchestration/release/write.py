"""Write the release of a system: a folder that `datasets.load_dataset` and Croissant's tools load.

Belongs here: which files lie in the folder, and its replacement as a whole. Not here: what they say.

The Parquet files are a dataset like any other (`<system>/release_files`): they depend on data, params and
code alone. The card names the commit and the versions in dvc.lock: a dataset that held these would have to be
made again by the commit that records it. So the card, Croissant and checksums are written when a release is
asked for.
"""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

from assets.declare.declaration import Declaration
from assets.declare.graph import label
from ops.release import ReleaseParams
from orchestration.files.identity import listing
from orchestration.files.publish import building
from orchestration.files.replaced import stamps_of, unreplaced
from orchestration.lineage.rows import tables
from orchestration.release.card import card
from orchestration.release.contents import Contents, Words
from orchestration.release.croissant import croissant
from orchestration.release.licences import check
from orchestration.state.freshness import View
from orchestration.state.git import commit
from orchestration.workspace.workspace import Workspace

#: The asset that holds the Parquet files of a system's release.
FILES = "release_files"

#: The list of checksums, by which a folder is known to be a release.
CHECKSUMS = "checksums.md5"


def released(workspace: Workspace, system: str) -> Declaration:
    """Return the dataset of a system's released files. Raises LookupError for a system that has none."""
    found = {item.key.group: item for item in workspace.datasets.values() if item.key.asset == FILES}
    if system not in found:
        raise LookupError(f"nothing is released of {system!r}; known: {', '.join(sorted(found))}")
    return found[system]


def write(workspace: Workspace, system: str, target: Path) -> Path:
    """Write a release into a folder, whose former release is replaced at once.

    Raises LookupError for a system that is not released, RuntimeError where its files are not made,
    ForbiddenError where a licence forbids it, FileExistsError for a folder that is no release.
    """
    item = released(workspace, system)
    target = target.absolute()
    if target.exists() and not (target / CHECKSUMS).is_file():
        raise FileExistsError(f"{target} is there and is no release; give another: --folder")
    read = [
        (item, ""),
        *((parent, month) for parent in workspace.graph.ancestors(item) for month in parent.made_months),
    ]
    with unreplaced(stamps_of(workspace.folder(*partition) for partition in read)):
        view = View(workspace)
        status = view.status(item, "")
        if (manifest := status.fresh_manifest) is None:
            raise RuntimeError(f"{label(item, '')} is to be made first: {'; '.join(status.reasons)}")
        params = next(value for value in item.arguments.values() if isinstance(value, ReleaseParams))
        check(workspace, item, params)
        inside = target.is_relative_to(workspace.root)
        besides = [target.relative_to(workspace.root).as_posix()] if inside else []
        contents = Contents(
            workspace, item, manifest, Words.of(workspace, system), commit(workspace, besides)
        )
        if not contents.files:
            lost = _lost(workspace, item)
            raise RuntimeError(f"{item.name} has no rows: there is nothing to release{lost}")
        with building(target.parent / ".building", target) as new:
            for row in contents.files:
                (new / row["file"]).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(contents.folder / row["file"], new / row["file"])
            (new / "README.md").write_bytes(card(contents))
            (new / "croissant.json").write_bytes(croissant(contents))
            (new / "dvc.json").write_bytes(listing(manifest.files))
            (new / CHECKSUMS).write_text(_checksums(contents))
    return target


def _lost(workspace: Workspace, item: Declaration) -> str:
    """Return why most units of the dataset that is released were dropped, and what is said of it."""
    (rows,) = [source for source in item.argument_inputs if source.argument == item.consumes]
    dataset = workspace.datasets[rows.key.to_user_string()]
    found = Counter(
        (row["reason"], row["detail"])
        for month in dataset.made_months
        for table in tables(workspace.folder(dataset, month), "dropped", ["reason", "detail"])
        for row in table.to_pylist()
    )
    if not found:
        return ""
    [((reason, detail), count)] = found.most_common(1)
    return f"; of {dataset.name} {count} were dropped as {reason}{f': {detail}' if detail else ''}"


def _checksums(contents: Contents) -> str:
    version = contents.manifest.version.removesuffix(".dir")
    lines = [(version, "dvc.json"), *((row["md5"], row["file"]) for row in contents.files)]
    return "".join(f"{md5}  {name}\n" for md5, name in lines)
