"""Rows of the datasets that a project has made, as Arrow, pandas or Hugging Face datasets.

Belongs here: reading finished partitions, and checking them against their manifests. Not here: making them.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args, overload

import pyarrow as pa
import pyarrow.parquet as pq

from silverloom.assets.declare.project import nearest_project
from silverloom.ops.core.extras import require
from silverloom.ops.core.parts import part_files
from silverloom.ops.core.periods import ALL
from silverloom.ops.core.row_measures import measured

if TYPE_CHECKING:
    import datasets
    import pandas as pd

RowTable: TypeAlias = Literal["kept", "dropped", "rejected"]


@overload
def load(
    dataset: str,
    form: Literal["arrow"] = "arrow",
    *,
    partition: str | None = ...,
    table: RowTable = ...,
    columns: Sequence[str] | None = ...,
    root: str | os.PathLike[str] | None = ...,
) -> pa.Table: ...
@overload
def load(
    dataset: str,
    form: Literal["pandas"],
    *,
    partition: str | None = ...,
    table: RowTable = ...,
    columns: Sequence[str] | None = ...,
    root: str | os.PathLike[str] | None = ...,
) -> pd.DataFrame: ...
@overload
def load(
    dataset: str,
    form: Literal["datasets"],
    *,
    partition: str | None = ...,
    table: RowTable = ...,
    columns: Sequence[str] | None = ...,
    root: str | os.PathLike[str] | None = ...,
) -> datasets.Dataset: ...
def load(
    dataset: str,
    form: Literal["arrow", "pandas", "datasets"] = "arrow",
    *,
    partition: str | None = None,
    table: RowTable = "kept",
    columns: Sequence[str] | None = None,
    root: str | os.PathLike[str] | None = None,
) -> Any:
    """Return the rows of a dataset, such as "discofuse/examples", or of one of its partitions ("2018-06").

    `form` is "arrow" (for a `pyarrow.Table`), "pandas" (a `pandas.DataFrame`) or "datasets" (a
    `datasets.Dataset` of Hugging Face, in memory). `table` chooses the kept rows, the dropped ones with their
    reasons, or the rejected ones with their errors. `columns` may be measures, such as "title.characters".
    `root` is the project; by default it is the one around the working directory.

    Only finished partitions are read, and each file is checked against its manifest. Raises LookupError for a
    project, dataset, partition, column or measure not there, ValueError for a damaged manifest, a file that
    differs from its manifest.
    """
    if form not in ("arrow", "pandas", "datasets"):
        raise ValueError(f"form must be arrow, pandas or datasets, not {form!r}")
    if table not in get_args(RowTable):
        raise ValueError(f"table must be one of {', '.join(get_args(RowTable))}, not {table!r}")
    if isinstance(columns, str):
        columns = [columns]
    place = nearest_project() if root is None else Path(root)
    if place is None:
        raise LookupError("there is no project here or above: pass root=, the folder of one")
    if not place.is_dir():
        raise LookupError(f"{place}: no such folder")
    found = _partitions(place, dataset, partition)
    tables = [rows for made in found for rows in _tables(*made, table, columns)]
    if not tables:
        raise LookupError(f"{dataset} has no {table} rows")
    rows = pa.concat_tables(tables)
    if form == "pandas":
        return rows.to_pandas()
    if form == "datasets":
        require("train", "datasets")
        from datasets import Dataset

        return Dataset(rows)
    return rows


def _partitions(root: Path, dataset: str, partition: str | None) -> Iterator[tuple[Path, Path]]:
    """Yield the folder and the manifest of each finished partition. Raises LookupError if it is missing."""
    manifests = root / "manifests" / str(dataset)
    names = sorted(path.stem for path in manifests.glob("*.json"))
    if not names:
        made = sorted({path.parent for path in (root / "manifests").glob("*/*/*.json")})
        there = ", ".join(path.relative_to(root / "manifests").as_posix() for path in made)
        raise LookupError(f"{root} has no dataset {dataset!r}; made so far: {there or 'none'}")
    if len({len(name) for name in names}) > 1:
        raise ValueError(
            f"{dataset} has partitions of two periods ({names[0]}, {names[-1]}): params.yaml has changed; "
            "`silverloom run` removes the former ones"
        )
    if partition is not None and partition not in names:
        raise LookupError(f"{dataset} has no partition {partition!r}; made so far: {', '.join(names)}")
    for name in names if partition is None else [partition]:
        folder = root / "data" / dataset
        whole = name == ALL and not (folder / name).is_dir()
        yield folder if whole else folder / name, manifests / f"{name}.json"


def _tables(
    folder: Path, manifest: Path, table: RowTable, columns: Sequence[str] | None
) -> Iterator[pa.Table]:
    """Yield the rows of each file of a table. Raises ValueError if a file is not that of the manifest.

    A file is read once, so the rows are from the bytes that were checked.
    """
    listed = _listed(manifest)
    paths = {path.relative_to(folder).as_posix(): path for path in part_files(folder, table)}
    start = "" if table == "kept" else f"__{table}/"
    for name in sorted({*paths, *(name for name in listed if name.startswith(f"{start}{table}-"))}):
        content = paths[name].read_bytes() if name in paths else b""
        found = hashlib.md5(content, usedforsecurity=False).hexdigest() if name in paths else "missing"
        if found != listed.get(name):
            raise ValueError(
                f"{folder / name}: its MD5 is {found}, its manifest has {listed.get(name)}: "
                "make it again, or run `dvc checkout`"
            )
        yield _read(content, columns)


def _read(content: bytes, columns: Sequence[str] | None) -> pa.Table:
    """Return the rows of a Parquet file. Raises LookupError for a column that it does not have."""
    with pq.ParquetFile(pa.BufferReader(content)) as file:
        there = file.schema_arrow.names
        if columns is None:
            return file.read()
        read = {name: name.partition(".")[0] for name in columns}
        if unknown := sorted(name for name, column in read.items() if column not in there):
            raise LookupError(f"there is no column {unknown[0]!r}; there are: {', '.join(there)}")
        rows = file.read(columns=list(dict.fromkeys(read.values())))
        plain = all(name == column for name, column in read.items())
        return rows if plain else pa.table({name: _measured(rows, name) for name in read})


def _measured(rows: pa.Table, name: str) -> pa.ChunkedArray:
    from silverloom.assets.declare.expectations import OF_COLUMNS, OF_FIELDS

    try:
        return measured(rows, name)
    except (KeyError, TypeError, ValueError, NotImplementedError) as error:  # of Arrow: the wrong type
        kind = rows.schema.field(name.partition(".")[0]).type
        raise LookupError(
            f"there is no measure {name!r} of {kind}; there are, each for some types: "
            f"column.{{{', '.join(sorted(OF_COLUMNS))}}}, column.field.{{{', '.join(sorted(OF_FIELDS))}}}; "
            f"columns: {', '.join(rows.column_names)}"
        ) from error


def _listed(manifest: Path) -> dict[str, str]:
    """Return the MD5 of each file in a manifest. Raises ValueError if the manifest is damaged."""
    try:
        listed: dict[str, str] = json.loads(manifest.read_bytes())["files"]
    except (ValueError, LookupError, TypeError) as error:
        raise ValueError(f"{manifest}: damaged: make it again, or run `dvc checkout`") from error
    return listed
