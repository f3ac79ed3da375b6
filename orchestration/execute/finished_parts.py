"""Where the finished parts of a partition lie until it is published, each a file under the partition's key.

Belongs here: the file of one outcome, the folder of a partition's parts, and their removal. Not here: which
parts are computed (orchestration/execute/resume.py).

Parts are not synced to disk: a kill leaves what was renamed, and what a power cut tears does not match its
checksum. That ends the file, and covers its place as well: a copy elsewhere is no part.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import shutil
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa

from assets.declare.declaration import Declaration
from ops.outcome import Outcome
from orchestration.files.damage import DamagedError, make_folder, read_state, set_aside
from orchestration.files.identity import json_digest
from orchestration.files.publish import disk_errors
from orchestration.state.input_snapshot import check_code
from orchestration.workspace.workspace import Workspace

_OUTCOME, _TABLES, _FILES = "outcome.json", "tables.arrow", "files/"
_NAMES = ("kept", "dropped", "rejected")
_PART = re.compile(r"\d{5,}\.zip")
_CHECKSUM = hashlib.md5(usedforsecurity=False).digest_size

#: Size, time of change and inode of a file.
Mark: TypeAlias = tuple[int, int, int]


class InputReplacedError(RuntimeError):
    """An input is not what it was when the partition was begun."""


def marks(paths: Iterable[Path]) -> dict[Path, Mark]:
    """Return what tells whether files are replaced later."""
    found = {path: path.stat() for path in paths}
    return {path: (stat.st_size, stat.st_mtime_ns, stat.st_ino) for path, stat in found.items()}


@dataclass(frozen=True)
class FinishedParts:
    """The finished parts of one map over the parts of a partition."""

    workspace: Workspace
    folder: Path
    inputs: Mapping[Path, Mark]
    """The files that the partition is made of, as they were when it was begun."""
    code: Mapping[str, str]
    """The marks of params and code in the process that began the partition."""

    def found(self) -> set[int]:
        """Return the indices of the parts that are sound. The others are set aside, foreign files are not."""
        make_folder(self.folder)
        paths = [path for path in sorted(self.folder.iterdir()) if _PART.fullmatch(path.name)]
        return {int(path.stem) for path in paths if _content(path) is not None}

    def read(self, index: int) -> Outcome:
        """Return a part that was found sound. Raises DamagedError where it is not any more."""
        path = self._path(index)
        if (content := _content(path)) is None:
            raise DamagedError(f"{path} was damaged or removed while it was needed: run again")
        with zipfile.ZipFile(io.BytesIO(content)) as file:
            return _read(file)

    def write(self, index: int, outcome: Outcome) -> None:
        """Store a part whole, unless an input, params or code were replaced: it would not fit its key.

        Raises InputReplacedError, MovedError, and DiskFullError.
        """
        check_code(self.workspace, self.code)
        try:
            replaced = marks(self.inputs) != self.inputs
        except FileNotFoundError:
            replaced = True
        if replaced:
            raise InputReplacedError("an input was replaced while it was read: run again")
        path = self._path(index)
        temporary = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            with disk_errors(path):
                path.parent.mkdir(parents=True, exist_ok=True)
                with zipfile.ZipFile(temporary, "w") as file:
                    _write(file, outcome)
                checksum = _checksum(path, temporary.read_bytes())
                with temporary.open("ab") as end:
                    end.write(checksum)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)

    def _path(self, index: int) -> Path:
        return self.folder / f"{index:05d}.zip"


def begin_parts(workspace: Workspace, item: Declaration, month: str, key: Mapping[str, Any]) -> Path:
    """Return the folder of a partition's finished parts under its key; those under other keys are removed."""
    folder = _folder(workspace, item, month) / json_digest(key)
    for stale in set(_entries(_folder(workspace, item, month))) - {folder}:
        _remove(stale)
    return folder


def discard_parts(workspace: Workspace, item: Declaration, month: str) -> None:
    """Remove the finished parts of a partition that is made, or that is none any more."""
    _remove(_folder(workspace, item, month))


def discard_parts_under(workspace: Workspace, item: Declaration, month: str, key: Mapping[str, Any]) -> None:
    """Remove the finished parts of a partition that is made under a key, should there be any left."""
    _remove(_folder(workspace, item, month) / json_digest(key))


def months_with_parts(workspace: Workspace, item: Declaration) -> set[str]:
    """Return the partitions of a dataset that have finished parts."""
    return {path.name for path in _entries(_folder(workspace, item, "all").parent)}


def count_parts(workspace: Workspace) -> int:
    """Return how many finished parts all partitions have that are not published."""
    return sum(1 for _ in (workspace.state / "parts").rglob("*.zip"))


def _content(path: Path) -> bytes | None:
    """Return the zip of a part; None where there is none, or where it is damaged, and so set aside."""
    try:
        content = read_state(path)
        if content is None:
            return None
        content, checksum = content[:-_CHECKSUM], content[-_CHECKSUM:]
        if checksum != _checksum(path, content):
            raise DamagedError("its checksum is not that of its content and place")
    except DamagedError as error:
        set_aside(path, error, "the part is computed again")
        return None
    return content


def _checksum(path: Path, content: bytes) -> bytes:
    """Return the checksum of a part in its place: group, dataset, month, key, map and index."""
    place = "/".join(path.parts[-6:]).encode()
    return hashlib.md5(content + place, usedforsecurity=False).digest()


def _remove(place: Path) -> None:
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place, ignore_errors=True)
    else:
        place.unlink(missing_ok=True)


def _folder(workspace: Workspace, item: Declaration, month: str) -> Path:
    return workspace.state_file("parts", item, month, "")


def _entries(folder: Path) -> list[Path]:
    return list(folder.iterdir()) if folder.is_dir() else []


def _write(file: zipfile.ZipFile, outcome: Outcome) -> None:
    columns = {name: getattr(outcome, name).num_columns for name in _NAMES}
    files = {name: f"{_FILES}{number}" for number, name in enumerate(outcome.files)}
    about = {"columns": columns, "combinations": dict(outcome.combinations), "files": files}
    with file.open(_TABLES, "w", force_zip64=True) as sink:
        _write_column(sink, pa.table({"units": outcome.units}))
        for name in _NAMES:
            table = getattr(outcome, name)
            for index in range(table.num_columns):
                _write_column(sink, table.select([index]))
    for name, place in files.items():
        file.writestr(place, outcome.files[name])
    file.writestr(_OUTCOME, json.dumps(about))


def _write_column(sink: Any, column: pa.Table) -> None:
    """Write a column as a stream of its own: in that of a table, chunks end where those of any column do.

    Parquet's pages end where chunks do, so the bytes of a dataset would be others.
    """
    with pa.ipc.new_stream(sink, column.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as stream:
        stream.write_table(column)


def _read(file: zipfile.ZipFile) -> Outcome:
    about = json.loads(file.read(_OUTCOME))
    source = io.BytesIO(file.read(_TABLES))

    def columns(number: int) -> list[pa.Table]:
        return [pa.ipc.open_stream(source).read_all() for _ in range(number)]

    units = columns(1)[0]["units"].combine_chunks()
    tables = {name: _beside(columns(about["columns"][name])) for name in _NAMES}
    files = {name: file.read(place) for name, place in about["files"].items()}
    return Outcome(units, **tables, combinations=about["combinations"], files=files)


def _beside(columns: list[pa.Table]) -> pa.Table:
    schema = pa.schema([column.schema.field(0) for column in columns], columns[0].schema.metadata)
    return pa.Table.from_arrays([column.column(0) for column in columns], schema=schema)
