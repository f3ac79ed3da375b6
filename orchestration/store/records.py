"""What is remembered of a finished partition: the key that it was made under, and what came out.

Belongs here: the record and its file. Not here: when it counts as fresh (freshness.py), and how a lost
one is won back from dvc.lock (recall.py).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from assets.declaration import Declaration
from orchestration.graph import STATE
from orchestration.store.identity import version
from orchestration.store.publish import write_file


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


def record_path(item: Declaration, month: str) -> Path:
    """Return where a partition's record is kept."""
    return STATE.joinpath("records", *item.key.path, f"{month or 'all'}.json")


def read_record(item: Declaration, month: str) -> Record | None:
    """Return a partition's record, or None where there is none that can be read."""
    try:
        return Record(**json.loads(record_path(item, month).read_text()))
    except (FileNotFoundError, ValueError, TypeError):
        return None


def write_record(item: Declaration, month: str, record: Record) -> None:
    """Write a partition's record whole."""
    text = json.dumps(asdict(record), sort_keys=True, indent=1)
    write_file(record_path(item, month), text.encode())


def forget(item: Declaration, month: str) -> None:
    """Remove a partition's record: it is not finished any more."""
    record_path(item, month).unlink(missing_ok=True)
