"""Two versions of a dataset, row by row, and what they were made from: as text, as JSON, as pages.

Belongs here: assembling the comparison, and choosing the version before the last change for the live pages.
Not here: finding versions (revisions.py), matching rows (ops/versions), the pages' content
(pages/present.py). Git's history is not an input of any asset, so these pages are not assets.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment
from pydantic import TypeAdapter

from assets.declare.declaration import Declaration
from ops.core.outcome import DROP_COLUMNS, IDENTITY, REJECT_COLUMNS, Shape, of_role
from ops.versions.difference import KINDS, Case, difference, pieces
from orchestration.files.damage import dump_checked, read_checked, remove_file
from orchestration.files.publish import write_file
from orchestration.messages import aligned
from orchestration.state.dvc_files import recorded, stage_name
from orchestration.state.freshness import differences
from orchestration.versions.revisions import Version, at, lock_commits, stages_of
from orchestration.workspace.workspace import Workspace
from pages.html import json_ready
from pages.paths import shown_pages
from pages.present import DatasetChange, change_page, changes_page

LIMIT = 10
ALIKE = "the same inputs, params and code"
_PREVIEW = 200
#: How to mark words: in both values, only in the old one, only in the new one.
_MARKS = {"=": "{}", "-": "[-{}-]", "+": "{{+{}+}}"}


def compare(
    workspace: Workspace, name: str, old: str = "HEAD", new: str = "", limit: int = LIMIT
) -> dict[str, Any]:
    """Return all differences between two versions of a dataset; an empty revision is the working tree.

    `limit` bounds the examples of each kind, not the counts. Raises ValueError or LookupError for an unknown
    revision or dataset, NotInCacheError for a version whose bytes are not available.
    """
    if not name:
        raise ValueError(f"name a dataset, one of: {', '.join(workspace.datasets)}")
    dataset = workspace.datasets.get(name)
    if dataset is not None and dataset.shape is None:
        raise ValueError(f"{name} is a report: it has no rows to compare")
    return compared(at(workspace, name, old), at(workspace, name, new), limit)


def compared(old: Version, new: Version, limit: int = LIMIT) -> dict[str, Any]:
    """Return all differences between two versions."""
    found = difference(old, new, limit)
    dataset = old.workspace.datasets.get(old.dataset)
    passed_over = _passed_over(dataset.shape if dataset else None)
    cases = found.pop("cases")
    return {
        "dataset": old.dataset,
        "old": _identity(old),
        "new": _identity(new),
        "same": old.md5 == new.md5,
        "made_of": made_differently(old, new),
        **found,
        "examples": {kind: [_example(case, passed_over) for case in cases[kind]] for kind in KINDS},
    }


def _identity(version: Version) -> dict[str, str | None]:
    return {
        "revision": version.revision,
        "label": version.label,
        "commit": version.commit,
        "version": version.md5,
    }


def made_differently(old: Version, new: Version) -> list[str]:
    """Return in words which inputs, params, code, packages and models differ between two versions."""
    former, present = old.keys(), new.keys()
    sides = (old, former), (new, present)
    if unknown := [version.label for version, keys in sides if not keys]:
        what = "it" if len(unknown) == 1 else "them"
        return [f"what {' and '.join(unknown)} was made from is unknown: there are no manifests for {what}"]
    lines: dict[str, list[str]] = {}
    partitions = sorted({*former, *present})
    for partition in partitions:
        if lost := [version.label for version, keys in sides if partition not in keys]:
            found = [f"what {' and '.join(lost)} was made from is unknown"]
        else:
            found = differences(_merged(former[partition]), _merged(present[partition]))
        for line in found:
            lines.setdefault(line, []).append(partition)
    return [
        line if len(where) == len(partitions) else f"{line} ({', '.join(where)})"
        for line, where in lines.items()
    ]


def _merged(key: Mapping[str, Any]) -> dict[str, Any]:
    """Return a key with one value per input, however many of its partitions were read."""
    return {**key, "inputs": {name: sorted(partitions.items()) for name, partitions in key["inputs"].items()}}


def _example(case: Case, passed_over: Collection[str]) -> dict[str, Any]:
    """Return a case with its fates or, without fates, with the changes in each column."""
    text = _preview(case.new or case.old, passed_over)
    example: dict[str, Any] = {"id": case.id, "partition": case.partition, "text": text}
    if case.fates:
        return example | dict(zip(("from", "to"), case.fates, strict=True))
    if case.old and case.new:
        example["columns"] = {
            name: pieces(json_ready(case.old[name]), json_ready(case.new[name])) for name in case.columns
        }
    return example


def _passed_over(shape: Shape | None) -> frozenset[str]:
    """Return the columns that do not say what a row is about: names, times, and columns of every row."""
    schemas = (shape.kept, shape.unit) if shape else ()
    named = [of_role(schema, role) for schema in schemas for role in ("name", "time")]
    return frozenset().union(IDENTITY.names, DROP_COLUMNS.names, REJECT_COLUMNS.names, *named)


def _preview(row: Mapping[str, Any], passed_over: Collection[str]) -> str:
    """Return the longest text in a row, cut if necessary."""
    texts = (value for name, value in row.items() if isinstance(value, str) and name not in passed_over)
    text = max(texts, key=len, default="")
    return text if len(text) <= _PREVIEW else f"{text[:_PREVIEW]}…"


def text(found: Mapping[str, Any]) -> str:
    """Return a comparison as text for a terminal."""
    rows = [[partition or "all", *counts.values()] for partition, counts in found["partitions"].items()]
    if len(rows) > 1:
        rows.append(["sum", *found["totals"].values()])
    environment = Environment(autoescape=False)  # noqa: S701  not HTML
    environment.filters["one_line"] = _one_line
    template = environment.from_string((Path(__file__).parent / "comparison.txt").read_text())
    return template.render(found, alike=ALIKE, marks=_MARKS, table=aligned([["partition", *KINDS], *rows]))


def _one_line(words: str) -> str:
    """Return a text on one line, without characters that would move a terminal's cursor."""
    return "".join(letter if letter.isprintable() else " " for letter in words)


#: How many commits to search, and examples of each kind on a page.
COMMITS, EXAMPLES = 50, 25
_FOUND = TypeAdapter(dict[str, Any])


def write_versions(workspace: Workspace, folder: Path) -> None:
    """Write `versions.html` and a page for each dataset that changed; remove pages of older comparisons.

    If a dataset cannot be compared, because its bytes or its history are missing, the page says why.
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
    """Write the list of datasets, each with its changes."""
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
    """Return the last commit that recorded another version and its subject, or why no commit did."""
    since, looked = "", lock_commits(workspace, COMMITS)
    for commit, subject in looked:
        try:
            stages = stages_of(workspace, commit)
        except (ValueError, LookupError):
            continue  # a commit without a readable lock recorded no version
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
    """Compare two versions, or load the stored comparison: it never changes for the same two versions."""
    name = f"{dataset.name.replace('/', '-')}-{str(old.commit)[:7]}-{now.md5[:7]}"
    kept = folder / f"{name}.json"
    found = read_checked(kept, _FOUND, "it is compared again")
    if found is None or {*found.get("totals", ())} != {*KINDS}:  # an older release had other names
        found = json.loads(json.dumps(compared(old, now, EXAMPLES)))
        write_file(kept, dump_checked(found))
    found["made_of"] = made_differently(old, now)
    return DatasetChange(
        dataset.name, f"changed since {str(old.commit)[:7]}", subject, found, f"versions/{name}.html"
    )
