"""The rows that broke an expectation, kept whole, every one of them.

Belongs here: writing them beside the data, outside of the dataset's own folder (which DVC tracks), and
removing them when the partition passes again. Not here: what is expected of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from assets.declare.declaration import Declaration
from orchestration.files.damage import remove_file
from orchestration.files.parquet import TABLES, part_files
from orchestration.files.publish import writing
from orchestration.state.validation_history import Result
from orchestration.workspace.workspace import Workspace


def failing_file(workspace: Workspace, item: Declaration, month: str, table: str = "kept") -> Path:
    """Return where a partition's failing rows lie: `<month>.parquet`, or `<month>.dropped.parquet`."""
    suffix = "" if table == "kept" else f".{table}"
    return workspace.quality.joinpath("failing", *item.key.path, f"{month or 'all'}{suffix}.parquet")


def keep_failing(
    workspace: Workspace, item: Declaration, month: str, folder: Path, results: Iterable[Result]
) -> list[Path]:
    """Write the rows that failed, each once with the names of what it `failed`; return the files.

    A table of which nothing failed has no file.
    """
    broken: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for result in results:
        for row in result.rows:
            broken[result.expectation.table][row].append(result.expectation.name)
    written = []
    for table in TABLES:
        path = failing_file(workspace, item, month, table)
        if broken[table]:
            _write(path, part_files(folder, table), broken[table])
            written.append(path)
        else:
            remove_file(path)
    return written


def drop_failing(workspace: Workspace, item: Declaration, month: str) -> None:
    """Remove the failing rows of a partition that is no more, or that passed what is expected now."""
    for table in TABLES:
        remove_file(failing_file(workspace, item, month, table))


def _write(path: Path, parts: Iterable[Path], broken: Mapping[int, list[str]]) -> None:
    """Write the failing rows of part files, one part at a time."""
    first, *_ = parts
    failed = pa.field("failed", pa.list_(pa.string()))
    schema = pq.read_schema(first).append(failed)
    before = 0
    with writing(path) as temporary, pq.ParquetWriter(temporary, schema, compression="zstd") as file:
        for part in parts:
            number = pq.read_metadata(part).num_rows
            if places := [place for place in range(before, before + number) if place in broken]:
                rows = pq.read_table(part).take([place - before for place in places])
                names = pa.array([broken[place] for place in places], failed.type)
                file.write_table(rows.append_column(failed, names))
            before += number
