"""Which partitions do new or changed source files touch, and which of them can be made now?

Belongs here: comparing the source folders with how they were at the last look, and following what changed
down the graph. What is stale for other reasons (params, code) is left alone. Not here: Dagster (sensors.py).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from pydantic import TypeAdapter

from assets.declare.declaration import Declaration
from assets.declare.graph import label
from ops.parse.scan import Entry
from ops.parse.source import EVERY
from orchestration.state.corpora import corpus
from orchestration.state.freshness import EXPECTATIONS, NotReadyError, View
from orchestration.state.plan import Step, plan
from orchestration.state.records import read_record
from orchestration.workspace.workspace import Workspace

#: A dataset and a month.
Partition: TypeAlias = tuple[str, str]

#: How the reasons begin for which a partition is stale, and nothing is asked for.
_LEFT_ALONE = ("param ", "code ", "package ", "model ", EXPECTATIONS)


@dataclass
class Cursor:
    """What a sensor keeps from one look to the next, as JSON."""

    rules: dict[str, str] = field(default_factory=dict)
    """The MD5 of what params.yaml says of each source (`papers.text`): its folder, how months are found."""
    seen: dict[str, dict[str, str]] = field(default_factory=dict)
    """The MD5 of the records of each month, inside the range or not, by source."""
    touched: list[Partition] = field(default_factory=list)
    """Partitions that changed files reach and that were not fresh yet."""
    asked: dict[str, str] = field(default_factory=dict)
    """The state in which each of these was asked for: it is not asked for twice in the same one."""


_CURSOR = TypeAdapter(Cursor)


@dataclass
class Request:
    """A partition to make, and its state: what is there, and what would be made."""

    dataset: str
    month: str
    state: str


@dataclass
class SourceChanges:
    """What a look found."""

    memory: Cursor
    requests: list[Request]
    reason: str


def source_changes(workspace: Workspace, memory: Cursor) -> SourceChanges:
    """Look at the source folders; return what to remember, what to make, and why nothing more.

    Raises SourceError for a folder that cannot be read, ParamsError for params that cannot be used.
    """
    view = View(workspace)
    rules, seen = _rules(workspace), _seen(workspace)
    new = {name for name, rule in rules.items() if memory.rules.get(name) != rule}
    changed = list(_changed(memory, seen, new, view))
    touched = _with_readers(workspace, {*map(_place, memory.touched), *changed})
    steps = {(step.item.name, step.month): step for step in plan(view)}
    requests, held = [], []
    asked: dict[str, str] = {}
    pending: list[Partition] = []
    for place in touched:
        step = steps.get(place)
        if step is None or not _by_inputs(step, pending, view):
            continue
        pending.append(place)
        name = label(step.item, step.month)
        if any(partition in pending for partition in step.upstream):
            continue
        try:
            state = _state(view, step)
        except NotReadyError as error:
            held.append(f"{name} waits: {error}")
            continue
        asked[name] = state
        if memory.asked.get(name) == state:
            held.append(f"{name} was asked for already, and is asked for once")
        else:
            requests.append(Request(*place, state))
    reasons = [
        *([f"new or other in params.yaml: {', '.join(sorted(new))}"] if new and memory.rules else []),
        *([f"changed: {', '.join(' '.join(place) for place in changed)}"] if changed else []),
        *held,
    ]
    reason = "; ".join(reasons) or "no source file is new or changed"
    return SourceChanges(Cursor(rules, seen, pending, asked), requests, reason)


def _rules(workspace: Workspace) -> dict[str, str]:
    return {
        f"{kind}.{name}": _md5(source.model_dump())
        for kind, sources in workspace.settings.sources.items()
        for name, source in sources.items()
    }


def _seen(workspace: Workspace) -> dict[str, dict[str, str]]:
    kinds = {item.records for item in workspace.datasets.values() if item.records}
    return {
        f"{kind}.{name}": _months(workspace, found)
        for kind in sorted(kinds)
        for name, found in _entries(workspace, kind).items()
    }


def _entries(workspace: Workspace, kind: str) -> dict[str, list[Entry]]:
    """Return the records of each source of a kind of document."""
    found: dict[str, list[Entry]] = {name: [] for name in corpus(workspace, kind).sources}
    for entry in corpus(workspace, kind).index:
        found[next(name for name in found if entry.id.startswith(f"{name}/"))].append(entry)
    return found


def _months(workspace: Workspace, entries: Iterable[Entry]) -> dict[str, str]:
    months: dict[str, list[tuple[str, str]]] = {}
    chosen = workspace.settings.partitions
    for entry in entries:
        for month in chosen.months if entry.month == EVERY else [entry.month or chosen.start]:
            months.setdefault(month, []).append((entry.id, entry.md5))
    return {month: _md5(sorted(found)) for month, found in sorted(months.items())}


def _changed(
    memory: Cursor, seen: Mapping[str, Mapping[str, str]], new: Container[str], view: View
) -> Iterable[Partition]:
    """Yield the partitions of sources whose files changed since the last look.

    What a source held that is new, or is read by other rules, nobody looked at: there, and in all sources at
    the first look, the partitions whose files are not those that they were made of.
    """
    for item in view.workspace.datasets.values():
        names = [name for name in seen if name.startswith(f"{item.records}.")] if item.records else []
        for month in item.made_months if item.records else ():
            changed, unknown = False, not memory.rules
            for name in names:
                before, now = memory.seen.get(name, {}).get(month), seen[name].get(month)
                if name in new:
                    unknown |= before is not None or now is not None
                else:
                    changed |= before != now
            if changed or (unknown and _other_files(item, month, names, seen, view)):
                yield item.name, month


def _other_files(
    item: Declaration,
    month: str,
    names: Iterable[str],
    seen: Mapping[str, Mapping[str, str]],
    view: View,
) -> bool:
    """Say whether a partition was made of other files than there are, or not made though there are any."""
    if (record := view.known(item, month)) is not None:
        return bool(record.key["inputs"] != view.key(item, month)["inputs"])
    return any(month in seen[name] for name in names)


def _with_readers(workspace: Workspace, places: set[Partition]) -> list[Partition]:
    """Return partitions with all that reads them, directly or not; inputs first."""
    found: list[Partition] = []
    reached = set(places)
    for item in workspace.datasets.values():
        for month in item.made_months:
            inputs = {
                (name, part)
                for name, parts in workspace.graph.input_months(item, month).items()
                for part in parts
            }
            if (item.name, month) in reached or inputs & reached:
                reached.add((item.name, month))
                found.append((item.name, month))
    return found


def _by_inputs(step: Step, pending: Container[Partition], view: View) -> bool:
    """Say whether a partition is stale by what it is made of, and not by params, code or expectations alone.

    `pending` are those before it that are.
    """
    reasons = view.status(step.item, step.month).reasons
    return any(partition in pending for partition in step.upstream) or any(
        not reason.startswith(_LEFT_ALONE) for reason in reasons
    )


def _state(view: View, step: Step) -> str:
    """Return what a partition is now and would become. Raises NotReadyError where an input is missing."""
    former = read_record(view.workspace, step.item, step.month)
    return _md5([view.key(step.item, step.month), former.run_id if former else None])


def _place(value: Iterable[str]) -> Partition:
    name, month = value
    return name, month


def _md5(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


def read_cursor(text: str) -> Cursor | None:
    """Return what a cursor holds; an empty one, or one that does not tell sources apart, knows of none.

    None for one that is damaged.
    """
    try:
        memory = json.loads(text or "{}")
        if not isinstance(memory.get("rules"), dict):
            memory |= {"rules": {}, "seen": {}}
        return _CURSOR.validate_python(memory)
    except (ValueError, RecursionError, AttributeError, TypeError):
        return None


def look(workspace: Workspace, text: str) -> SourceChanges:
    """Look at the source folders with a cursor; a damaged one counts as empty, and the reason says so."""
    memory = read_cursor(text)
    found = source_changes(workspace, memory or Cursor())
    if memory is None:
        found.reason = f"the cursor could not be read, and is begun anew; {found.reason}"
    return found
