"""The manifest of a partition: what it was made of, which files it is, and how many rows they have.

Belongs here: the manifest, its file, and counting rows. Not here: when a partition is fresh (freshness.py),
how the manifests of a dataset travel with its data: they are a second output of its DVC stage
(dvc/stages.py).

A manifest is written last, once the checks of the partition have passed. It has neither a time nor a run, so
the same partition has the same manifest wherever it is made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NotRequired

from pydantic import ConfigDict, NonNegativeInt, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict

from assets.declare.declaration import Declaration
from orchestration.files import damage
from orchestration.files.damage import DamagedError, remove_file
from orchestration.files.identity import FileStamp, file_stamp, is_settled, version
from orchestration.files.publish import write_changed
from orchestration.workspace.workspace import Workspace

#: The name in a key for all partitions of an input that is read whole: they have one version together.
EVERY_PARTITION = "*"

#: What stands in a key for the expectations that were met, where the checks failed when they ran again.
FAILED = "failed"

_STRICT = ConfigDict(extra="forbid", strict=True)


@with_config(_STRICT)
class _Key(TypedDict):
    inputs: dict[str, dict[str, str]]
    params: dict[str, Any]
    code: dict[str, Any]


@with_config(_STRICT)
class _Counts(TypedDict):
    kept: NonNegativeInt
    dropped: NonNegativeInt
    rejected: NonNegativeInt
    reasons: dict[str, NonNegativeInt]
    combinations: NotRequired[dict[str, NonNegativeInt]]


@with_config(_STRICT)
class _Stored(TypedDict):
    """What the file of a manifest holds, beside its checksum."""

    key: _Key
    files: dict[str, str]
    version: str
    counts: _Counts


_STORED: TypeAdapter[_Stored] = TypeAdapter(_Stored)


@dataclass(frozen=True)
class Manifest:
    """A partition that was made, and whose checks passed then."""

    key: Mapping[str, Any]
    """`inputs` (versions by dataset and partition, or EVERY_PARTITION), `params` (by section), `code`."""
    files: Mapping[str, str]
    """MD5 by file name."""
    counts: Mapping[str, Any] = field(default_factory=dict)
    """Rows by table, dropped rows by reason, generated combinations."""

    @property
    def passed(self) -> bool:
        """Whether its checks passed when they last ran."""
        return bool(self.key["code"].get("expectations") != FAILED)

    @cached_property
    def version(self) -> str:
        """The partition's version: DVC's hash of its folder."""
        return version(self.files)


def manifest_file(workspace: Workspace, dataset: Declaration, partition: str) -> Path:
    """Return where a partition's manifest lies."""
    return workspace.manifests(dataset) / f"{partition or 'all'}.json"


_read: dict[Path, tuple[FileStamp, Manifest]] = {}


def read_manifest(workspace: Workspace, dataset: Declaration, partition: str) -> Manifest | None:
    """Return a partition's manifest, or None where there is none. One that is damaged is set aside.

    A file that is as it was is parsed once in a process.
    """
    path = manifest_file(workspace, dataset, partition)
    stamp = file_stamp(path)
    if path in _read and _read[path][0] == stamp:
        return _read[path][1]
    then = f"`dvc checkout --force {workspace.shown(path.parent)}` brings it back; else it is made again"
    content = damage.read_checked(path, _STORED, then)
    found = None if content is None else _manifest(content)
    if found is not None and stamp is not None and is_settled(stamp):
        _read[path] = stamp, found
    return found


def parse_manifest(content: bytes) -> Manifest:
    """Return the manifest of some bytes. Raises DamagedError for what is none."""
    stored, checked = damage.load_checked(content)
    try:
        _STORED.validate_python(stored)
    except ValidationError as error:
        raise DamagedError(damage.first_fault(error)) from None
    if not checked:
        raise DamagedError("it has no checksum")
    return _manifest(stored)


def write_manifest(workspace: Workspace, dataset: Declaration, partition: str, manifest: Manifest) -> None:
    """Write a partition's manifest whole, unless it is there already."""
    content = damage.dump_checked({**asdict(manifest), "version": manifest.version})
    write_changed(manifest_file(workspace, dataset, partition), content)


def forget(workspace: Workspace, dataset: Declaration, partition: str) -> None:
    """Remove a partition's manifest: it does not count as made any more."""
    remove_file(manifest_file(workspace, dataset, partition))


def _manifest(stored: Mapping[str, Any]) -> Manifest:
    return Manifest(stored["key"], stored["files"], stored["counts"])
