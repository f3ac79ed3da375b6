"""Rows as a page holds them: every column in a form that can be read, and no more of it than a page can bear.

Belongs here: kinds of columns, and the cutting of long texts and lists. Not here: which rows are shown
(sampling.py), and how a browser draws them (static/rows.js).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ops.outcome import DROP_COLUMNS, NAME, REJECT_COLUMNS, TEXT, role
from ops.text.words import count_words
from orchestration.files.json_ready import json_ready
from orchestration.pages.sampling import fair

#: Characters of all rows of a page together, and items of its lists.
CHARACTERS, ITEMS = 6_000_000, 300_000
_SECONDS, _WORDS = 15.0, 40
_LEAST_WORDS = 4.5
_WHY = frozenset({*DROP_COLUMNS.names, *REJECT_COLUMNS.names})

#: A text is a string, or a list of its beginning and its whole length; anything with items a mapping of their
#: number `n` and the first of them, `v`.
Cell = Any


@dataclass(frozen=True)
class Column:
    """A column of a table: what is in it, and in which part of a row it is read."""

    name: str
    kind: str
    """`text`, `value`, `words` (of a transcript), `ranges`, `table`, `list` or `numbers`."""
    part: str
    """`texts`, `why`, `facts` or `names`."""
    fields: tuple[str, ...] = ()


def columns(table: pa.Table, declared: pa.Schema | None = None) -> list[Column]:
    """Return a table's columns, with roles as they are `declared`, else as its own schema has them.

    A text is to be read where its values have several words on average.
    """
    found = []
    for field in _declared(table, declared):
        kind, fields = _kind(field.type)
        found.append(Column(field.name, kind, _part(field, kind, table[field.name]), fields))
    return found


def cells(table: pa.Table, shown: int, declared: pa.Schema | None = None) -> Iterator[list[Cell]]:
    """Yield the cells of each row, where `shown` rows share the page; `declared` as of `columns`."""
    most = max(2_000, 4 * CHARACTERS // max(shown, 1))
    items = max(50, ITEMS // max(shown, 1))
    made = [
        _column(table[field.name].combine_chunks(), field.type, most, items)
        for field in _declared(table, declared)
    ]
    yield from map(list, zip(*made, strict=True))


def _declared(table: pa.Table, declared: pa.Schema | None) -> list[pa.Field]:
    """Return the fields of a table, as declared where these are of the same type: files carry no roles."""
    known = {field.name: field for field in declared or ()}
    named = [(field, known.get(field.name, field)) for field in table.schema]
    return [found if found.type == field.type else field for field, found in named]


def fitted(rows: Sequence[list[Cell]], total: int = CHARACTERS) -> list[list[Cell]]:
    """Return rows cut so that all together have about `total` characters: the longest lose the most."""
    weights = [[_weight(cell) for cell in row] for row in rows]
    shares = fair([sum(row) for row in weights], total)
    return [
        row
        if sum(own) <= share
        else [_cut(cell, most) for cell, most in zip(row, fair(own, share), strict=True)]
        for row, own, share in zip(rows, weights, shares, strict=True)
    ]


def as_data(found: Sequence[Column]) -> list[dict[str, Any]]:
    """Return columns as a page holds them."""
    return [asdict(column) for column in found]


def _kind(kind: pa.DataType) -> tuple[str, tuple[str, ...]]:
    if not pa.types.is_list(kind):
        return ("text" if pa.types.is_string(kind) or pa.types.is_binary(kind) else "value"), ()
    inner = kind.value_type
    if not pa.types.is_struct(inner):
        return ("list" if pa.types.is_string(inner) else "numbers"), ()
    fields = tuple(field.name for field in inner)
    if {"text", "offset"} <= {*fields}:
        return "words", fields
    if len(fields) == 2 and all(pa.types.is_integer(field.type) for field in inner):
        return "ranges", fields
    # texts come first here, too; names come last
    order = sorted(inner, key=lambda field: (role(field) != TEXT, _is_name(field), fields.index(field.name)))
    return "table", tuple(field.name for field in order)


def _part(field: pa.Field, kind: str, values: pa.ChunkedArray) -> str:
    if field.name in _WHY:
        return "why"
    if _is_name(field):
        return "names"
    if kind in ("words", "table", "list") or role(field) == TEXT or pa.types.is_binary(field.type):
        return "texts"
    if kind == "text":
        words = pc.mean(count_words(pc.utf8_slice_codeunits(values, 0, 400))).as_py()
        return "texts" if words is not None and words >= _LEAST_WORDS else "facts"
    return "facts"


def _is_name(field: pa.Field) -> bool:
    return role(field) == NAME or field.name == "id" or field.name.endswith(("_id", "_ids"))


def _column(values: pa.Array, declared: pa.DataType, most: int, items: int) -> list[Cell]:
    kind, fields = _kind(declared)
    if kind == "text":
        return _texts(values, most)
    if kind == "value":
        return [json_ready(value) for value in values.to_pylist()]
    make: Callable[[pa.Array], list[Any]]
    if kind == "words":
        make = _runs
    elif kind in ("table", "ranges"):
        make = lambda part: _records(part, fields)  # noqa: E731
    else:
        make = pa.Array.to_pylist
    return list(_lists(values, make, items))


def _texts(values: pa.Array, most: int) -> list[Cell]:
    if pa.types.is_binary(values.type):
        starts, lengths = pc.binary_slice(values, 0, most).to_pylist(), pc.binary_length(values).to_pylist()
        return [
            None if value is None else _text(value.decode(errors="replace"), length, length <= most)
            for value, length in zip(starts, lengths, strict=True)
        ]
    lengths = pc.utf8_length(values).to_pylist()
    texts = pc.utf8_slice_codeunits(values, 0, most).to_pylist()
    return [
        None if text is None else _text(text, length, len(text) == length)
        for text, length in zip(texts, lengths, strict=True)
    ]


def _text(text: str, length: int, whole: bool) -> Cell:
    return text if whole else [text, length]


def _lists(values: pa.Array, make: Callable[[pa.Array], list[Any]], items: int) -> Iterator[Cell]:
    starts = values.offsets.to_pylist()
    for row, missing in enumerate(values.is_null().to_pylist()):
        number = starts[row + 1] - starts[row]
        part = values.values.slice(starts[row], min(number, items))
        yield None if missing else {"n": number, "v": json_ready(make(part))}


def _records(part: pa.Array, fields: Sequence[str]) -> list[Any]:
    return [list(row) for row in zip(*(part.field(name).to_pylist() for name in fields), strict=True)]


def _runs(part: pa.Array) -> list[Any]:
    """Return words as passages of running text, each with the second at which it begins, where known."""
    times = part.field("start").to_pylist() if part.type.get_field_index("start") >= 0 else [None] * len(part)
    runs: list[list[Any]] = []
    words: list[str] = []
    for text, time in zip(part.field("text").to_pylist(), times, strict=True):
        begun = runs[-1][0] if runs else None
        over = len(words) >= _WORDS if time is None or begun is None else time - begun >= _SECONDS
        if not runs or over:
            words = []
            runs.append([time, words])
        words.append(text or "")
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
    if isinstance(cell, list):  # a text that was cut before
        return [cell[0][:most], cell[1]]
    if isinstance(cell, dict):
        kept, left = [], most
        for item in cell["v"]:
            left -= _weight(item)
            if left < 0:
                break
            kept.append(item)
        return {"n": cell["n"], "v": kept}
    return cell
