"""`silverloom compare`: two versions of a dataset, row by row, and what they were made of.

Belongs here: putting the comparison together, as text and as JSON. Not here: finding versions (revisions.py),
matching rows (difference.py), pages (pages/versions.py).
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from assets.declare.settings import ParamsError
from ops.outcome import DROP_COLUMNS, IDENTITY, REJECT_COLUMNS, Shape, of_role
from orchestration.files.json_ready import json_ready
from orchestration.messages.text_table import aligned
from orchestration.state.corpora import corpus
from orchestration.state.freshness import differences
from orchestration.state.record_recovery import inputs_at, nested
from orchestration.state.records import read_record
from orchestration.versions.difference import KINDS, Case, difference
from orchestration.versions.revisions import Version, at, made_of
from orchestration.versions.word_diff import pieces
from orchestration.workspace.workspace import Workspace

LIMIT = 10
ALIKE = "the same inputs, params and code"
_PREVIEW = 200


def compare(
    workspace: Workspace, dataset: str, old: str = "HEAD", new: str = "", limit: int = LIMIT
) -> dict[str, Any]:
    """Return all that differs between two versions of a dataset; an empty revision is the working tree.

    `limit` bounds the examples of each kind, not the counts. Raises ValueError or LookupError for a revision
    or a dataset that is not there, NotInCacheError for one whose bytes are not here.
    """
    if not dataset:
        raise ValueError(f"name a dataset; there are {', '.join(workspace.datasets)}")
    item = workspace.datasets.get(dataset)
    if item is not None and item.shape is None:
        raise ValueError(f"{dataset} is a report: it has files and no rows to compare")
    return compared(at(workspace, dataset, old), at(workspace, dataset, new), limit)


def compared(old: Version, new: Version, limit: int = LIMIT) -> dict[str, Any]:
    """Return all that differs between two versions."""
    found = difference(old, new, limit)
    item = old.workspace.datasets.get(old.dataset)
    passed_over = _passed_over(item.shape if item else None)
    return {
        "dataset": old.dataset,
        "old": _identity(old),
        "new": _identity(new),
        "same": old.md5 == new.md5,
        "made_of": made_differently(old, new),
        "files": {"all": found.files, "same": found.files_same},
        "totals": {kind: found.total(kind) for kind in KINDS},
        "months": {month: {kind: counts[kind] for kind in KINDS} for month, counts in found.months.items()},
        "moves": [{"from": was, "to": now, "units": units} for (was, now), units in found.moves.items()],
        "columns": found.columns,
        "new_columns": found.new_columns,
        "lost_columns": found.lost_columns,
        "examples": {
            kind: [_example(case, passed_over) for case in found.cases.get(kind, [])] for kind in KINDS
        },
    }


def _identity(version: Version) -> dict[str, str | None]:
    return {
        "revision": version.revision,
        "label": version.label,
        "commit": version.commit,
        "version": version.md5,
    }


def made_differently(old: Version, new: Version) -> list[str]:
    """Return in words which inputs, params, code, packages and models of two versions differ."""
    whole = old.stage is not None and new.stage is not None
    former, present = _keys(old, whole), _keys(new, whole)
    sides = (old, former), (new, present)
    if unknown := [version.label for version, keys in sides if not keys]:
        return [f"what {' and '.join(unknown)} was made of is not known: dvc.lock has another version"]
    lines: dict[str, list[str]] = {}
    months = sorted({*former, *present})
    for month in months:
        if lost := [version.label for version, keys in sides if month not in keys]:
            found = [f"what {' and '.join(lost)} was made of is not known"]
        else:
            found = _between(old.workspace, old.dataset, month, former[month], present[month])
        for line in found:
            lines.setdefault(line, []).append(month)
    return [
        line if len(where) == len(months) else f"{line} ({', '.join(where)})" for line, where in lines.items()
    ]


def _keys(version: Version, whole: bool) -> dict[str, dict[str, Any]]:
    """Return what a version was made of, by month: as dvc.lock has it, else as this checkout recorded it.

    `whole` folders of inputs stand under the month "": dvc.lock knows no months. Inputs that are unknown are
    None.
    """
    workspace, item = version.workspace, version.workspace.datasets.get(version.dataset)
    if version.stage is not None:
        key = made_of(version.dataset, version.stage)
        if item is None:
            return {"": key}
        with contextlib.suppress(ParamsError):  # those of another shape than today's stay as they are
            key["params"] = item.values_in(nested(key["params"]))
        if whole:
            return {"": key}
        return {
            month: {**key, "inputs": inputs_at(workspace, item, month, version.stage)}
            for month in item.made_months
        }
    if item is None or version.commit is not None:
        return {}
    records = {month: read_record(workspace, item, month) for month in item.made_months}
    return {
        month: {**record.key}
        for month, record in records.items()
        if record is not None and record.hashes == _files(version, month)
    }


def _files(version: Version, month: str) -> dict[str, str]:
    prefix = f"{month}/" if month else ""
    return {name.removeprefix(prefix): md5 for name, md5 in version.files.items() if name.startswith(prefix)}


def _between(
    workspace: Workspace, dataset: str, month: str, old: Mapping[str, Any], new: Mapping[str, Any]
) -> list[str]:
    """Return the differences of two keys of a month."""
    if old["inputs"] is not None and new["inputs"] is not None:
        return differences(_merged(old), _merged(new))
    known = [key["inputs"] for key in (old, new) if key["inputs"] is not None]
    item = workspace.datasets[dataset]
    # A lock has no versions of records, but of whole folders: these are not today's, or it could be told.
    changed = item.records and known == [{"records": {month: corpus(workspace, item.records).version(month)}}]
    line = f"input sources.{item.records} changed" if changed else "whether its inputs differ is not known"
    return [line, *differences({**old, "inputs": {}}, {**new, "inputs": {}})]


def _merged(key: Mapping[str, Any]) -> dict[str, Any]:
    """Return a key in which each input has one value, whatever number of its months was read."""
    inputs = {
        name: sorted(months.items()) if isinstance(months, Mapping) else months
        for name, months in key["inputs"].items()
    }
    return {**key, "inputs": inputs}


def _example(case: Case, passed_over: Collection[str]) -> dict[str, Any]:
    """Return a case with its fates, or else with the changes in each column."""
    text = _preview(case.new or case.old, passed_over)
    example: dict[str, Any] = {"id": case.id, "month": case.month, "text": text}
    if case.fates:
        return example | dict(zip(("from", "to"), case.fates, strict=True))
    if case.old and case.new:
        example["columns"] = {
            name: pieces(json_ready(case.old[name]), json_ready(case.new[name])) for name in case.columns
        }
    return example


def _passed_over(shape: Shape | None) -> frozenset[str]:
    """Return the columns that do not say what a row is about: names, times, and what every row has."""
    schemas = (shape.kept, shape.unit) if shape else ()
    named = [of_role(schema, role) for schema in schemas for role in ("name", "time")]
    return frozenset().union(IDENTITY.names, DROP_COLUMNS.names, REJECT_COLUMNS.names, *named)


def _preview(row: Mapping[str, Any], passed_over: Collection[str]) -> str:
    """Return the longest text of a row, or the beginning of it."""
    texts = (value for name, value in row.items() if isinstance(value, str) and name not in passed_over)
    text = max(texts, key=len, default="")
    return text if len(text) <= _PREVIEW else f"{text[:_PREVIEW]}…"


def text(found: Mapping[str, Any]) -> str:
    """Return a comparison as people read it in a terminal."""
    made_of = "".join(f"\n  {line}" for line in found["made_of"] or [ALIKE])
    title = f"{found['dataset']}: {found['old']['label']} -> {found['new']['label']}"
    parts = [title, f"made of{made_of}"]
    if found["same"]:
        return "\n\n".join([*parts, "no row differs: the bytes are the same"])
    files = [f"{found['files']['same']} of {found['files']['all']} part files are the same and were not read"]
    for name in ("new", "lost"):
        if columns := found[f"{name}_columns"]:
            files.append(f"{name} columns, which are not compared: {', '.join(columns)}")
    parts += [_table(found), "\n".join(files)]
    sections = {
        "re-reasoned": [f"{move['from']} -> {move['to']}: {move['units']}" for move in found["moves"]],
        "changed columns": [f"{name}: {rows}" for name, rows in found["columns"].items()],
    }
    for kind, examples in found["examples"].items():
        shown = f"{kind} ({len(examples)} of {found['totals'][kind]})"
        sections[shown] = [line for example in examples for line in _lines(example)]
    parts += ["\n  ".join([name, *lines]) for name, lines in sections.items() if lines]
    return "\n\n".join(parts)


def _table(found: Mapping[str, Any]) -> str:
    rows = [[month or "all", *counts.values()] for month, counts in found["months"].items()]
    if len(rows) > 1:
        rows.append(["sum", *found["totals"].values()])
    return aligned([["month", *KINDS], *rows])


def _lines(example: Mapping[str, Any]) -> Iterator[str]:
    fate = f": {example['from']} -> {example['to']}" if "from" in example else ""
    yield f"{example['id']} {example['month']}".rstrip() + fate
    yield f"    {_plain(example['text'])}"
    marks = {"=": "{}", "-": "[-{}-]", "+": "{{+{}+}}"}
    for name, changes in example.get("columns", {}).items():
        yield f"    {name}: {_plain(''.join(marks[sign].format(words) for sign, words in changes))}"


def _plain(words: str) -> str:
    """Return a text on one line, without what would move a terminal's cursor."""
    return "".join(letter if letter.isprintable() else " " for letter in words)
