"""Which partitions do new or changed source files touch, and which of them can be made now?

Belongs here: comparing the source folders with how they were at the last look, and following what changed
down the graph. What is stale for other reasons (params, code) is left alone. Not here: Dagster (sensors.py).
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from assets.settings import document, settings
from orchestration.corpora import corpus
from orchestration.freshness import NotReadyError, View
from orchestration.graph import datasets, input_months, label
from orchestration.plan import Step, plan
from orchestration.store.records import read_record

Place = tuple[str, str]


@dataclass
class Memory:
    """What is remembered from one look to the next: JSON in a sensor's cursor."""

    rules: str = ""
    """The MD5 of the section `sources` of params.yaml: which folders there are, how months are told."""
    seen: dict[str, dict[str, str]] = field(default_factory=dict)
    """The MD5 of the records of each month, inside the range or not, by kind of document."""
    touched: list[Place] = field(default_factory=list)
    """Partitions that changed files reach and that were not fresh yet."""
    asked: dict[str, str] = field(default_factory=dict)
    """The state in which each of these was asked for: it is not asked for twice in the same one."""


@dataclass
class Request:
    """A partition to make, and its state: what is there, and what would be made."""

    dataset: str
    month: str
    state: str


@dataclass
class Notice:
    """What a look found."""

    memory: Memory
    requests: list[Request]
    reason: str


def notice(memory: Memory) -> Notice:
    """Look at the source folders; return what to remember, what to make, and why nothing more.

    Raises SourceError for a folder that cannot be read, ParamsError for params that cannot be used.
    """
    view = View()
    rules = _md5(document().get("sources"))
    seen = {str(item.records): _months(str(item.records)) for item in datasets().values() if item.records}
    moved = bool(memory.rules) and memory.rules != rules
    changed = [] if moved else list(_changed(memory if memory.rules else None, seen, view))
    touched = _with_readers({*map(_place, memory.touched), *changed})
    steps = {(step.item.name, step.month): step for step in plan(view=view)}
    requests, held = [], []
    asked: dict[str, str] = {}
    pending: list[Place] = []
    for place in touched:
        step = steps.get(place)
        if step is None or not _by_inputs(step):
            continue
        pending.append(place)
        name = label(step.item, step.month)
        if any(one in pending for one in step.upstream):
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
    said = [
        *(
            ["the sources of params.yaml are others than before: files are watched from now on"]
            if moved
            else []
        ),
        *([f"changed: {', '.join(' '.join(place) for place in changed)}"] if changed else []),
        *held,
    ]
    reason = "; ".join(said) or "no source file is new or changed"
    return Notice(Memory(rules, seen, pending, asked), requests, reason)


def _months(name: str) -> dict[str, str]:
    entries: dict[str, list[tuple[str, str]]] = {}
    for entry in corpus(name).index:
        entries.setdefault(entry.month or settings().partitions.start, []).append((entry.id, entry.md5))
    return {month: _md5(sorted(found)) for month, found in sorted(entries.items())}


def _changed(memory: Memory | None, seen: Mapping[str, Mapping[str, str]], view: View) -> Iterable[Place]:
    """Yield the partitions of sources whose files changed since the last look; at the first: since made."""
    for item in datasets().values():
        for month in item.made_months if item.records else ():
            now = seen[str(item.records)].get(month)
            if memory is not None:
                new = memory.seen.get(str(item.records), {}).get(month) != now
            elif (record := view.known(item, month)) is not None:
                new = record.key["inputs"] != view.key(item, month)["inputs"]
            else:
                new = now is not None
            if new:
                yield item.name, month


def _with_readers(places: set[Place]) -> list[Place]:
    """Return partitions with all that reads them, directly or not; inputs first."""
    found: list[Place] = []
    reached = set(places)
    for item in datasets().values():
        for month in item.made_months:
            inputs = {(name, part) for name, parts in input_months(item, month).items() for part in parts}
            if (item.name, month) in reached or inputs & reached:
                reached.add((item.name, month))
                found.append((item.name, month))
    return found


def _by_inputs(step: Step) -> bool:
    """Say whether a partition is stale by what it is made of, and not by params or code alone."""
    if step.upstream:
        return True
    return any(not reason.startswith(("param ", "code ", "package ", "model ")) for reason in step.reasons)


def _state(view: View, step: Step) -> str:
    """Return what a partition is now and would become. Raises NotReadyError where an input is missing."""
    former = read_record(step.item, step.month)
    return _md5([view.key(step.item, step.month), former.run_id if former else None])


def _place(value: Iterable[str]) -> Place:
    name, month = value
    return name, month


def _md5(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


if __name__ == "__main__":
    from orchestration.command import run

    def main() -> None:
        """Read a memory as JSON, or nothing; print a notice as JSON."""
        text = sys.stdin.read()
        print(json.dumps(asdict(notice(Memory(**json.loads(text)) if text else Memory()))))

    run(main)
