"""Is a partition what today's inputs, params and code would make, and are its bytes still there?

Belongs here: the key of a partition and the comparison with its manifest, which alone says so. Not here:
making it (materialise.py) and telling Dagster (sync.py).
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
from orchestration.state.manifests import Manifest, read_manifest
from orchestration.workspace.logins import without_logins
from orchestration.workspace.workspace import Workspace

#: The tag of a run that makes a partition again though it is fresh.
FORCED = "silverloom/forced"

#: The difference that leaves the bytes as they are: their checks run again, alone.
EXPECTATIONS = "expectations changed"
CHECKS_FAILED = "its checks failed"


class NotReadyError(RuntimeError):
    """An input is missing or did not pass its checks; the text says which, and what to run."""


@dataclass(frozen=True)
class Status:
    """Whether a partition is fresh, and if not, why."""

    manifest: Manifest | None
    reasons: tuple[str, ...]
    waiting: bool = False
    """Whether that depends on inputs that are to be made first."""

    @property
    def fresh(self) -> bool:
        """Whether there is nothing to do."""
        return not self.reasons

    @property
    def unchecked(self) -> bool:
        """Whether only the checks are to run: the bytes are today's, what they passed is not."""
        return self.reasons in ((EXPECTATIONS,), (CHECKS_FAILED,))

    @property
    def fresh_manifest(self) -> Manifest | None:
        """The manifest of a fresh partition."""
        return self.manifest if self.fresh else None


class View:
    """What is known of all partitions at one moment: each is looked at once, on first asking."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._manifests: dict[tuple[str, str], Manifest | None] = {}
        self._statuses: dict[tuple[str, str], Status] = {}

    def known(self, item: Declaration, month: str) -> Manifest | None:
        """Return a partition's manifest if its files are those on disk."""
        place = (item.name, month)
        if place not in self._manifests:
            self._manifests[place] = _known(self.workspace, item, month)
        return self._manifests[place]

    def renew(self, item: Declaration, month: str) -> None:
        """Look at a partition anew when next asked: it was made meanwhile."""
        self._manifests.pop((item.name, month), None)
        self._statuses.pop((item.name, month), None)

    def finished(self, item: Declaration, month: str) -> Manifest:
        """Return the manifest of a partition whose checks passed and whose bytes are on disk.

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
        manifest = self.known(item, month)
        if manifest is None:
            return Status(None, (_why_unknown(self.workspace, item, month),))
        try:
            today = self.key(item, month)
        except NotReadyError as error:
            return Status(manifest, (str(error),), waiting=True)
        again = ("its pages are to be asked for again",) if asks_again(self.workspace, item, month) else ()
        reasons = differences(manifest.key, today)
        if not manifest.passed:
            reasons = [CHECKS_FAILED if reason == EXPECTATIONS else reason for reason in reasons]
        return Status(manifest, (*reasons, *again))


def load_manifest(workspace: Workspace, item: Declaration, month: str) -> Manifest:
    """Return the manifest of a partition, whatever its bytes are now. Raises NotReadyError without one."""
    return _needed(read_manifest(workspace, item, month), item, month)


def _known(workspace: Workspace, item: Declaration, month: str) -> Manifest | None:
    manifest = read_manifest(workspace, item, month)
    if manifest is None or not manifest.files:
        return None
    found = folder_hashes(workspace.folder(item, month))
    if manifest.files == found:
        return manifest
    check_bytes(workspace, manifest.files, found)
    return None


def _why_unknown(workspace: Workspace, item: Declaration, month: str) -> str:
    """Return why nothing is known of a partition: a part of it is missing, or all of it."""
    there, pull = workspace.folder(item, month).is_dir(), f"`dvc pull {'-'.join(item.key.path)}`"
    if read_manifest(workspace, item, month) is not None:
        changed = "its bytes are not those that were made"
        return changed if there else f"missing ({pull} brings it if it was pushed)"
    if there:
        return f"no manifest says that it was finished ({pull} brings it if it was pushed)"
    return "missing"


def _needed(manifest: Manifest | None, item: Declaration, month: str) -> Manifest:
    if manifest is None or not manifest.passed:
        raise NotReadyError(f"{label(item, month)} is missing or did not pass its checks: make it first")
    return manifest


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
