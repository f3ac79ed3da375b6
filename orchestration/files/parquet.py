"""Turn outcomes into files with reproducible bytes: Parquet for rows, and a step's other files.

Belongs here: the pinned options of the only writer. Every dataset's code version includes this module. Not
here: the names of part files (ops/core/parts.py), where the files are published (publish.py).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from silverloom.ops.core.counts import total
from silverloom.ops.core.outcome import Outcome, Shape, of_role, unchecked
from silverloom.ops.core.parts import COMBINATIONS, FILES, TABLES, part_name
from silverloom.orchestration.files.publish import write_files


def write_outcomes(folder: Path, outcomes: Iterable[Outcome], shape: Shape) -> dict[str, Any]:
    """Write three tables per part, and the step's other files; return the counts of their rows.

    The other files go to a folder of their own, `__files`, which readers of the dataset skip. A step without
    parts writes one empty part, so that "nothing came in" is a file and not an absence. Raises
    pyarrow.ArrowInvalid if a table does not have its declared columns, ValueError if one of the other files
    leaves its folder or occurs twice.
    """
    parts: list[dict[str, Any]] = []
    for outcome in outcomes:
        write_part(folder, len(parts), outcome, shape)
        write_files(folder / FILES, outcome.files.items())
        parts.append(_counts(outcome))
    if not parts:
        write_part(folder, 0, Outcome.of(shape, [], []), shape)
    counts = total(parts)
    if combinations := counts.get("combinations"):
        (folder / COMBINATIONS).parent.mkdir()
        (folder / COMBINATIONS).write_text(json.dumps(combinations, sort_keys=True))
    return counts


def _counts(outcome: Outcome) -> dict[str, Any]:
    rows = {name: getattr(outcome, name).num_rows for name in TABLES}
    reasons = Counter(outcome.dropped["reason"].to_pylist())
    return {**rows, "reasons": reasons, "combinations": outcome.combinations}


def write_part(folder: Path, index: int, outcome: Outcome, shape: Shape) -> None:
    """Write the three tables of one part."""
    for name in TABLES:
        table: pa.Table = getattr(outcome, name)
        (folder / part_name(name, index)).parent.mkdir(exist_ok=True)
        path, rows = folder / part_name(name, index), _declared(table, getattr(shape, name))
        if name == "kept" and not rows.num_rows:
            _writer(rows.schema, path).close()  # `datasets` fails on a row group without rows
        else:
            write_table(rows, path)


def _declared(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return a table with the columns of a schema; vectors keep the length that the step gave them.

    Arrow's schema, which the files of vectors hold, does not say what checks expect: that changes no bytes.
    """
    vectors = of_role(schema, "vector")
    fields = [
        field.with_type(table.schema.field(field.name).type) if field.name in vectors else unchecked(field)
        for field in schema
    ]
    return table.cast(pa.schema(fields))


def write_table(table: pa.Table, path: Path) -> None:
    """Write one table with pinned options and without pandas metadata; Arrow's is kept if a type needs it."""
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
        store_schema=any(map(pa.types.is_fixed_size_list, schema.types)),  # not a Parquet type
    )
