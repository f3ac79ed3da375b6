"""A temporary on-disk database for one step: DuckDB, which spills what does not fit into memory.

Belongs here: its settings, names of files in queries, and inserting rows. Not here: queries (joins.py, and
steps that have their own).
"""

from __future__ import annotations

import os
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
THREADS = 2

#: An instance of DuckDB that no step uses: to start one takes as long as a small join.
_idle: list[duckdb.DuckDBPyConnection] = []
# A child that inherited an instance would wait for threads that it does not have.
os.register_at_fork(before=_idle.clear)


@contextmanager
def database(folder: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Create `folder` and yield a new database that spills into it.

    The database does not preserve row order: a query whose rows are read needs its own ORDER BY.
    """
    folder.mkdir(parents=True)
    try:
        instance = _idle.pop()
    except IndexError:
        instance = _started()
    spilled = folder / "spilled"
    instance.execute("SET temp_directory = $1", [str(spilled)])
    instance.execute("SET memory_limit = $1", [MEMORY])
    instance.execute("SET threads = $1", [THREADS])
    with instance.cursor() as connected:
        yield connected
    for (name,) in instance.execute("SELECT table_name FROM duckdb_tables()").fetchall():
        instance.execute(f'DROP TABLE "{name}"')
    if spilled.exists():  # DuckDB keeps to the first folder that it has used
        instance.close()
        shutil.rmtree(spilled, ignore_errors=True)
    else:
        _idle[:] = [instance]


def _started() -> duckdb.DuckDBPyConnection:
    import duckdb  # late: not every command joins

    # nothing is fetched
    return duckdb.connect(config={"preserve_insertion_order": False, "autoinstall_known_extensions": False})


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
