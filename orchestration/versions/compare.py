"""`make compare`: two versions of a dataset, row by row, and what they were made of.

Belongs here: putting the comparison together, as text and as JSON. Not here: finding versions (revisions.py),
matching rows (difference.py), pages (pages/versions.py).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from assets.declare.settings import ParamsError
from ops.outcome import DROP_COLUMNS, IDENTITY, REJECT_COLUMNS, Shape, of_role
from orchestration.files.json_ready import json_ready
from orchestration.state.corpora import corpus
from orchestration.state.freshness import differences
from orchestration.state.record_recovery import inputs_at, nested
from orchestration.state.records import read_record
from orchestration.versions.contents import Reader
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
    readers = Reader(old), Reader(new)
    item = old.workspace.datasets.get(old.dataset)
    passed_over = _passed_over(item.shape if item else None)
    return {
        "dataset": old.dataset,
        "old": {"revision": old.revision, "label": old.label, "commit": old.commit, "version": old.md5},
        "new": {"revision": new.revision, "label": new.label, "commit": new.commit, "version": new.md5},
        "same": old.md5 == new.md5,
        "made_of": made_differently(old, new),
        "files": {"all": found.files, "same": found.files_same},
        "totals": {kind: found.total(kind) for kind in KINDS},
        "months": {
            month: {kind: counts[kind] for kind in KINDS} for month, counts in sorted(found.months.items())
        },
        "moves": [
            {"from": was, "to": now, "units": units}
            for (was, now), units in sorted(found.moves.items(), key=lambda move: (-move[1], move[0]))
        ],
        "columns": dict(sorted(found.columns.items(), key=lambda column: (-column[1], column[0]))),
        "new_columns": found.new_columns,
        "lost_columns": found.lost_columns,
        "examples": {
            kind: [_example(case, readers, passed_over) for case in found.cases.get(kind, [])]
            for kind in KINDS
        },
    }


def made_differently(old: Version, new: Version) -> list[str]:
    """Return in words which inputs, params, code, packages and models of two versions differ."""
    whole = old.stage is not None and new.stage is not None
    former, present = _made(old, whole), _made(new, whole)
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


def _made(version: Version, whole: bool) -> dict[str, dict[str, Any]]:
    """Return what a version was made of, by month: as dvc.lock has it, else as this checkout remembers it.

    `whole` folders of inputs stand under the month "": dvc.lock knows no months. Inputs that cannot be told
    are None.
    """
    item = version.workspace.datasets.get(version.dataset)
    if (made := made_of(version)) is not None:
        try:
            params = item.values_in(nested(made["params"])) if item else made["params"]
        except ParamsError:
            params = made["params"]  # of another shape than today's
        key = {**made, "params": params}
        if whole or item is None or version.stage is None:
            return {"": key}
        return {
            month: {**key, "inputs": inputs_at(version.workspace, item, month, version.stage)}
            for month in item.made_months
        }
    if item is None or version.commit is not None:
        return {}
    keys = {}
    for month in item.made_months:
        record, prefix = read_record(version.workspace, item, month), f"{month}/" if month else ""
        files = {n.removeprefix(prefix): md5 for n, md5 in version.files.items() if n.startswith(prefix)}
        if record is not None and record.hashes == files:
            keys[month] = {**record.key}
    return keys


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


def _example(case: Case, readers: tuple[Reader, Reader], passed_over: Collection[str]) -> dict[str, Any]:
    old, new = (
        reader.row(spot) if spot else {} for reader, spot in zip(readers, (case.old, case.new), strict=True)
    )
    example: dict[str, Any] = {"id": case.id, "month": case.month, "text": _preview(new or old, passed_over)}
    if any(case.fates):
        example |= {"from": case.fates[0], "to": case.fates[1]}
    elif old and new:
        example["columns"] = {
            name: pieces(json_ready(old[name]), json_ready(new[name]))
            for name in old
            if name in new and old[name] != new[name]
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
    lines = [f"{found['dataset']}: {found['old']['label']} -> {found['new']['label']}", ""]
    lines += ["made of", *(f"  {line}" for line in found["made_of"] or [ALIKE]), ""]
    if found["same"]:
        return "\n".join([*lines, "no row differs: the bytes are the same"])
    lines += _table(found)
    files = found["files"]
    lines += ["", f"{files['same']} of {files['all']} part files are the same and were not read"]
    for name in ("new", "lost"):
        if found[f"{name}_columns"]:
            lines.append(f"{name} columns, which are not compared: {', '.join(found[f'{name}_columns'])}")
    if found["moves"]:
        moves = (f"  {move['from']} -> {move['to']}: {move['units']}" for move in found["moves"])
        lines += ["", "re-reasoned", *moves]
    if found["columns"]:
        lines += ["", "changed columns", *(f"  {name}: {rows}" for name, rows in found["columns"].items())]
    for kind, examples in found["examples"].items():
        if examples:
            shown = f"{len(examples)} of {found['totals'][kind]}"
            lines += [
                "",
                f"{kind} ({shown})",
                *(f"  {line}" for example in examples for line in _lines(example)),
            ]
    return "\n".join(lines)


def _table(found: Mapping[str, Any]) -> list[str]:
    rows = [["month", *KINDS]]
    rows += [[month or "all", *map(str, counts.values())] for month, counts in found["months"].items()]
    if len(found["months"]) > 1:
        rows.append(["sum", *map(str, found["totals"].values())])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join([first.ljust(widths[0]), *map(str.rjust, rest, widths[1:])]) for first, *rest in rows]


def _lines(example: Mapping[str, Any]) -> list[str]:
    fate = f": {example['from']} -> {example['to']}" if "from" in example else ""
    lines = [f"{example['id']} {example['month']}".rstrip() + fate, f"    {_plain(example['text'])}"]
    marks = {"=": "{}", "-": "[-{}-]", "+": "{{+{}+}}"}
    for name, changes in example.get("columns", {}).items():
        lines.append(f"    {name}: {_plain(''.join(marks[sign].format(words) for sign, words in changes))}")
    return lines


def _plain(words: str) -> str:
    """Return a text on one line, without what would move a terminal's cursor."""
    return "".join(letter if letter.isprintable() else " " for letter in words)
