"""What is remembered of a finished partition: the key that it was made under, and what came out.

Belongs here: the record and its file. Not here: when it counts as fresh (freshness.py), and how a lost
one is won back from dvc.lock (recall.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NotRequired

from pydantic import ConfigDict, NonNegativeInt, TypeAdapter, with_config
from typing_extensions import TypedDict

from assets.declare.declaration import Declaration
from orchestration.files import checksummed
from orchestration.files.damage import remove_file
from orchestration.files.identity import version
from orchestration.files.publish import write_file
from orchestration.workspace.workspace import Workspace

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
    """What a file of a record holds, beside its checksum."""

    key: _Key
    hashes: dict[str, str]
    counts: _Counts
    run_id: str | None
    seconds: float | None


_STORED: TypeAdapter[_Stored] = TypeAdapter(_Stored)


@dataclass(frozen=True)
class Record:
    """A finished partition: its record is written last, after its checks have passed."""

    key: Mapping[str, Any]
    """`inputs` (versions by dataset and month), `params` (by section) and `code`."""
    hashes: Mapping[str, str]
    """MD5 by file name."""
    counts: Mapping[str, Any] = field(default_factory=dict)
    run_id: str | None = None
    """The Dagster run that made it; none where it came from DVC."""
    seconds: float | None = None

    @cached_property
    def version(self) -> str:
        """The partition's version: DVC's hash of its folder."""
        return version(self.hashes)


def record_path(workspace: Workspace, item: Declaration, month: str) -> Path:
    """Return where a partition's record is kept."""
    return workspace.state_file("records", item, month)


def read_record(workspace: Workspace, item: Declaration, month: str) -> Record | None:
    """Return a partition's record, or None where there is none.

    One that is damaged is set aside. One without a checksum, of before there were any, is as if it were lost:
    nothing says that it is as it was written, and dvc.lock has what was committed.
    """
    then = "it is recovered from dvc.lock, or the partition is made again"
    content = checksummed.read(record_path(workspace, item, month), _STORED, then)
    return None if content is None else Record(**content)


def write_record(workspace: Workspace, item: Declaration, month: str, record: Record) -> None:
    """Write a partition's record whole."""
    write_file(record_path(workspace, item, month), checksummed.dump(asdict(record)))


def forget(workspace: Workspace, item: Declaration, month: str) -> None:
    """Remove a partition's record: it is not finished any more."""
    remove_file(record_path(workspace, item, month))
