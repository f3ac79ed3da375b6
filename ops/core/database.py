"""A temporary on-disk database for one step: DuckDB, which spills what does not fit into memory.

Belongs here: its settings, names of files in queries, and inserting rows. Not here: queries (joins.py, and
steps that have their own).
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    import duckdb

#: Memory limit of a join; beyond it DuckDB writes to disk.
MEMORY = "2GB"
_THREADS = 2


@contextmanager
def database(folder: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Create `folder` and yield a new database that spills into it.

    The database does not preserve row order: a query whose rows are read needs its own ORDER BY.
    """
    import duckdb  # late: not every command joins

    folder.mkdir(parents=True)
    settings: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": MEMORY,
        "threads": _THREADS,
        "preserve_insertion_order": False,
        "autoinstall_known_extensions": False,  # nothing is fetched
        "temp_directory": str(folder / "spilled"),
    }
    with duckdb.connect(config=settings) as connected:
        yield connected
    shutil.rmtree(folder / "spilled", ignore_errors=True)


def escaped_paths(paths: Iterable[str | Path]) -> list[str]:
    """Return paths for `read_parquet`, in which `*`, `?` and `[` would otherwise be patterns.

    A path that has one of these and a backslash cannot be read. Queries need `hive_partitioning = false`,
    too: a folder named `id=x` would otherwise replace the column `id`.
    """
    return [re.sub(r"[*?\[]", r"[\g<0>]", str(path)) for path in paths]


def insert(database: duckdb.DuckDBPyConnection, name: str, rows: pa.Table) -> None:
    """Insert rows into a table, which is created with their columns if it does not exist."""
    database.register("inserted", rows)
    database.execute(f"CREATE TABLE IF NOT EXISTS {name} AS FROM inserted LIMIT 0")
    database.execute(f"INSERT INTO {name} FROM inserted")
    database.unregister("inserted")
