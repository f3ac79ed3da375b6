"""The manifest of a partition, and whether the partition on disk matches today's inputs, params and code.

Belongs here: the manifest and its file, a partition's key, and comparing the two, which alone decides what
is fresh; noticing that a partition was replaced while it was read, since readers hold no lock. Not here: what
would be made again (plan.py), making it (partition/materialise.py), telling Dagster (dagster/sync.py), and
how manifests travel with the data, as a second output of the DVC stage (dvc/stages.py).

A manifest is written last, after the partition's checks passed, and holds their results. If existing bytes
later fail a check that runs alone, the manifest says so, and the partition is not fresh. A manifest contains
no time and no run, so the same partition has the same manifest wherever it is made.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, TypedDict

from silverloom.assets.declare.declaration import Dataset
from silverloom.assets.declare.expectations import Severity
from silverloom.assets.declare.graph import label
from silverloom.assets.declare.logins import without_logins
from silverloom.ops.core.parts import TABLES
from silverloom.orchestration.files.identity import FileStamp, file_stamp, folder_hashes, is_stable, version
from silverloom.orchestration.files.local_state import (
    UnreadableError,
    dump_checked,
    load_checked,
    read_checked,
)
from silverloom.orchestration.files.publish import write_changed
from silverloom.orchestration.files.transient import InputReplacedError
from silverloom.orchestration.state.sources import asks_again, corpus
from silverloom.orchestration.workspace.workspace import Workspace

#: In a key: all partitions of an input that is read whole, which share one version.
EVERY_PARTITION = "*"


class CheckResult(TypedDict):
    """What a check found, or what it found of one expectation."""

    expected: str
    severity: Severity
    passed: bool
    observed: str


@dataclass(frozen=True)
class Manifest:
    """A partition that was made, and what its checks found."""

    key: Mapping[str, Any]
    """`inputs` (versions by dataset and partition, or EVERY_PARTITION), `params` (by section), `code`."""
    files: Mapping[str, str]
    """MD5 by file name."""
    counts: Mapping[str, Any] = field(default_factory=dict)
    """Rows by table, dropped rows by reason, generated combinations."""
    checks: Mapping[str, Sequence[CheckResult]] = field(default_factory=dict)
    """What each check found when these bytes were last checked."""

    @property
    def passed(self) -> bool:
        """Whether no check found an error when they last ran."""
        return all(
            result["passed"] or result["severity"] == "warning"
            for results in self.checks.values()
            for result in results
        )

    @property
    def warnings(self) -> list[str]:
        """The expectations of severity warning that the rows do not meet, each with what was observed."""
        unmet = [result for result in self.checks.get("warnings", ()) if not result["passed"]]
        return [f"{result['expected']}: {result['observed']}" for result in unmet]

    @property
    def without_rows(self) -> bool:
        """Whether there was no unit to make it from, and no combination."""
        generated = self.counts.get("combinations", {}).values()  # a step may count zero of a kind
        return not any([*(self.counts[table] for table in TABLES), *generated])

    @cached_property
    def version(self) -> str:
        """The partition's version: DVC's hash of its folder."""
        return version(self.files)


def manifest_file(workspace: Workspace, dataset: Dataset, partition: str) -> Path:
    """Return the path of a partition's manifest."""
    return workspace.manifests(dataset) / f"{partition or 'all'}.json"


_read: dict[Path, tuple[FileStamp, Manifest]] = {}


def read_manifest(workspace: Workspace, dataset: Dataset, partition: str) -> Manifest | None:
    """Return a partition's manifest, or None. An unreadable one counts as missing.

    A process parses an unchanged file only once.
    """
    path = manifest_file(workspace, dataset, partition)
    stamp = file_stamp(path)
    if path in _read and _read[path][0] == stamp:
        return _read[path][1]
    then = f"`dvc checkout --force {workspace.shown(path.parent)}` restores it; otherwise it is made again"
    manifest = read_checked(path, then, _manifest)
    if manifest is not None and stamp is not None and is_stable(stamp):
        _read[path] = stamp, manifest
    return manifest


def parse_manifest(content: bytes) -> Manifest:
    """Parse a manifest. Raises UnreadableError if it is not one."""
    return _manifest(load_checked(content))


def write_manifest(workspace: Workspace, dataset: Dataset, partition: str, manifest: Manifest) -> None:
    """Write a partition's manifest whole, unless the file already has this content."""
    content = dump_checked({**asdict(manifest), "version": manifest.version})
    write_changed(manifest_file(workspace, dataset, partition), content)


def forget(workspace: Workspace, dataset: Dataset, partition: str) -> None:
    """Remove a partition's manifest, so that it no longer counts as made."""
    manifest_file(workspace, dataset, partition).unlink(missing_ok=True)


def _manifest(stored: Mapping[str, Any]) -> Manifest:
    with contextlib.suppress(TypeError, AttributeError):
        manifest = Manifest(**{name: value for name, value in stored.items() if name != "version"})
        if manifest.key.keys() >= {"inputs", "params", "code"} and manifest.counts.keys() >= {*TABLES}:
            return manifest
    raise UnreadableError("it has the wrong structure")  # of another version of this code


#: The tag of a run that makes a partition even if it is fresh.
FORCED = "silverloom/forced"

#: The difference that does not affect the bytes: only their checks run again.
CHECKS_CHANGED = "its checks changed"
CHECKS_FAILED = "its checks failed"

#: The reasons of a partition whose checks alone must run again.
UNCHECKED = ((CHECKS_CHANGED,), (CHECKS_FAILED,))


class NotReadyError(RuntimeError):
    """An input is missing or failed its checks; the text says which one and what to run."""


@dataclass(frozen=True)
class Status:
    """Whether a partition is fresh, and if not, why."""

    manifest: Manifest | None
    reasons: tuple[str, ...]
    waiting: bool = False
    """Whether that depends on inputs that must be made first."""

    @property
    def fresh(self) -> bool:
        """Whether there is nothing to do."""
        return not self.reasons

    @property
    def unchecked(self) -> bool:
        """Whether only the checks must run: the bytes are up to date, but not what they passed."""
        return self.reasons in UNCHECKED

    @property
    def fresh_manifest(self) -> Manifest | None:
        """The manifest of a fresh partition."""
        return self.manifest if self.fresh else None


class View:
    """What is known about all partitions at one moment. Each is read once, when first needed."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._manifests: dict[tuple[str, str], Manifest | None] = {}
        self._statuses: dict[tuple[str, str], Status] = {}
        self._together: dict[str, dict[str, str]] = {}
        self._complete: dict[str, bool] = {}

    def known(self, dataset: Dataset, partition: str) -> Manifest | None:
        """Return a partition's manifest if it matches the files on disk."""
        place = (dataset.name, partition)
        if place not in self._manifests:
            self._manifests[place] = _known(self.workspace, dataset, partition)
        return self._manifests[place]

    def renew(self, dataset: Dataset, partition: str) -> None:
        """Forget what is known of a partition that was just made, so that the next call reads it again."""
        self._manifests.pop((dataset.name, partition), None)
        self._statuses.pop((dataset.name, partition), None)
        self._together.pop(dataset.name, None)
        self._complete.clear()

    def finished(self, dataset: Dataset, partition: str) -> Manifest:
        """Return the manifest of a partition that passed its checks and whose bytes are on disk.

        Raises NotReadyError otherwise.
        """
        return _needed(self.known(dataset, partition), dataset, partition)

    def key(self, dataset: Dataset, partition: str) -> dict[str, Any]:
        """Return what a partition would be made from today. Raises NotReadyError if an input is missing."""
        inputs = self.record_versions(dataset, partition)
        for upstream, whole in self.workspace.graph.reads(dataset):
            if whole and upstream.partitioned:
                inputs[upstream.name] = self.together(upstream)
            else:
                names = upstream.made_partitions if whole else [partition]
                inputs[upstream.name] = {name: self.finished(upstream, name).version for name in names}
        return {"inputs": inputs, "params": dataset.values, "code": dataset.code}

    def together(self, dataset: Dataset) -> dict[str, str]:
        """Return the joint version of all partitions, as it appears in a key: Dagster's hash over several.

        Raises NotReadyError if a partition is missing.
        """
        if dataset.name not in self._together:
            names = sorted(dataset.made_partitions)
            versions = [self.finished(dataset, name).version for name in names]
            digest = sha256("".join(versions).encode()).hexdigest()
            self._together[dataset.name] = {EVERY_PARTITION: digest} if versions else {}
        return self._together[dataset.name]

    def record_versions(self, dataset: Dataset, partition: str) -> dict[str, dict[str, str]]:
        """Return the version of a partition's raw records, as it appears in a key; empty if it reads none."""
        return (
            {"records": {partition: corpus(self.workspace, dataset.records).version(partition)}}
            if dataset.records
            else {}
        )

    def status(self, dataset: Dataset, partition: str) -> Status:
        """Compare a partition with what would be made today."""
        place = (dataset.name, partition)
        if place not in self._statuses:
            self._statuses[place] = self._compare(dataset, partition)
        return self._statuses[place]

    def complete(self, dataset: Dataset) -> bool:
        """Return whether every partition of a dataset and of all its ancestors is fresh."""
        if dataset.name not in self._complete:
            places = [(dataset, partition) for partition in dataset.made_partitions]
            self._complete[dataset.name] = (
                all(map(self.complete, self.workspace.graph.upstream(dataset)))
                # Missing folders show at once; during a backfill this saves hashing the others.
                and all(self.workspace.folder(*place).is_dir() for place in places)
                and all(self.status(*place).fresh for place in places)
            )
        return self._complete[dataset.name]

    def _compare(self, dataset: Dataset, partition: str) -> Status:
        manifest = self.known(dataset, partition)
        if manifest is None:
            return Status(None, (_why_unknown(self.workspace, dataset, partition),))
        try:
            today = self.key(dataset, partition)
        except NotReadyError as error:
            return Status(manifest, (str(error),), waiting=True)
        again = (
            ("its pages are to be fetched again",) if asks_again(self.workspace, dataset, partition) else ()
        )
        reasons = differences(manifest.key, today)
        if not manifest.passed:
            reasons = [*(reason for reason in reasons if reason != CHECKS_CHANGED), CHECKS_FAILED]
        return Status(manifest, (*reasons, *again))


@contextlib.contextmanager
def unreplaced(
    workspace: Workspace,
    partitions: Mapping[str, Iterable[str]],
    then: Callable[[], object] = lambda: None,
) -> Iterator[View]:
    """Provide a view of partitions, by dataset; notice afterwards if one was replaced or edited meanwhile.

    The block may have read half of the former version and half of the new one. So its result is invalid, and
    an error in it may come from just that: this calls `then`, and raises InputReplacedError in place of any
    other Exception.
    """
    places = [(workspace.datasets[name], partition) for name in partitions for partition in partitions[name]]
    view = View(workspace)
    before = _versions(view, places)
    ended: BaseException | None = None
    try:
        yield view
    except BaseException as error:
        ended = error
    after = _versions(View(workspace), places)
    if before != after:
        then()
        if ended is None or isinstance(ended, Exception):
            replaced = next(n for n in range(len(places)) if before[n] != after[n])
            named = label(*places[replaced])
            raise InputReplacedError(f"{named} was replaced while it was read: run again") from ended
    if ended is not None:
        raise ended


def _versions(view: View, places: Iterable[tuple[Dataset, str]]) -> list[str]:
    """Return the version of each partition, or "" if its bytes are not on disk."""
    return [manifest.version if (manifest := view.known(*place)) else "" for place in places]


def load_manifest(workspace: Workspace, dataset: Dataset, partition: str) -> Manifest:
    """Return a partition's manifest, even if its bytes changed. Raises NotReadyError if it is missing."""
    return _needed(read_manifest(workspace, dataset, partition), dataset, partition)


def _known(workspace: Workspace, dataset: Dataset, partition: str) -> Manifest | None:
    manifest = read_manifest(workspace, dataset, partition)
    if manifest is None or not manifest.files:
        return None
    return manifest if manifest.files == folder_hashes(workspace.folder(dataset, partition)) else None


def _why_unknown(workspace: Workspace, dataset: Dataset, partition: str) -> str:
    """Return why a partition does not count as made: all of it, or a part of it, is missing or changed."""
    there, pull = workspace.folder(dataset, partition).is_dir(), f"`dvc pull {'-'.join(dataset.key.path)}`"
    if read_manifest(workspace, dataset, partition) is not None:
        changed = "its bytes changed after it was made"
        return changed if there else f"missing ({pull} gets it if it was pushed)"
    if there:
        return f"no manifest says that it was finished ({pull} gets it if it was pushed)"
    return "missing"


def _needed(manifest: Manifest | None, dataset: Dataset, partition: str) -> Manifest:
    if manifest is None or not manifest.passed:
        raise NotReadyError(f"{label(dataset, partition)} is missing or failed its checks: make it first")
    return manifest


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Return in words what changed between two keys: which input, param, code, package or model."""
    return [
        *_changed("input", flattened(old["inputs"]), flattened(new["inputs"]), show=False),
        *_changed("param", flattened(old["params"]), flattened(new["params"]), show=True),
        *(["code changed"] if old["code"].get("code") != new["code"]["code"] else []),
        *([CHECKS_CHANGED] if old["code"].get("expectations") != new["code"].get("expectations") else []),
        *_changed("package", old["code"].get("packages", {}), new["code"]["packages"], show=True),
        *_changed("model", old["code"].get("models", {}), new["code"]["models"], show=False),
    ]


def made_from(key: Mapping[str, Any]) -> str:
    """Return a key in words: its inputs and code with the first digits of their versions, its params."""
    named = {EVERY_PARTITION: " (all partitions)", "": ""}
    versions = [
        f"{name}{named.get(partition, f' {partition}')} {version[:8]}"
        for name, partitions in key["inputs"].items()
        for partition, version in partitions.items()
    ]
    params = [f"params {', '.join(key['params'])}"] if key["params"] else []
    return ", ".join([*versions, *params, f"code {key['code']['code'][:8]}"])


def _changed(what: str, old: Mapping[str, Any], new: Mapping[str, Any], show: bool) -> list[str]:
    lines = []
    for name in sorted({*old, *new}):
        if old.get(name) != new.get(name) or (name in old) != (name in new):
            values = f": {_shown(old, name)} -> {_shown(new, name)}"
            lines.append(f"{what} {name}{without_logins(values) if show else ' changed'}")
    return lines


def _shown(values: Mapping[str, Any], name: str) -> str:
    """Return a value as params.yaml has it: a text plain, anything else as JSON, which is YAML too."""
    if name not in values:
        return "absent"
    value = values[name]
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def flattened(value: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return a nested mapping as a flat one with dotted names."""
    flat: dict[str, Any] = {}
    for name, inner in value.items():
        path = f"{prefix}{name}"
        flat |= flattened(inner, f"{path}.") if isinstance(inner, dict) and inner else {path: inner}
    return flat
