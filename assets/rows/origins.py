"""What the content of rows says about their origin: values, position in the source, spoken words.

Belongs here: reading the rows of an ancestry, and the raw file of a record. Not here: finding rows by id.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import yaml

from silverloom.assets.declare.logins import without_logins
from silverloom.assets.declare.params_file import settings
from silverloom.assets.rows.ancestry import Ancestry, File, RowPlace
from silverloom.assets.rows.reading import read
from silverloom.ops.core.outcome import Row, of_role
from silverloom.ops.parse.records import record_place

WIDTH = 240
SPOKEN = 3


@dataclass(frozen=True)
class Spoken:
    """Words of a transcript, with their character offsets in its file."""

    start: int
    end: int
    text: str

    def __str__(self) -> str:
        return f"spoken at characters {self.start}-{self.end} of the transcript: {self.text}"


def rows(places: Sequence[RowPlace], whole: bool = False) -> list[Row]:
    """Return the rows at some locations; each file is read once.

    Unless `whole`, texts are cut to the length that `short` needs, and lists are replaced by their number of
    items, except spans of words. Raises ValueError that names a file that is not Parquet.
    """
    by_file: dict[File, list[RowPlace]] = {}
    for place in places:
        by_file.setdefault(place.file, []).append(place)
    by_place: dict[RowPlace, Row] = {}
    for file, chosen in by_file.items():
        table = read(file.path).take([place.index for place in chosen])
        shown = table if whole else _brief(table, of_role(file.schema, "spans"))
        by_place |= zip(chosen, shown.to_pylist(), strict=True)
    return [by_place[place] for place in places]


def where(file: File, row: Row) -> str:
    """Return the position of a row in its source, in words; empty if the row has no position."""
    phrases = of_role(file.schema, "place").items()
    return next((phrase.format_map(row) for name, phrase in phrases if name in row), "")


def summary_column(file: File, columns: Collection[str]) -> str | None:
    """Return the one of these columns that best summarises a row of a file."""
    wanted = [*of_role(file.schema, "title"), *of_role(file.schema, "text")]
    return next((name for name in wanted if name in columns), None)


def raw_file(record_id: str, kind: str | None) -> str:
    """Return the file of a raw record: its id is `source/path`, with `#line` in files of many records.

    `kind` is the dataset of raw records that the record belongs to, because papers and talks may both have a
    source of that name; None if no dataset has the record.
    """
    if "/" not in record_id:
        return f"{record_id} (in no dataset any more)"
    name, path, line = record_place(record_id)
    groups = settings().sources
    for group in [kind] if kind in groups else sorted(groups):
        if source := settings().folders(str(group)).get(name):
            return f"file {(Path(source.path) / path).as_posix()}" + (f", line {line}" if line else "")
    return f"{record_id} (its source is not in params.yaml any more)"


def spoken(ancestry: Ancestry, places: Sequence[RowPlace], contents: Sequence[Row]) -> list[list[Spoken]]:
    """Return the first words of the transcript that each row's spans cover; empty for rows without spans."""
    passages: list[list[Spoken]] = [[] for _ in places]
    spans: list[tuple[int, str, str, str]] = [
        (number, name, *detail.split(".", 1))  # type: ignore[misc]
        for number, (place, row) in enumerate(zip(places, contents, strict=True))
        for name, detail in of_role(place.file.schema, "spans").items()
        if row.get(name)
    ]
    holders = ancestry.places(contents[number][owner] for number, _, owner, _ in spans)
    wanted: dict[tuple[File, str], list[tuple[int, str, int]]] = {}
    for number, name, owner, words in spans:
        if kept := [place for place in holders[contents[number][owner]] if place.file.table == "kept"]:
            wanted.setdefault((kept[-1].file, words), []).append((number, name, kept[-1].index))
    for (file, words), rows_of_file in wanted.items():
        lists = read(file.path, [words])[words].combine_chunks()
        for number, name, index in rows_of_file:
            first = contents[number][name][:SPOKEN]
            passages[number] = [_passage(lists[index].values, span["first"], span["last"]) for span in first]
    return passages


def short(value: object) -> str:
    """Return a value as one line of limited length."""
    text = " ".join(str(value)[: 4 * WIDTH].split())
    return text if len(text) <= WIDTH else text[: WIDTH - 1] + "…"


def flow(value: object) -> str:
    """Return params as YAML on one line, without logins."""
    text: str = yaml.safe_dump(value, default_flow_style=True, width=10_000, sort_keys=True)
    return without_logins(text.removesuffix("...\n").strip())


def _passage(talk: pa.StructArray, first: int, last: int) -> Spoken:
    texts, offsets = talk.field("text"), talk.field("offset")
    end = offsets[last].as_py() + len(texts[last].as_py())
    shown = texts.slice(first, min(last + 1 - first, 4 * WIDTH)).to_pylist()
    return Spoken(offsets[first].as_py(), end, short(" ".join(shown)))


def _brief(table: pa.Table, whole: Collection[str]) -> pa.Table:
    names = [name for name in table.column_names if name != "source_ids"]
    return pa.table({name: table[name] if name in whole else _brief_column(table[name]) for name in names})


def _brief_column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if isinstance(column.type, pa.ListType | pa.FixedSizeListType):
        numbers = pc.list_value_length(column).cast(pa.string())
        return pc.binary_join_element_wise(numbers, "items", " ")
    if pa.types.is_string(column.type):
        return pc.utf8_slice_codeunits(column, 0, 4 * WIDTH)
    if pa.types.is_binary(column.type):
        parts = pc.binary_slice(column, 0, 4 * WIDTH).to_pylist()
        texts = [part if part is None else part.decode(errors="replace") for part in parts]
        return pa.chunked_array([pa.array(texts, pa.string())])
    return column
