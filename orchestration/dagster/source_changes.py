"""Which partitions do new or changed source files touch, and which of them can be made now?

Belongs here: comparing the source folders with how they were at the last look, and following what changed
down the graph. What is stale for other reasons (params, code) is left alone. Not here: what Dagster is told
(automation.py).
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TypeAlias

from pydantic import TypeAdapter

from assets.declare.declaration import Declaration
from assets.declare.graph import label
from ops.parse.records import record_place
from ops.parse.source import EVERY
from orchestration.files.damage import DamagedError, read_state, remove_file
from orchestration.files.identity import json_digest
from orchestration.files.publish import write_file
from orchestration.state.corpora import corpus
from orchestration.state.freshness import EXPECTATIONS, NotReadyError, View
from orchestration.state.plan import Step, plan
from orchestration.state.records import PartitionRecord, read_record
from orchestration.workspace.workspace import Workspace

#: A dataset and a month.
Partition: TypeAlias = tuple[str, str]

#: How the reasons begin for which a partition is stale, and nothing is asked for.
_LEFT_ALONE = ("param ", "code ", "package ", "model ", EXPECTATIONS)


@dataclass
class Cursor:
    """What a sensor keeps from one look to the next: as JSON in a file, which Dagster knows by its MD5."""

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
    """Why these are requested, and why nothing more is."""


def look(workspace: Workspace, text: str) -> SourceChanges:
    """Look at the source folders with a cursor that `keep` gave; a damaged one counts as empty, as the reason
    says.

    Raises SourceError for a folder that cannot be read, ParamsError for params that cannot be used.
    """
    cursor = _kept(workspace, text)
    found = _source_changes(workspace, cursor or Cursor())
    if cursor is None:
        found.reason = f"the cursor could not be read, and is begun anew; {found.reason}"
    return found


def keep(workspace: Workspace, memory: Cursor, former: str) -> str:
    """Keep what a look found and return the cursor that it has for the next one; the former one stays, too.

    Dagster goes back to that where a tick fails.
    """
    cursor = json_digest(asdict(memory))
    write_file(_place(workspace, cursor), json.dumps(asdict(memory)).encode())
    for file in _place(workspace, cursor).parent.glob("*.json"):
        if file.stem not in (cursor, former):
            remove_file(file)
    return cursor


def _place(workspace: Workspace, cursor: str) -> Path:
    return workspace.state / "source_changes" / f"{cursor}.json"


def _kept(workspace: Workspace, text: str) -> Cursor | None:
    """Return what was kept; None where it is not there as it was. Former versions kept it in the cursor."""
    if not re.fullmatch("[0-9a-f]{32}", text):
        return read_cursor(text)
    try:
        found = read_cursor((read_state(_place(workspace, text)) or b"").decode())
    except (DamagedError, UnicodeDecodeError):
        return None
    return found if found and json_digest(asdict(found)) == text else None


def read_cursor(text: str) -> Cursor | None:
    """Return what a cursor holds; an empty one, or one that does not tell sources apart, knows of none.

    None for one that is damaged.
    """
    try:
        content = json.loads(text or "{}")
        if not isinstance(content.get("rules"), dict):
            content |= {"rules": {}, "seen": {}}
        return _CURSOR.validate_python(content)
    except (ValueError, RecursionError, AttributeError, TypeError):
        return None


def _source_changes(workspace: Workspace, memory: Cursor) -> SourceChanges:
    view = View(workspace)
    rules = {
        f"{kind}.{name}": json_digest(source.model_dump(mode="json"))
        for kind, sources in workspace.settings.sources.items()
        for name, source in sources.items()
    }
    now = Cursor(rules, _seen(workspace))
    new = {name for name, rule in rules.items() if memory.rules.get(name) != rule}
    changed = _changed(view, memory, now, new)
    reached = _with_readers(workspace, [*memory.touched, *changed])
    requests, reasons = [], []
    if new and memory.rules:
        reasons.append(f"new or other in params.yaml: {', '.join(sorted(new))}")
    if changed:
        reasons.append(f"changed: {', '.join(' '.join(partition) for partition in changed)}")
    for step in plan(view):
        partition, name = (step.item.name, step.month), label(step.item, step.month)
        waits = any(upstream in now.touched for upstream in step.upstream)
        if partition not in reached or not (waits or _by_inputs(view, step)):
            continue
        now.touched.append(partition)
        if waits:
            continue
        try:
            now.asked[name] = state = _state(view, step)
        except NotReadyError as error:
            reasons.append(f"{name} waits: {error}")
            continue
        if memory.asked.get(name) == state:
            reasons.append(f"{name} was asked for already, and is asked for once")
        else:
            requests.append(Request(*partition, state))
    return SourceChanges(now, requests, "; ".join(reasons) or "no source file is new or changed")


def _seen(workspace: Workspace) -> dict[str, dict[str, str]]:
    """Return the MD5 of the records of each month, by source."""
    records: dict[str, dict[str, list[tuple[str, str]]]] = {}
    chosen = workspace.settings.partitions
    for kind in sorted({item.records for item in workspace.datasets.values() if item.records}):
        found = corpus(workspace, kind)
        records |= {f"{kind}.{name}": {} for name in found.sources}
        for entry in found.index:
            months = records[f"{kind}.{record_place(entry.id)[0]}"]
            for month in chosen.months if entry.month == EVERY else [entry.month or chosen.months[0]]:
                months.setdefault(month, []).append((entry.id, entry.md5))
    return {
        name: {month: json_digest(sorted(entries)) for month, entries in sorted(months.items())}
        for name, months in records.items()
    }


def _changed(view: View, memory: Cursor, now: Cursor, new: Container[str]) -> list[Partition]:
    """Return the partitions of sources whose files changed since the last look.

    What a source held that is new, or is read by other rules, nobody looked at: there, and in all sources at
    the first look, the partitions whose files are not those that they were made of.
    """
    changed = []
    for item in view.workspace.datasets.values():
        names = [name for name in now.seen if name.startswith(f"{item.records}.")]
        for month in item.made_months if item.records else ():
            differs, unknown = False, not memory.rules
            for name in names:
                former, present = memory.seen.get(name, {}).get(month), now.seen[name].get(month)
                if name in new:
                    unknown |= former is not None or present is not None
                else:
                    differs |= former != present
            if unknown and not differs:
                record = view.known(item, month)
                differs = (
                    any(month in now.seen[name] for name in names)
                    if record is None
                    else _other_inputs(view, item, month, record)
                )
            if differs:
                changed.append((item.name, month))
    return changed


def _other_inputs(view: View, item: Declaration, month: str, record: PartitionRecord) -> bool:
    """Say whether a partition was made of other inputs; no as long as one is missing: it waits for that."""
    try:
        return bool(record.key["inputs"] != view.key(item, month)["inputs"])
    except NotReadyError:
        return False


def _with_readers(workspace: Workspace, partitions: Iterable[Partition]) -> set[Partition]:
    """Return partitions with all that reads them, directly or not."""
    reached = set(partitions)
    for item in workspace.datasets.values():  # inputs first
        for month in item.made_months:
            inputs = workspace.graph.input_months(item, month).items()
            if any((name, part) in reached for name, parts in inputs for part in parts):
                reached.add((item.name, month))
    return reached


def _by_inputs(view: View, step: Step) -> bool:
    """Say whether a partition is stale by its inputs, and not by params, code or expectations alone."""
    reasons = view.status(step.item, step.month).reasons
    return any(not reason.startswith(_LEFT_ALONE) for reason in reasons)


def _state(view: View, step: Step) -> str:
    """Return what a partition is now and would become. Raises NotReadyError where an input is missing."""
    former = read_record(view.workspace, step.item, step.month)
    return json_digest([view.key(step.item, step.month), former.run_id if former else None])
