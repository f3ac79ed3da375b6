"""Two versions of a dataset, row by row, and what they were made from: as text, as JSON, as a page.

Belongs here: assembling the comparison. Not here: finding versions (revisions.py), matching rows
(ops/versions), the page's template (pages/templates/version.html).
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment

from silverloom.ops.core.outcome import DROP_COLUMNS, IDENTITY, REJECT_COLUMNS, Shape, of_role
from silverloom.ops.versions.difference import KINDS, Case, difference, pieces
from silverloom.orchestration.files.publish import write_file
from silverloom.orchestration.messages import aligned
from silverloom.orchestration.state.freshness import differences
from silverloom.orchestration.versions.revisions import Version, at
from silverloom.orchestration.workspace.workspace import Workspace
from silverloom.pages.html import json_ready, render
from silverloom.pages.paths import shown_pages

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
    changes = difference(old, new, limit)
    dataset = old.workspace.datasets.get(old.dataset)
    passed_over = _passed_over(dataset.shape if dataset else None)
    cases = changes.pop("cases")
    return {
        "dataset": old.dataset,
        "old": _identity(old),
        "new": _identity(new),
        "same": old.md5 == new.md5,
        "made_of": made_differently(old, new),
        **changes,
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
            reasons = [f"what {' and '.join(lost)} was made from is unknown"]
        else:
            reasons = differences(_merged(former[partition]), _merged(present[partition]))
        for line in reasons:
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


def text(comparison: Mapping[str, Any]) -> str:
    """Return a comparison as text for a terminal."""
    rows = [[partition or "all", *counts.values()] for partition, counts in comparison["partitions"].items()]
    if len(rows) > 1:
        rows.append(["sum", *comparison["totals"].values()])
    environment = Environment(autoescape=False)  # noqa: S701  not HTML
    environment.filters["one_line"] = _one_line
    template = environment.from_string((Path(__file__).parent / "comparison.txt").read_text())
    return template.render(
        comparison, alike=ALIKE, marks=_MARKS, table=aligned([["partition", *KINDS], *rows])
    )


def _one_line(words: str) -> str:
    """Return a text on one line, without characters that would move a terminal's cursor."""
    return "".join(letter if letter.isprintable() else " " for letter in words)


def write_page(workspace: Workspace, path: Path, comparison: Mapping[str, Any]) -> None:
    """Write a comparison as a page, which loads what the report's pages load."""
    way = Path(os.path.relpath(shown_pages(workspace.quality), path.resolve().parent)).as_posix()
    title, shown = (
        f"{comparison['dataset']}: versions",
        {"kinds": KINDS, "alike": ALIKE, "comparison": comparison},
    )
    write_file(path, render("version.html", "version.html", title, root=f"{way}/", **shown)[1])
