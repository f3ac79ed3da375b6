"""Other tools that read the folders of datasets, called as on any folder of Parquet files."""

from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pandas as pd
import polars
import pyarrow.parquet as pq
from datasets import load_dataset

from silverloom.ops.core.periods import is_period

_NO_DATASETS = ("sample", "quality")

#: How many rows each reader finds in a folder: that of a month, or of a dataset whose months are `deep` levels
#: below.
READERS: dict[str, Callable[[Path, str], int]] = {
    "pandas": lambda folder, deep: len(pd.read_parquet(folder)),
    "arrow": lambda folder, deep: pq.read_table(folder).num_rows,
    "datasets": lambda folder, deep: _with_datasets(folder),
    "polars": lambda folder, deep: polars.read_parquet(folder / f"{deep}*.parquet").height,
    "duckdb": lambda folder, deep: len(
        duckdb.sql(f"from read_parquet('{folder}/{deep}*.parquet')").fetchall()
    ),
}


def _with_datasets(folder: Path) -> int:
    try:
        return load_dataset(str(folder), split="train").num_rows
    except ValueError as error:
        assert "corresponds to no data" in str(error)  # its message for a dataset without rows
        return 0


def misread(data: Path, reader: str) -> Iterator[str]:
    """Yield the datasets in a data folder whose kept rows a reader does not find exactly."""
    for folder in sorted(path for path in data.glob("[!.]*/*") if path.parent.name not in _NO_DATASETS):
        months = any(is_period(path.name) for path in folder.iterdir())
        kept = folder.glob("*/kept-*.parquet" if months else "kept-*.parquet")
        wanted = sum(pq.read_metadata(path).num_rows for path in kept)
        found = READERS[reader](folder, "*/" if months else "")
        if found != wanted:
            yield f"{folder.parent.name}/{folder.name}: {found} rows, {wanted} are kept"
