"""The rows that broke an expectation, kept whole, every one of them.

Belongs here: writing them beside the data, outside of the dataset's own folder (which DVC tracks), and
removing them when the partition passes again. Not here: what is expected of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from assets.declare.declaration import Declaration
from orchestration.files.damage import remove_file
from orchestration.files.parquet import TABLES
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
    broken: dict[str, dict[int, list[str]]] = {table: defaultdict(list) for table in TABLES}
    for result in results:
        for row in result.rows if result.expectation.table in TABLES else ():
            broken[result.expectation.table][row].append(result.expectation.name)
    written = []
    for table, rows in broken.items():
        path = failing_file(workspace, item, month, table)
        if rows:
            _write(path, _rows(folder, table, rows))
            written.append(path)
        else:
            remove_file(path)
    return written


def drop_failing(workspace: Workspace, item: Declaration, month: str) -> None:
    """Remove the failing rows of a partition that is no more, or that passed what is expected now."""
    for table in TABLES:
        remove_file(failing_file(workspace, item, month, table))


def _write(path: Path, parts: Iterator[pa.Table]) -> None:
    first = next(parts)
    with writing(path) as temporary, pq.ParquetWriter(temporary, first.schema, compression="zstd") as file:
        for part in chain([first], parts):
            file.write_table(part)


def _rows(folder: Path, table: str, broken: Mapping[int, list[str]]) -> Iterator[pa.Table]:
    """Yield the failing rows of each part file that has some."""
    before = 0
    for path in sorted(folder.glob(f"{table}-*.parquet")):
        number = pq.read_metadata(path).num_rows
        places = [place for place in range(before, before + number) if place in broken]
        if places:
            rows = pq.read_table(path).take([place - before for place in places])
            names = pa.array([broken[place] for place in places], pa.list_(pa.string()))
            yield rows.append_column("failed", names)
        before += number
