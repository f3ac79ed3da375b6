"""Turn outcomes into files that are the same bytes every time: Parquet for rows, and what lies beside them.

Belongs here: the pinned options of the one writer. Every dataset's code version includes this module. Not
here: the names of part files (ops/core/parts.py), where the files are published (publish.py).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ops.core.outcome import Outcome, Shape, of_role
from ops.core.parts import COMBINATIONS, FILES, TABLES, part_name
from orchestration.files.publish import write_files


def write_outcomes(folder: Path, outcomes: Iterable[Outcome], shape: Shape) -> list[pa.Array]:
    """Write three files a part, and those that its step made besides; return the input units of each part.

    The latter lie in a folder of their own, `__files`, which readers of the folder pass over as well.
    A step without parts writes one empty part, so that "nothing came in" is a file and not an absence.
    Raises pyarrow.ArrowInvalid when a table does not have its declared columns, ValueError for a file of the
    step's that leaves its folder or is there twice.
    """
    units: list[pa.Array] = []
    combinations: Counter[str] = Counter()
    for outcome in outcomes:
        write_part(folder, len(units), outcome, shape)
        write_files(folder / FILES, outcome.files.items())
        units.append(outcome.units)
        combinations.update(outcome.combinations)
    if not units:
        write_part(folder, 0, Outcome.of(shape, [], []), shape)
    if combinations:
        (folder / COMBINATIONS).parent.mkdir()
        (folder / COMBINATIONS).write_text(json.dumps(combinations, sort_keys=True))
    return units


def write_part(folder: Path, index: int, outcome: Outcome, shape: Shape) -> None:
    """Write the three tables of one part."""
    for name in TABLES:
        table: pa.Table = getattr(outcome, name)
        (folder / part_name(name, index)).parent.mkdir(exist_ok=True)
        path, rows = folder / part_name(name, index), _declared(table, getattr(shape, name))
        if name == "kept" and not rows.num_rows:
            _writer(rows.schema, path).close()  # datasets fails at a row group without rows
        else:
            write_table(rows, path)


def _declared(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return a table with the columns of a schema; its vectors have the size that the step gave them."""
    vectors = of_role(schema, "vector")
    fields = [
        field.with_type(table.schema.field(field.name).type) if field.name in vectors else field
        for field in schema
    ]
    return table.cast(pa.schema(fields))


def write_table(table: pa.Table, path: Path) -> None:
    """Write one table with pinned options, without metadata of pandas; Arrow's is where a type needs it."""
    with _writer(table.schema, path) as writer:
        writer.write_table(table.replace_schema_metadata(None), row_group_size=65_536)


def _writer(schema: pa.Schema, path: Path) -> pq.ParquetWriter:
    return pq.ParquetWriter(
        path,
        schema.remove_metadata(),
        version="2.6",
        data_page_version="1.0",
        compression="zstd",
        compression_level=3,
        use_dictionary=True,
        write_statistics=True,
        store_schema=any(map(pa.types.is_fixed_size_list, schema.types)),  # no type of Parquet's
    )
