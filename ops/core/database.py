"""A database on disk for one step: DuckDB, which spills what does not fit into memory.

Belongs here: its settings, and how rows get in. Not here: queries (joins.py, and steps that have their own).
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    import duckdb

#: What a join may hold in memory; beyond it DuckDB writes to disk.
MEMORY = "2GB"
_THREADS = 2


@contextmanager
def database(folder: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a new database, which spills into `folder`, which is made.

    It keeps no order of rows: every query whose rows are read states one.
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


def insert(database: duckdb.DuckDBPyConnection, name: str, rows: pa.Table) -> None:
    """Put rows into a table of a database, which is made with their columns where it is not there."""
    database.register("inserted", rows)
    database.execute(f"CREATE TABLE IF NOT EXISTS {name} AS FROM inserted LIMIT 0")
    database.execute(f"INSERT INTO {name} FROM inserted")
    database.unregister("inserted")
