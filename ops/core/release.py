"""The Parquet files of a release: rows of a dataset by configuration and split, in files of limited size.

Belongs here: which rows may be released, judging by their licences, and writing the files. Not here: the
card, Croissant metadata and checksums of the release (orchestration/release).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pydantic import Field

from silverloom.ops.core.identity import made_of, row_id
from silverloom.ops.core.joins import side_by_side, sources_within
from silverloom.ops.core.outcome import NAME, Outcome, Outcomes, Shape, columns, one_of
from silverloom.ops.core.params import Params
from silverloom.ops.core.parts import FilesFolder, Parts
from silverloom.ops.core.sampling import SPLITS

#: What the dataset of the released files is called in every system.
RELEASE_FILES = "release_files"

#: The drop reason of rows that may not be released.
FORBIDDEN = "licence"

#: Bytes of each megabyte available for rows; the rest is reserved for the file's footer and indexes.
_FILLED = 980_000

#: In-memory bytes of a row group, which readers load as a whole.
_ROW_GROUP = 64 << 20

#: What each row has in every configuration.
_IDENTITY = ("id", "source_ids", "licence")

_MESSAGES = pa.list_(pa.struct([("role", pa.string()), ("content", pa.string())]))

#: What the columns that `params.text` makes hold.
TEXT_COLUMNS = {
    "prompt": "the input",
    "completion": "the output",
    "messages": "the input, of the user, and the output, of the assistant",
}

_FILES = columns(
    ("file", pa.string(), "its path next to the rows and in the released folder", NAME),
    ("config", pa.string(), "the configuration that it belongs to"),
    one_of("split", SPLITS, "train, validation or test"),
    ("rows", pa.int64()),
    ("bytes", pa.int64()),
    ("md5", pa.string(), "of its bytes, by which DVC has it"),
)


class ReleaseParams(Params, section="release"):
    """Which licences may be released, and the maximum size of a file."""

    licences: tuple[str, ...] = Field(
        default=("CC0-1.0", "CC-BY-4.0", "CC-BY-SA-4.0", "Apache-2.0", "MIT"),
        description="SPDX names; a row of any other licence is not released",
    )
    megabytes: float = Field(default=500, gt=0, description="a file is no larger, unless by a single row")
    text: Literal["columns", "prompt_completion", "messages"] = Field(
        default="columns",
        description="what the input and the output are called: by their columns; `prompt` and `completion`;"
        " or one column `messages` of a user and an assistant, as trainers of chat models read it",
    )
    title: str = Field(default="", exclude=True, description="of the card; empty: the system's")
    creators: tuple[str, ...] = Field(default=(), exclude=True, description="names of who made the dataset")
    homepage: str = Field(
        default="",
        pattern=r"^(https?://[^\s<>]+)?$",
        exclude=True,
        description="address of the dataset's page",
    )


def shape(rows: Shape) -> Shape:
    """Return the shape of a dataset's release: its rows are the units, and each file is a row."""
    return Shape(unit=rows.kept, kept=_FILES)


def release_files(
    rows: Parts,
    files: FilesFolder,
    params: ReleaseParams,
    config: str | None = None,
    without: Collection[str] = (),
    subsets: Mapping[str, Parts] | None = None,
    others: Sequence[Iterable[pa.Table]] = (),
    beside: Callable[[Parts, Path], Parts] | None = None,
    pair: tuple[str, str] = ("source", "target"),
    aside: Mapping[str, Sequence[str]] | None = None,
) -> Outcomes:
    """Write the released rows and yield a row for each file; rows that may not be released are dropped.

    A file is `data/<config>/<split>-<number>.parquet`. The column `config` names the configuration, and the
    column `split` the split. Files have all columns except `split` and those in `without`. A subset holds the
    rows that are sources of another dataset's rows: it becomes an additional configuration, and a boolean
    column marks its rows. The rows of `others` are made of the same rows and have columns of their own: they
    form configurations by their column `config`, without those of other licences. `beside` makes, for each
    part of `rows` and in a folder, a part with more columns for these rows. `pair` are the columns of the
    input and the output, which `params.text` may rename. `aside` are columns that form a configuration of
    their own, by its name, with the ids of all rows; other configurations lack them. Files are written row
    group by row group. Memory holds one row group per open file, and the ids of the rows already in it.

    Raises ValueError if a configuration has the name of a subset, or of one of the others.
    """
    subsets, aside = subsets or {}, aside or {}
    names = [name for name in rows.schema.names if name not in {*without, "split"}]
    kind, most = shape(Shape(rows.schema, rows.schema)), int(params.megabytes * _FILLED)
    allowed = cache(partial(allows, params.licences))
    writers: dict[tuple[str, str], _SplitWriter] = {}
    with rows.engine.scratch() as folder:
        sources = [sources_within(rows, parts, folder / name) for name, parts in subsets.items()]
        more = beside(rows, folder / "beside") if beside else None
        names += more.schema.names if more else []
        names = [name for name in names if name not in {*chain.from_iterable(aside.values())}]
        for table, *sources_of_part in zip(side_by_side(rows, more), *sources, strict=True):
            chosen = pa.array(map(allowed, table["licence"].to_pylist()), pa.bool_())
            released = table.filter(chosen)
            if len(released) < len(table):
                yield _dropped(kind, table.select(rows.schema.names).filter(pc.invert(chosen)))
            for name, source_table in zip(subsets, sources_of_part, strict=True):
                released = released.append_column(name, pc.is_in(released["id"], source_table["source_id"]))
            for value, split, split_rows in _by_config_and_split(released, config):
                place = config_name(value), split
                if place[0] in {*subsets, *aside}:
                    raise ValueError(
                        f"{config} {value!r} is what a part of the release is called: give it another name"
                    )
                writer = writers.setdefault(place, _SplitWriter(files.path, kind, *place, most))
                yield from writer.add(_named(split_rows.select([*names, *subsets]), params, pair))
            for name, columns_aside in aside.items():
                for _, split, split_rows in _by_config_and_split(released):
                    writer = writers.setdefault(
                        (name, split), _SplitWriter(files.path, kind, name, split, most, is_subset=True)
                    )
                    yield from writer.add(split_rows.select([*_IDENTITY, *columns_aside]))
            for name in subsets:
                for _, split, split_rows in _by_config_and_split(released.filter(released[name])):
                    writer = writers.setdefault(
                        (name, split), _SplitWriter(files.path, kind, name, split, most, is_subset=True)
                    )
                    yield from writer.add(_named(split_rows.select([*names, *subsets]), params, pair))
    for table in chain.from_iterable(others):
        released = table.filter(pa.array(map(allowed, table["licence"].to_pylist()), pa.bool_()))
        for value, split, split_rows in _by_config_and_split(released, config):
            place = config_name(value), split
            writer = writers.setdefault(place, _SplitWriter(files.path, kind, *place, most, is_subset=True))
            if not writer.is_subset:
                raise ValueError(
                    f"two datasets of the release have a {config} {value!r}: give one another name"
                )
            yield from writer.add(_named(split_rows.drop_columns(["split"]), params, ("source", "target")))
    for _, writer in sorted(writers.items()):
        yield from writer.close()


def _named(table: pa.Table, params: ReleaseParams, pair: tuple[str, str]) -> pa.Table:
    """Return a table with its input and output as `params.text` says; one without these stays as it is."""
    if params.text == "columns" or not {*pair} <= {*table.column_names}:
        return table
    if params.text == "prompt_completion":
        renamed = dict(zip(pair, ("prompt", "completion"), strict=True))
        return table.rename_columns([renamed.get(name, name) for name in table.column_names])
    texts = zip(*(table[name].to_pylist() for name in pair), strict=True)
    messages = [
        [{"role": "user", "content": prompt}, {"role": "assistant", "content": completion}]
        for prompt, completion in texts
    ]
    return table.drop_columns([*pair]).append_column("messages", pa.array(messages, _MESSAGES))


def allows(licences: Collection[str], licence: str) -> bool:
    """Say whether a row's licence is allowed, as a whole or with each licence of its AND or OR expression."""
    return licence in licences or all(name in licences for name in licence_names(licence))


def licence_names(licence: str) -> list[str]:
    """Return the distinct licences in an SPDX expression, in order."""
    names = (name.strip(" ()") for name in re.split(r"\s+(?:AND|OR)\s+", licence))
    return list(dict.fromkeys(names))


class _SplitWriter:
    """Writes the rows of one split of a configuration into files of limited size.

    Rows of a subset are not counted as units again: another configuration has them already.
    """

    def __init__(
        self, folder: Path, kind: Shape, config: str, split: str, most: int, is_subset: bool = False
    ) -> None:
        self.is_subset = is_subset
        self._folder, self._kind, self._most = folder, kind, most
        self._config, self._split, self._number = config, split, 0
        self._waiting: list[pa.Table] = []
        self._file: tuple[pa.OSFile, pq.ParquetWriter] | None = None
        self._ids: list[pa.Array] = []
        self._licences: set[str] = set()

    def add(self, table: pa.Table) -> Outcomes:
        """Take rows; yield the outcomes of files that are now full."""
        self._waiting.append(table)
        if sum(waiting.nbytes for waiting in self._waiting) >= min(_ROW_GROUP, self._most):
            yield from self._write()

    def close(self) -> Outcomes:
        """Write what is left, and yield the outcomes of the remaining files."""
        yield from self._write()
        if self._file:
            yield self._end(*self._file)

    def _write(self) -> Outcomes:
        waiting, self._waiting = self._waiting, []
        for piece in _pieces(waiting, min(_ROW_GROUP, self._most)):
            if self._file and self._file[0].tell() + piece.nbytes > self._most:
                yield self._end(*self._file)
            if self._file is None:
                path = self._folder / self._name
                path.parent.mkdir(parents=True, exist_ok=True)
                sink = pa.OSFile(str(path), "wb")
                self._file = sink, _parquet_writer(sink, piece.schema)
            self._file[1].write_table(piece, row_group_size=len(piece))
            self._ids += piece["id"].chunks
            self._licences.update(pc.unique(piece["licence"]).to_pylist())

    @property
    def _name(self) -> str:
        return f"data/{self._config}/{self._split}-{self._number:05d}.parquet"

    def _end(self, sink: pa.OSFile, writer: pq.ParquetWriter) -> Outcome:
        writer.close()
        sink.close()
        file, ids = self._name, pa.chunked_array(self._ids).combine_chunks()
        with (self._folder / file).open("rb") as written:
            md5 = hashlib.file_digest(written, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()
        row = {
            **made_of(row_id("file", file, md5), [], self._licences),
            "file": file,
            "config": self._config,
            "split": self._split,
            "rows": len(ids),
            "bytes": (self._folder / file).stat().st_size,
            "md5": md5,
        }
        self._number, self._file, self._ids, self._licences = self._number + 1, None, [], set()
        outcome = Outcome.of(self._kind, [], [row])
        place = outcome.kept.schema.get_field_index("source_ids")
        named = outcome.kept.set_column(
            place, outcome.kept.schema.field(place), pa.ListArray.from_arrays([0, len(ids)], ids)
        )
        return replace(outcome, units=ids[:0] if self.is_subset else ids, kept=named)


def config_name(value: str) -> str:
    """Return a configuration as a folder name; `default` if nothing is left of it."""
    return re.sub(r"[^\w.-]+", "-", value).strip(".-") or "default"


def _by_config_and_split(table: pa.Table, config: str | None = None) -> Iterator[tuple[str, str, pa.Table]]:
    """Yield (configuration, split, rows); the configuration is "" if there is no such column."""
    configs = table[config] if config else pa.array([""] * len(table), pa.string())
    keys = pc.binary_join_element_wise(configs, table["split"], "/")
    for key in sorted(pc.unique(keys).to_pylist()):
        value, _, split = key.rpartition("/")
        yield value, split, table.filter(pc.equal(keys, key))


def _dropped(kind: Shape, table: pa.Table) -> Outcome:
    told = [
        pa.array([FORBIDDEN] * len(table)),
        pa.nulls(len(table), pa.float64()),
        pa.nulls(len(table), pa.string()),
    ]
    empty = Outcome.of(kind, [], [])
    dropped = pa.table([*table.columns, *told], kind.dropped)
    return Outcome(table["id"].combine_chunks(), empty.kept, dropped, empty.rejected)


def _pieces(tables: Sequence[pa.Table], most: int) -> Iterator[pa.Table]:
    """Yield the rows of tables in pieces of at most `most` bytes, or of a single row."""
    if not tables:
        return
    waiting = [pa.concat_tables(tables).combine_chunks()]
    while waiting:
        table = waiting.pop()
        if table.nbytes <= most or len(table) == 1:
            yield table
        else:
            half = len(table) // 2
            waiting += [table.slice(half), table.slice(0, half)]


def _parquet_writer(sink: pa.OSFile, schema: pa.Schema) -> pq.ParquetWriter:
    """Return a writer with pinned options and a page index, which lets viewers jump to a row."""
    plain = pa.schema([field.remove_metadata() for field in schema])
    return pq.ParquetWriter(
        sink,
        plain,
        version="2.6",
        compression="zstd",
        compression_level=3,
        write_page_index=True,
        store_schema=False,
    )
