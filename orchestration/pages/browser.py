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
from orchestration.lineage.ancestry import Ancestry, RowPlace
from orchestration.lineage.rows import Counted, read
from orchestration.pages.cells import cells, columns, fitted
from orchestration.pages.html import render
from orchestration.pages.sampling import LIMIT
from orchestration.pages.text_pairs import text_pairs

#: Measures that are one number a row.
_OF_ROWS = ("", "words", "characters", "length")


def pages(
    ancestry: Ancestry,
    numbers: Mapping[str, Counted],
    shown: Mapping[str, Sequence[RowPlace]],
    pages_of: Mapping[str, str] | None = None,
) -> Files:
    """Yield the index of the datasets, and for each a page of the rows that are shown of it.

    `pages_of` are pages that systems add, by the ids of the rows that lead to them.
    """
    yield index(numbers)
    for name, places in shown.items():
        yield page(ancestry, numbers[name], places, pages_of or {})


def index(numbers: Mapping[str, Counted]) -> tuple[str, bytes]:
    """Return the index of the datasets."""
    lengths = {
        name: min(LIMIT, sum(dataset.total(table) for table in TABLES)) for name, dataset in numbers.items()
    }
    return render("rows.html", "rows-index.html", "Rows", numbers=list(numbers.values()), shown=lengths)


def page(
    ancestry: Ancestry, dataset: Counted, places: Sequence[RowPlace], pages_of: Mapping[str, str]
) -> tuple[str, bytes]:
    """Return the page of the rows of one dataset."""
    name, data = dataset.item.name, _data(ancestry, dataset.item, places, pages_of)
    return render(
        page_path(name, "rows"),
        "rows.html",
        f"Rows of {name}",
        data={**data, "totals": {table: dataset.total(table) for table in TABLES}},
        dataset=dataset,
        shown={table: sum(place.file.table == table for place in places) for table in TABLES},
    )


def _data(
    ancestry: Ancestry, item: Declaration, places: Sequence[RowPlace], pages_of: Mapping[str, str]
) -> dict[str, Any]:
    of_rows = (name for name in item.measures if name.partition(".")[2] in _OF_ROWS)
    measures = list(dict.fromkeys(["score", *of_rows]))
    months = sorted({place.file.month for place in places})
    found: dict[str, list[dict[str, Any]]] = {}
    compared: list[list[str]] = []
    rows: list[dict[str, Any]] = []
    contents: list[list[Any]] = []
    for kind in TABLES:
        chosen = [place for place in places if place.file.table == kind]
        if not chosen:
            continue
        table, declared = _table(chosen), getattr(item.shape, kind)
        found[kind] = [column._asdict() for column in columns(table, declared)]
        contents += cells(table, len(places), declared)
        pairs: list[dict[str, Any]] = [{}] * len(chosen)
        if kind == "kept" and item.text_pair:
            compared, pairs = text_pairs(ancestry, item, table)
        of_measures = zip(*(_numbers(table, name) for name in measures), strict=True)
        rows += [
            {
                "table": TABLES.index(kind),
                "month": months.index(place.file.month),
                "measures": values,
                **pair,
                **page,
            }
            for place, values, pair, page in zip(
                chosen, of_measures, pairs, _pages(table, pages_of), strict=True
            )
        ]
    return {
        "name": item.name,
        "months": months,
        "measures": measures,
        "columns": found,
        "text_pair": item.text_pair,
        "compared": compared,
        "rows": [row | {"cells": content} for row, content in zip(rows, fitted(contents), strict=True)],
    }


def _pages(table: pa.Table, pages_of: Mapping[str, str]) -> list[dict[str, str]]:
    """Return of each row the page of what it is, or of what it names; nothing where there is none."""
    found: list[dict[str, str]] = [{}] * len(table)
    for name in table.column_names if pages_of else ():
        if name == "id" or name.endswith("_id"):
            pages = map(pages_of.get, table[name].to_pylist())
            found = [row or ({"page": page} if page else {}) for row, page in zip(found, pages, strict=True)]
    return found


def _table(places: Sequence[RowPlace]) -> pa.Table:
    """Return the rows at some places, which stand file by file."""
    files = dict.fromkeys(place.file for place in places)
    indices = {file: [place.index for place in places if place.file is file] for file in files}
    return pa.concat_tables([read(file.path).take(pa.array(rows)) for file, rows in indices.items()])


def _numbers(table: pa.Table, name: str) -> list[float | None]:
    column = name.partition(".")[0]
    # A dropped row is a unit, which may have a list by the name of a number of the kept rows.
    if column not in table.column_names or (column == name and pa.types.is_nested(table[column].type)):
        return [None] * len(table)
    return json_ready(measure(table, name).to_pylist())  # type: ignore[no-any-return]
