"""Pages to browse the rows that a dataset kept, dropped and rejected, with filters and sorting.

Belongs here: the data of such a page: columns by kind, and cells, with long texts and lists cut. Not here:
the choice of rows (sampling.py), what a text is compared with (text_pairs.py), where rows come from
(lineage.py), and how the browser draws them (static/rows.js).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from silverloom.assets.declare.declaration import Dataset
from silverloom.assets.declare.graph import Files
from silverloom.assets.rows.ancestry import Ancestry, RowPlace
from silverloom.assets.rows.reading import Counted, read
from silverloom.ops.core.measures import count_words, measure
from silverloom.ops.core.outcome import DROP_COLUMNS, NAME, REJECT_COLUMNS, TEXT, TRANSCRIPT, Row, role
from silverloom.ops.core.parts import TABLES
from silverloom.pages.html import json_ready, render
from silverloom.pages.paths import page_path
from silverloom.pages.sampling import LIMIT, fair
from silverloom.pages.text_pairs import text_pairs

#: Measures with one number per row.
_OF_ROWS = ("", "words", "characters", "length")

#: The most characters of all rows of a page together, and items of its lists.
CHARACTERS, ITEMS = 6_000_000, 300_000
_SECONDS, _WORDS = 15.0, 40
_LEAST_WORDS = 4.5
_WHY = frozenset({*DROP_COLUMNS.names, *REJECT_COLUMNS.names})

#: A text is a string, or [its beginning, its full length]. Anything with items is a mapping of their number
#: `n` and the first of them, `v`.
Cell = Any


def pages(
    ancestry: Ancestry,
    numbers: Mapping[str, Counted],
    shown: Mapping[str, Sequence[RowPlace]],
    pages_of: Mapping[str, str] | None = None,
) -> Files:
    """Yield the index of datasets, and for each dataset a page of its shown rows.

    `pages_of` are pages that systems add, by the ids of the rows that link to them.
    """
    lengths = {
        name: min(LIMIT, sum(counted.total(table) for table in TABLES)) for name, counted in numbers.items()
    }
    yield render("rows.html", "rows-index.html", "Rows", numbers=list(numbers.values()), shown=lengths)
    for name, places in shown.items():
        counted = numbers[name]
        yield render(
            page_path(name, "rows"),
            "rows.html",
            f"Rows of {name}",
            data={
                **_data(ancestry, counted.dataset, places, pages_of or {}),
                "totals": {table: counted.total(table) for table in TABLES},
            },
            counted=counted,
            shown={table: sum(place.file.table == table for place in places) for table in TABLES},
        )


class Column(NamedTuple):
    """A column of a table: the kind of its values, and the part of a row's card that shows it."""

    name: str
    kind: str
    """`text`, `value`, `words` (of a transcript), `ranges`, `table`, `list` or `numbers`."""
    part: str
    """`texts`, `why`, `facts` or `names`."""
    fields: tuple[str, ...] = ()


def columns(table: pa.Table, declared: pa.Schema | None = None) -> list[Column]:
    """Return a table's columns, with the roles of the `declared` schema, else of the table's own.

    A column counts as text to read if its values have several words on average.
    """
    described = []
    for field in _declared(table, declared):
        kind, fields = _kind(field)
        described.append(Column(field.name, kind, _part(field, kind, table[field.name]), fields))
    return described


def cells(table: pa.Table, shown: int, declared: pa.Schema | None = None) -> Iterator[list[Cell]]:
    """Yield the cells of each row, cut so that `shown` rows share the page; `declared` as in `columns`."""
    most = max(2_000, 4 * CHARACTERS // max(shown, 1))
    items = max(50, ITEMS // max(shown, 1))
    fields = _declared(table, declared)
    yield from map(list, zip(*(_cells(table[f.name], f, most, items) for f in fields), strict=True))


def fitted(rows: Sequence[list[Cell]], total: int = CHARACTERS) -> list[list[Cell]]:
    """Return rows cut to about `total` characters together; the longest lose the most."""
    weights = [[_weight(cell) for cell in row] for row in rows]
    shares = fair([sum(of_row) for of_row in weights], total)
    return [
        row
        if sum(of_row) <= share
        else [_cut(cell, most) for cell, most in zip(row, fair(of_row, share), strict=True)]
        for row, of_row, share in zip(rows, weights, shares, strict=True)
    ]


def _data(
    ancestry: Ancestry, dataset: Dataset, places: Sequence[RowPlace], pages_of: Mapping[str, str]
) -> dict[str, Any]:
    of_rows = (name for name in dataset.measures if name.partition(".")[2] in _OF_ROWS)
    measures = list(dict.fromkeys(["score", *of_rows]))
    partitions = sorted({place.file.partition for place in places})
    by_kind: dict[str, list[dict[str, Any]]] = {}
    compared: list[list[str]] = []
    rows: list[dict[str, Any]] = []
    contents: list[list[Any]] = []
    for kind in TABLES:
        chosen = [place for place in places if place.file.table == kind]
        if not chosen:
            continue
        table, declared = _table(chosen), getattr(dataset.shape, kind)
        by_kind[kind] = [column._asdict() for column in columns(table, declared)]
        contents += cells(table, len(places), declared)
        pairs: list[dict[str, Any]] = [{}] * len(chosen)
        if dataset.text_pair and (kind == "kept" or {*dataset.text_pair} <= {*table.column_names}):
            compared, pairs = text_pairs(ancestry, dataset, table)
        of_measures = zip(*(numbers_of(table, name) for name in measures), strict=True)
        rows += [
            {
                "table": TABLES.index(kind),
                "partition": partitions.index(place.file.partition),
                "measures": values,
                **pair,
                **page,
            }
            for place, values, pair, page in zip(
                chosen, of_measures, pairs, page_links(table, pages_of), strict=True
            )
        ]
    return {
        "name": dataset.name,
        "partitions": partitions,
        "measures": measures,
        "columns": by_kind,
        "text_pair": dataset.text_pair,
        "compared": compared,
        "rows": [row | {"cells": content} for row, content in zip(rows, fitted(contents), strict=True)],
    }


def page_links(table: pa.Table, pages_of: Mapping[str, str]) -> list[dict[str, str]]:
    """Return for each row the page about it, or about what it names; empty if no page exists."""
    links: list[dict[str, str]] = [{}] * len(table)
    for name in table.column_names if pages_of else ():
        if name == "id" or name.endswith("_id"):
            pages = map(pages_of.get, table[name].to_pylist())
            links = [row or ({"page": page} if page else {}) for row, page in zip(links, pages, strict=True)]
    return links


def _table(places: Sequence[RowPlace]) -> pa.Table:
    """Return the rows at some places, which are grouped by file."""
    files = dict.fromkeys(place.file for place in places)
    indices = {file: [place.index for place in places if place.file is file] for file in files}
    return pa.concat_tables([read(file.path).take(pa.array(rows)) for file, rows in indices.items()])


def numbers_of(table: pa.Table, name: str) -> list[float | None]:
    """Return a measure of each row; None where it is missing."""
    column = name.partition(".")[0]
    # A dropped row is an input unit; it may have a list under a name that is a number in kept rows.
    if column not in table.column_names or (column == name and pa.types.is_nested(table[column].type)):
        return [None] * len(table)
    return json_ready(measure(table, name).to_pylist())  # type: ignore[no-any-return]


def _declared(table: pa.Table, declared: pa.Schema | None) -> list[pa.Field]:
    """Return the fields of a table, as declared if the type is the same: files carry no roles."""
    known = {field.name: field for field in declared or ()}
    pairs = ((field, known.get(field.name, field)) for field in table.schema)
    return [declared_field if declared_field.type == field.type else field for field, declared_field in pairs]


def _kind(field: pa.Field) -> tuple[str, tuple[str, ...]]:
    kind, field_role = field.type, role(field)
    if not isinstance(kind, pa.ListType | pa.FixedSizeListType):
        return ("text" if pa.types.is_string(kind) or pa.types.is_binary(kind) else "value"), ()
    inner = kind.value_type
    if not pa.types.is_struct(inner):
        return ("list" if pa.types.is_string(inner) else "numbers"), ()
    if field_role == TRANSCRIPT:
        return "words", tuple(part.name for part in inner)
    if field_role and field_role.name == "spans":
        return "ranges", tuple(part.name for part in inner)
    # texts first, names last
    order = sorted(inner, key=lambda part: (role(part) != TEXT, _is_name(part)))
    return "table", tuple(part.name for part in order)


def _part(field: pa.Field, kind: str, values: pa.ChunkedArray) -> str:
    if field.name in _WHY:
        return "why"
    if _is_name(field):
        return "names"
    if kind in ("words", "table", "list") or role(field) == TEXT or pa.types.is_binary(field.type):
        return "texts"
    words = pc.mean(count_words(pc.utf8_slice_codeunits(values, 0, 400))).as_py() if kind == "text" else None
    return "texts" if (words or 0) >= _LEAST_WORDS else "facts"


def _is_name(field: pa.Field) -> bool:
    return role(field) == NAME or field.name == "id" or field.name.endswith(("_id", "_ids"))


def _cells(values: pa.ChunkedArray, field: pa.Field, most: int, items: int) -> Iterable[Cell]:
    kind, fields = _kind(field)
    if kind == "value":
        return json_ready(values.to_pylist())  # type: ignore[no-any-return]
    if kind == "text":
        binary = pa.types.is_binary(values.type)
        lengths = (pc.binary_length if binary else pc.utf8_length)(values).to_pylist()
        starts = (pc.binary_slice if binary else pc.utf8_slice_codeunits)(values, 0, most).to_pylist()
        texts = zip(json_ready(starts), lengths, strict=True)
        return [text if text is None or length <= most else [text, length] for text, length in texts]
    lists = zip(
        pc.list_slice(values, 0, items).to_pylist(), pc.list_value_length(values).to_pylist(), strict=True
    )
    return [None if part is None else {"n": n, "v": _items(part, kind, fields)} for part, n in lists]


def _items(part: list[Any], kind: str, fields: Sequence[str]) -> list[Any]:
    if kind == "words":
        return _runs(part)
    values = [[entry[name] for name in fields] for entry in part] if fields else part
    return json_ready(values)  # type: ignore[no-any-return]


def _runs(spoken: Sequence[Row]) -> list[Any]:
    """Return words as passages of running text, each with its start in seconds, if known."""
    runs: list[tuple[float | None, list[str]]] = []
    for word in spoken:
        time = word["start"]
        begun, words = runs[-1] if runs else (None, [])
        over = len(words) >= _WORDS if time is None or begun is None else time - begun >= _SECONDS
        if not runs or over:
            runs.append((time, []))
        runs[-1][1].append(word["text"] or "")
    return [[time, " ".join(words)] for time, words in runs]


def _weight(cell: Cell) -> int:
    if isinstance(cell, str):
        return len(cell)
    if isinstance(cell, dict):
        return _weight(cell["v"])
    if isinstance(cell, list):
        return sum(map(_weight, cell)) + len(cell)
    return 4


def _cut(cell: Cell, most: int) -> Cell:
    if _weight(cell) <= most:
        return cell
    if isinstance(cell, str):
        return [cell[:most], len(cell)]
    if isinstance(cell, list):  # a text that is already cut
        return [cell[0][:most], cell[1]]
    if isinstance(cell, dict):
        entries, left = [], most
        for entry in cell["v"]:
            left -= _weight(entry)
            if left < 0:
                break
            entries.append(entry)
        return {"n": cell["n"], "v": entries}
    return cell
