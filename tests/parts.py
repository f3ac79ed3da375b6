"""Write rows as part files, for ops that read the parts of a dataset."""

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from silverloom.ops.core.parts import OneProcess, Part, Parts


@dataclass(frozen=True)
class InMemory:
    """A part that is not a file."""

    table: pa.Table

    @property
    def rows(self):
        return len(self.table)

    def read(self, columns=None):
        return self.table.select(columns) if columns else self.table


def in_memory(*tables):
    """Return tables as the parts of a dataset."""
    return Parts(tables[0].schema, tuple(map(InMemory, tables)), OneProcess())


def parts(folder, schema, *tables):
    """Write tables, or lists of rows, as the parts of a dataset; columns that a row leaves out are null."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for rows in tables:
        path = folder / f"kept-{len(list(folder.iterdir())):05d}.parquet"
        if not isinstance(rows, pa.Table):
            whole = [{"source_ids": [], "licence": "MIT", **row} for row in rows]
            rows = pa.Table.from_pylist(whole, schema=schema)
        pq.write_table(rows, path)
        written.append(Part(str(path)))
    return Parts(schema, tuple(written), OneProcess())


def dealt(folder, schema, rows, several=2):
    """Write rows as several parts: no result may depend on which part a row is in."""
    return parts(folder, schema, *(rows[number::several] for number in range(several)))
