"""Is a partition what today's inputs, params and code would make, and are its bytes still there?

Belongs here: the key of a partition and the comparison with its record. "A file exists" is not "done".
Not here: making it (materialise.py) and telling Dagster (sync.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assets.declare.declaration import Declaration
from assets.declare.graph import label
from orchestration.files.identity import folder_hashes
from orchestration.state.corpora import corpus
from orchestration.state.crawls import asks_again
from orchestration.state.dvc_cache import check_bytes
from orchestration.state.record_recovery import recover_record
from orchestration.state.records import PartitionRecord, read_record, write_record
from orchestration.workspace.logins import without_logins
from orchestration.workspace.workspace import Workspace

#: The tag of a run that a driver began for a stale partition: it leaves alone what is fresh by then.
ONLY_STALE = "silverloom/only_stale"
#: The tag of a run that makes a partition again though it is fresh, and all that are settled with it.
FORCED = "silverloom/forced"

#: The difference that leaves the bytes as they are: they are validated again, not made again.
EXPECTATIONS = "expectations changed"


class NotReadyError(RuntimeError):
    """An input is missing or did not pass its checks; the text says which, and what to run."""


@dataclass(frozen=True)
class Status:
    """Whether a partition is fresh, and if not, why."""

    record: PartitionRecord | None
    reasons: tuple[str, ...]
    waiting: bool = False
    """Whether that depends on inputs that are to be made first."""

    @property
    def fresh(self) -> bool:
        """Whether there is nothing to do."""
        return not self.reasons

    @property
    def fresh_record(self) -> PartitionRecord | None:
        """The record of a fresh partition."""
        return self.record if self.fresh else None


class View:
    """What is known of all partitions at one moment: each is looked at once, on first asking."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._records: dict[tuple[str, str], PartitionRecord | None] = {}
        self._statuses: dict[tuple[str, str], Status] = {}

    def known(self, item: Declaration, month: str) -> PartitionRecord | None:
        """Return a partition's record if its bytes are those on disk, recovered from dvc.lock if lost."""
        place = (item.name, month)
        if place not in self._records:
            self._records[place] = _known(self.workspace, item, month)
        return self._records[place]

    def renew(self, item: Declaration, month: str) -> None:
        """Look at a partition anew when next asked: it was made meanwhile."""
        self._records.pop((item.name, month), None)
        self._statuses.pop((item.name, month), None)

    def finished(self, item: Declaration, month: str) -> PartitionRecord:
        """Return the record of a partition whose checks passed and whose bytes are on disk.

        Raises NotReadyError where there is none.
        """
        return _needed(self.known(item, month), item, month)

    def key(self, item: Declaration, month: str) -> dict[str, Any]:
        """Return what a partition would be made of now. Raises NotReadyError where an input is missing."""
        inputs = self.record_versions(item, month)
        for name, months in self.workspace.graph.input_months(item, month).items():
            upstream = self.workspace.datasets[name]
            inputs[name] = {part: self.finished(upstream, part).version for part in months}
        return {"inputs": inputs, "params": item.values, "code": item.code}

    def record_versions(self, item: Declaration, month: str) -> dict[str, dict[str, str]]:
        """Return the version of the raw records of a month, as a key has it; nothing where it reads none."""
        return (
            {"records": {month: corpus(self.workspace, item.records).version(month)}} if item.records else {}
        )

    def status(self, item: Declaration, month: str) -> Status:
        """Compare a partition with what would be made now."""
        place = (item.name, month)
        if place not in self._statuses:
            self._statuses[place] = self._compare(item, month)
        return self._statuses[place]

    def complete(self, item: Declaration) -> bool:
        """Say whether every partition of a dataset and of all its ancestors is fresh."""
        datasets = (item, *self.workspace.graph.ancestors(item))
        partitions = [(dataset, month) for dataset in datasets for month in dataset.made_months]
        # A missing folder is seen at once: while a backfill goes on, nothing is hashed only to learn that.
        return all(self.workspace.folder(*partition).is_dir() for partition in partitions) and all(
            self.status(*partition).fresh for partition in partitions
        )

    def _compare(self, item: Declaration, month: str) -> Status:
        record = self.known(item, month)
        if record is None:
            former = read_record(self.workspace, item, month) and self.workspace.folder(item, month).exists()
            return Status(None, ("its bytes are not those that were made" if former else "missing",))
        try:
            today = self.key(item, month)
        except NotReadyError as error:
            return Status(record, (str(error),), waiting=True)
        reasons = differences(record.key, today)
        again = ("its pages are to be asked for again",) if asks_again(self.workspace, item, month) else ()
        recovered = recover_record(self.workspace, item, month) if reasons else None
        if recovered is not None and not differences(recovered.key, today):
            # the same bytes were made elsewhere under today's key: an experiment that was applied, a pull
            write_record(self.workspace, item, month, recovered)
            return Status(recovered, again)
        return Status(record, (*reasons, *again))


def load_record(workspace: Workspace, item: Declaration, month: str) -> PartitionRecord:
    """Return the record of a partition, whatever its bytes are now. Raises NotReadyError without one."""
    record = read_record(workspace, item, month) or recover_record(workspace, item, month)
    return _needed(record, item, month)


def _known(workspace: Workspace, item: Declaration, month: str) -> PartitionRecord | None:
    record = read_record(workspace, item, month)
    if record is not None and record.hashes:
        found = folder_hashes(workspace.folder(item, month))
        if record.hashes == found:
            return record
        check_bytes(workspace, record.hashes, found)
    record = recover_record(workspace, item, month)
    if record is not None:
        write_record(workspace, item, month, record)
    return record


def _needed(record: PartitionRecord | None, item: Declaration, month: str) -> PartitionRecord:
    if record is None:
        raise NotReadyError(f"{label(item, month)} is missing or did not pass its checks: make it first")
    return record


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Return in words what changed between two keys: which input, param, code, package or model."""
    return [
        *_changed("input", flattened(old["inputs"]), flattened(new["inputs"]), show=False),
        *_changed("param", flattened(old["params"]), flattened(new["params"]), show=True),
        *(["code changed"] if old["code"].get("code") != new["code"]["code"] else []),
        *([EXPECTATIONS] if old["code"].get("expectations") != new["code"].get("expectations") else []),
        *_changed("package", old["code"].get("packages", {}), new["code"]["packages"], show=True),
        *_changed("model", old["code"].get("models", {}), new["code"]["models"], show=False),
    ]


def _changed(what: str, old: Mapping[str, Any], new: Mapping[str, Any], show: bool) -> list[str]:
    lines = []
    for name in sorted({*old, *new}):
        if old.get(name) != new.get(name) or (name in old) != (name in new):
            detail = without_logins(f": {old.get(name)} -> {new.get(name)}") if show else " changed"
            lines.append(f"{what} {name}{detail}")
    return lines


def flattened(value: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return a nested mapping as one of dotted names."""
    flat: dict[str, Any] = {}
    for name, inner in value.items():
        path = f"{prefix}{name}"
        flat |= flattened(inner, f"{path}.") if isinstance(inner, dict) and inner else {path: inner}
    return flat
