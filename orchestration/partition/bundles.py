"""Files of named bytes that end with a checksum, and outcomes in them.

Belongs here: the format of finished parts and training checkpoints. Not here: where these are stored and when
they are used (resume.py).
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa

from silverloom.ops.core.outcome import Outcome
from silverloom.ops.core.parts import TABLES
from silverloom.orchestration.files.local_state import UnreadableError, read_state, tell_unreadable
from silverloom.orchestration.files.publish import writing

_ABOUT = "about.json"


def pack(outcome: Outcome) -> dict[str, bytes]:
    """Return an outcome as named bytes, with a stream for each column.

    In a stream of the whole table, chunks would end where those of any column do. Parquet pages end with
    chunks, so the dataset's bytes would change.
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


def unpack(contents: Mapping[str, bytes]) -> Outcome:
    """Return the outcome that `pack` turned into named bytes."""
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


_CHECKSUM = hashlib.md5(usedforsecurity=False).digest_size


def write_bundle(path: Path, contents: Mapping[str, bytes], sync: bool = True) -> str:
    """Write named contents and return the checksum. On DiskFullError, the former file stays.

    Without `sync`, a power cut may tear the file; the checksum then shows it.
    """
    return write_zipped(path, zipped(contents), sync)


def write_zipped(path: Path, content: bytes, sync: bool = True) -> str:
    """Write the result of `zipped`, like `write_bundle`."""
    checksum = _checksum(content)
    with writing(path, sync) as temporary, temporary.open("wb") as file:
        file.write(content)
        file.write(checksum)
    return checksum.hex()


def zipped(contents: Mapping[str, bytes]) -> bytes:
    """Return named contents as one archive, without compression: columns are compressed already."""
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as file:
        for name, content in contents.items():
            file.writestr(name, content)
    return sink.getvalue()


def read_bundle(path: Path, then: str, checksum: str | None = None) -> dict[str, bytes] | None:
    """Return a file's contents, or None. If it is unreadable, a line says so and what happens `then`.

    With `checksum`, a file with another checksum counts as unreadable.
    """
    try:
        content = read_state(path)
        if content is None:
            return None
        stored = content[-_CHECKSUM:]
        if stored != _checksum(content[:-_CHECKSUM]) or stored.hex() != (checksum or stored.hex()):
            raise UnreadableError("its checksum does not match its content")
    except UnreadableError as error:
        tell_unreadable(path, str(error), then)
        return None
    return unzipped(content[:-_CHECKSUM])


def unzipped(content: bytes) -> dict[str, bytes]:
    """Return the contents that `zipped` put into one archive."""
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        return {name: file.read(name) for name in file.namelist()}


def _checksum(content: bytes) -> bytes:
    return hashlib.md5(content, usedforsecurity=False).digest()
