"""Pages to browse rows: what a dataset kept, dropped and rejected, row by row, filtered and sorted.

Belongs here: what such a page holds. Not here: which rows (sampling.py), their cells (cells.py), and where
they come from (lineage.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from assets.declare.declaration import Declaration
from assets.declare.report import Files
from ops.measures import measure
from orchestration.files.json_ready import json_ready
from orchestration.files.page_paths import page_path
from orchestration.files.parquet import TABLES
from orchestration.lineage.ancestry import Ancestry, File, Place
from orchestration.lineage.rows import Counted, read
from orchestration.pages.cells import as_data, cells, columns, fitted
from orchestration.pages.html import first_line, render
from orchestration.pages.text_pairs import text_pairs

#: Measures that are one number a row.
_OF_ROWS = ("", "words", "characters", "length")


def pages(ancestry: Ancestry, numbers: Mapping[str, Counted], shown: Mapping[str, Sequence[Place]]) -> Files:
    """Yield the index of the datasets, and for each a page of the rows that are shown of it."""
    yield render(
        "rows.html",
        "rows-index.html",
        "Rows",
        numbers=list(numbers.values()),
        shown={name: len(places) for name, places in shown.items()},
        about={name: first_line(one.item.function.__doc__) for name, one in numbers.items()},
    )
    for name, places in shown.items():
        one = numbers[name]
        data = _data(ancestry, one.item, places)
        yield render(
            page_path(name, "rows"),
            "rows.html",
            f"Rows of {name}",
            data={**data, "totals": {table: one.total(table) for table in TABLES}},
            one=one,
            shown={table: sum(place.file.table == table for place in places) for table in TABLES},
        )


def _data(ancestry: Ancestry, item: Declaration, places: Sequence[Place]) -> dict[str, Any]:
    measures = ["score", *(name for name in item.measures if name.partition(".")[2] in _OF_ROWS)]
    months = sorted({place.file.month for place in places})
    entries: list[dict[str, Any]] = []
    contents: list[list[Any]] = []
    found: dict[str, list[dict[str, Any]]] = {}
    compared: list[Any] = []
    for kind in TABLES:
        chosen = [place for place in places if place.file.table == kind]
        if not chosen:
            continue
        files = dict.fromkeys(place.file for place in chosen)
        table = pa.concat_tables([_taken(chosen, file) for file in files])
        declared = getattr(item.shape, kind)
        found[kind] = as_data(columns(table, declared))
        numbers = [_numbers(table, name) for name in dict.fromkeys(measures)]
        rows = [
            {
                "table": TABLES.index(kind),
                "month": months.index(place.file.month),
                "measures": [values[number] for values in numbers],
            }
            for number, place in enumerate(chosen)
        ]
        if kind == "kept" and item.text_pair:
            pairs = text_pairs(ancestry, item, table)
            compared = pairs.texts
            for row, (text, marked) in zip(rows, pairs.of_row, strict=True):
                row |= {"text": text, "marked": marked}
        entries += rows
        contents += cells(table, len(places), declared)
    for entry, content in zip(entries, fitted(contents), strict=True):
        entry["cells"] = content
    return {
        "name": item.name,
        "months": months,
        "measures": list(dict.fromkeys(measures)),
        "columns": found,
        "text_pair": item.text_pair,
        "compared": compared,
        "rows": entries,
    }


def _taken(places: Sequence[Place], file: File) -> pa.Table:
    return read(file.path).take(pa.array([place.index for place in places if place.file is file]))


def _numbers(table: pa.Table, name: str) -> list[float | None]:
    if name.partition(".")[0] not in table.column_names:
        return [None] * len(table)
    return [json_ready(value) for value in measure(table, name).to_pylist()]
