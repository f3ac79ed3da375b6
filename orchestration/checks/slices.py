"""Validating a table in bounded memory: slices of its rows, rows that occur twice, and results put together.

Belongs here: what is in memory at a time. Not here: expectations (validate.py), how they are evaluated
(evaluate.py).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from silverloom.ops.core.database import database, escaped_paths
from silverloom.ops.core.parts import temporary_folder
from silverloom.ops.core.row_measures import measured
from silverloom.orchestration.checks.results import Result

#: A slice ends after this many rows or bytes.
ROWS, BYTES = 65_536, 64_000_000
#: Rows that are read at a time.
_BATCH = 4_096


def slices(paths: Sequence[Path], names: Collection[str]) -> Iterator[pa.Table]:
    """Yield the columns and measures of a table in consecutive slices; at least one, perhaps empty."""
    columns = sorted({name.partition(".")[0] for name in names})

    def chosen(rows: pa.Table) -> pa.Table:
        return pa.table({name: measured(rows, name) for name in names})

    held: list[pa.Table] = []
    empty = True
    for path in paths:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(_BATCH, columns=columns):
                held.append(chosen(pa.Table.from_batches([batch])))
                empty = False
                if sum(map(len, held)) >= ROWS or sum(table.nbytes for table in held) >= BYTES:
                    yield pa.concat_tables(held)
                    held = []
    if empty:
        held = [chosen(pq.read_table(path, columns=columns)) for path in paths]
    if held:
        yield pa.concat_tables(held)


def repeated(
    paths: Sequence[Path], columns: Sequence[str], scratch: Path | None
) -> tuple[pa.Table, list[int]]:
    """Return the rows whose values in some columns occur more than once, and their positions in the table."""
    listed = ", ".join(f'"{name}"' for name in columns)
    qualified = ", ".join(f'rows."{name}"' for name in columns)
    same = " AND ".join(f'rows."{name}" IS NOT DISTINCT FROM twice."{name}"' for name in columns)
    query = f"""
        WITH twice AS (
            SELECT {listed} FROM read_parquet($paths, hive_partitioning = false)
            GROUP BY {listed} HAVING count(*) > 1
        )
        SELECT {qualified}, rows.file_index AS __file, rows.file_row_number AS __row
        FROM read_parquet($paths, file_row_number = true, hive_partitioning = false) AS rows
        JOIN twice ON {same}
        ORDER BY rows.file_index, rows.file_row_number
    """  # noqa: S608  column names come from our own schema
    with temporary_folder(scratch) as folder, database(folder / "repeated") as opened:
        rows = opened.sql(query, params={"paths": escaped_paths(paths)}).to_arrow_table()
    begins = np.cumsum([0, *(pq.read_metadata(path).num_rows for path in paths)])
    positions = begins[rows["__file"].to_numpy()] + rows["__row"].to_numpy()
    return rows.select(list(columns)), positions.tolist()


def joined(of_slices: Sequence[tuple[int, Result]]) -> Result:
    """Return the results for the slices of a table, each with its first row's position, as one."""
    results = [result for _, result in of_slices]
    if failed := [result for result in results if result.exception]:
        return failed[0]
    first = tuple(islice(chain.from_iterable(result.first for result in results), 3))
    elements = sum(result.elements for result in results)
    return replace(
        results[0],
        passed=all(result.passed for result in results),
        unexpected=sum(result.unexpected for result in results),
        observed=described(first, elements),
        rows=[start + row for start, result in of_slices for row in result.rows],
        first=first,
        elements=elements,
    )


def described(first: Iterable[str], elements: int) -> str:
    """Return the first unexpected values as text, or the number of rows if there are none."""
    return ", ".join(dict.fromkeys(first)) or f"{elements} rows"
