"""What is kept of a partition until it is published, under its key: finished parts, checkpoints of trainings.

Belongs here: the file of one outcome or checkpoint, their folders, and their removal. Not here: which parts
are computed (resume.py), what a checkpoint holds (ops/models/training/checkpoints.py).
"""

from __future__ import annotations

import io
import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from assets.declare.declaration import Declaration
from ops.outcome import Outcome
from orchestration.files.bundle import read_bundle, write_bundle
from orchestration.files.damage import DamagedError, make_folder
from orchestration.files.identity import json_digest
from orchestration.files.parquet import TABLES
from orchestration.files.replaced import Stamps, check_unreplaced
from orchestration.state.input_snapshot import check_code
from orchestration.workspace.workspace import Workspace

_PART = re.compile(r"\d{5,}\.zip")
_ABOUT = "about.json"


@dataclass(frozen=True)
class FinishedParts:
    """The finished parts of one map over the parts of a partition."""

    workspace: Workspace
    folder: Path
    inputs: Stamps
    """The files that the partition is made of, as they were when it was begun."""
    code: Mapping[str, str]
    """The marks of params and code in the process that began the partition."""

    def found(self) -> set[int]:
        """Return the indices of the parts that are sound. The others are set aside, foreign files are not."""
        make_folder(self.folder)
        names = sorted(path.name for path in self.folder.iterdir())
        indices = [int(name.removesuffix(".zip")) for name in names if _PART.fullmatch(name)]
        return {index for index in indices if self._contents(index) is not None}

    def read(self, index: int) -> Outcome:
        """Return a part that was found sound. Raises DamagedError where it is not any more."""
        if (contents := self._contents(index)) is None:
            raise DamagedError(f"{self._path(index)} was damaged or removed while it was needed: run again")
        return _outcome(contents)

    def write(self, index: int, outcome: Outcome) -> None:
        """Store a part whole, unless an input, params or code were replaced: it would not fit its key.

        Raises InputReplacedError, MovedError, and DiskFullError.
        """
        check_code(self.workspace, self.code)
        check_unreplaced(self.inputs)
        write_bundle(self._path(index), _pack(outcome), sync=False)

    def _path(self, index: int) -> Path:
        return self.folder / f"{index:05d}.zip"

    def _contents(self, index: int) -> dict[str, bytes] | None:
        return read_bundle(self._path(index), "the part is computed again")


@dataclass(frozen=True)
class StoredCheckpoint:
    """The last checkpoint of one training."""

    path: Path

    def write(self, files: Mapping[str, bytes]) -> None:
        """Replace the last checkpoint by these files. Raises DiskFullError; then the former one stays."""
        write_bundle(self.path, files)

    def read(self) -> Mapping[str, bytes] | None:
        """Return the files of the last checkpoint, None if there is none; a damaged one is set aside."""
        return read_bundle(self.path, "the training begins anew")


@dataclass(frozen=True)
class StoredCheckpoints:
    """The checkpoints of all trainings of one partition, made under one key: other params begin anew.

    Those under other keys stay until the partition is made, should its params be set back.
    """

    workspace: Workspace
    item: Declaration
    month: str
    key: Mapping[str, Any]

    def at(self, name: str) -> StoredCheckpoint:
        """Return where one of the trainings leaves its checkpoint."""
        folder = self.workspace.state_file("checkpoints", self.item, self.month, "")
        return StoredCheckpoint(folder / json_digest(self.key) / f"{name}.zip")


def begin_parts(workspace: Workspace, item: Declaration, month: str, key: Mapping[str, Any]) -> Path:
    """Return the folder of a partition's finished parts under its key; those under other keys are removed."""
    folder = workspace.state_file("parts", item, month, "") / json_digest(key)
    for stale in set(_entries(folder.parent)) - {folder}:
        _remove(stale)
    return folder


def discard_parts(
    workspace: Workspace, item: Declaration, month: str, key: Mapping[str, Any] | None = None
) -> None:
    """Remove the finished parts of a partition, all or those of one key: it is made, or none any more."""
    folder = workspace.state_file("parts", item, month, "")
    _remove(folder if key is None else folder / json_digest(key))


def discard_checkpoints(workspace: Workspace, item: Declaration, month: str) -> None:
    """Remove the checkpoints of a partition that is made."""
    _remove(workspace.state_file("checkpoints", item, month, ""))


def months_with_parts(workspace: Workspace, item: Declaration) -> set[str]:
    """Return the partitions of a dataset that have finished parts."""
    return {path.name for path in _entries(workspace.state_file("parts", item, "", "").parent)}


def count_parts(workspace: Workspace) -> int:
    """Return how many finished parts all partitions have that are not published."""
    return sum(1 for _ in (workspace.state / "parts").rglob("*.zip"))


def _remove(place: Path) -> None:
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place, ignore_errors=True)
    else:
        place.unlink(missing_ok=True)


def _entries(folder: Path) -> list[Path]:
    return list(folder.iterdir()) if folder.is_dir() else []


def _pack(outcome: Outcome) -> dict[str, bytes]:
    """Return an outcome as named bytes, a stream for each column.

    In the stream of a table, chunks end where those of any column do. Parquet's pages end where chunks do, so
    the bytes of a dataset would be others.
    """
    tables = {name: getattr(outcome, name) for name in TABLES}
    tables["units"] = pa.table({"units": outcome.units})
    columns = {
        f"{name}/{index}": _stream(table.select([index]))
        for name, table in tables.items()
        for index in range(table.num_columns)
    }
    about = {"combinations": dict(outcome.combinations), "files": list(outcome.files)}
    files = {f"files/{index}": content for index, content in enumerate(outcome.files.values())}
    return {_ABOUT: json.dumps(about).encode(), **columns, **files}


def _stream(column: pa.Table) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, column.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as stream:
        stream.write_table(column)
    return sink.getvalue()


def _outcome(contents: Mapping[str, bytes]) -> Outcome:
    about = json.loads(contents[_ABOUT])

    def table(name: str) -> pa.Table:
        streams = (content for entry, content in contents.items() if entry.startswith(f"{name}/"))
        columns = [pa.ipc.open_stream(stream).read_all() for stream in streams]
        schema = pa.schema([column.schema.field(0) for column in columns], columns[0].schema.metadata)
        return pa.Table.from_arrays([column.column(0) for column in columns], schema=schema)

    files = {name: contents[f"files/{index}"] for index, name in enumerate(about["files"])}
    units = table("units")["units"].combine_chunks()
    tables = {name: table(name) for name in TABLES}
    return Outcome(units, **tables, combinations=about["combinations"], files=files)
