"""What pages read of datasets: rows of a table, and JSON files that lie beside it.

Belongs here: reading, by columns and values. Not here: what any of them holds, counts (lineage/rows.py).
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from assets.declare.report import Everything
from ops.outcome import Row
from ops.parts import FILES
from orchestration.lineage.rows import tables


def rows(
    everything: Everything,
    name: str,
    columns: Sequence[str] | None = None,
    table: str = "kept",
    month: str | None = None,
    at_once: int = 10_000,
    **wanted: Collection[Any],
) -> Iterator[Row]:
    """Yield the rows of a dataset, or of one month of it, that have `wanted` values: `id={"a", "b"}`.

    Only so many rows `at_once` are Python objects. Of a dataset or month that is not there are no rows.
    """
    for part in parts(everything, name, columns, table, month):
        for column, values in wanted.items():
            known = pa.array(list(values), part[column].type)
            part = part.filter(pc.is_in(part[column], value_set=known))
        for batch in part.to_batches(max_chunksize=at_once):
            yield from batch.to_pylist()


def parts(
    everything: Everything,
    name: str,
    columns: Sequence[str] | None = None,
    table: str = "kept",
    month: str | None = None,
) -> Iterator[pa.Table]:
    """Yield a table of a dataset, or of one month of it, part by part; nothing of what is not there."""
    months = everything.get(name, {})
    for folder in months.values() if month is None else filter(None, [months.get(month)]):
        yield from tables(folder, table, columns)


def value_counts(columns: Iterable[pa.Array | pa.ChunkedArray]) -> Counter[str]:
    """Return how often each value stands in some columns."""
    counts: Counter[str] = Counter()
    for column in columns:
        counts.update({entry["values"]: entry["counts"] for entry in column.value_counts().to_pylist()})
    return counts


def grouped(found: Iterable[Row], column: str) -> dict[str, list[Row]]:
    """Return rows by what they have in a column; of what none has there is an empty list."""
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in found:
        groups[row[column]].append(row)
    return groups


def side_file(everything: Everything, name: str, file: str) -> Any:
    """Return what a JSON file beside the rows of a dataset holds, None where it is not there.

    Raises ValueError naming a file that cannot be read.
    """
    for folder in everything.get(name, {}).values():
        path = folder / FILES / file
        if path.is_file():
            try:
                return json.loads(path.read_bytes())
            except ValueError as error:
                raise ValueError(f"{path} cannot be read as JSON: {error}; make {name} again") from error
    return None


def shortened(text: str | None, most: int) -> str:
    """Return a text as a line can show it: cut, with a mark, where it is longer than `most`."""
    text = text or ""
    return text if len(text) <= most else f"{text[:most]}…"
