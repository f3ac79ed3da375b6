"""Rows of our datasets as arguments of other people's assets: pandas, polars or Arrow.

Belongs here: the input manager `rows` that Dagster loads arguments with. Not here: reading part files
(assets/rows/reading.py), and rows outside of Dagster (silverloom/data.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import dagster as dg
import pyarrow as pa

from silverloom.assets.rows.reading import tables
from silverloom.orchestration.workspace.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars


def rows(workspace: Workspace) -> dg.InputManagerDefinition:
    """Return the input manager that loads the kept rows of a dataset, in the order of partitions.

    The argument's annotation is `pandas.DataFrame`, `polars.DataFrame` or `pyarrow.Table`; without one, it
    is pandas. A run ends with ValueError for another annotation, a key that is no dataset, or a partition
    that was not made.
    """

    @dg.input_manager(description="Kept rows of silverloom's datasets, as the argument's annotation says.")
    def loaded(context: dg.InputContext) -> Any:
        return _loaded(workspace, context)

    return loaded


def _loaded(workspace: Workspace, context: dg.InputContext) -> Any:
    name = "/".join(context.asset_key.path)
    dataset = workspace.datasets.get(name)
    if dataset is None or dataset.shape is None:
        raise ValueError(f"the input manager `rows` reads silverloom's datasets, and {name} is none")
    kind = context.dagster_type.typing_type
    named = "" if kind is Any else f"{kind.__module__.partition('.')[0]}.{kind.__name__}"
    if (convert := _KINDS.get(named)) is None:
        raise ValueError(
            f"{context.name}: {kind} cannot hold rows: annotate it with pandas.DataFrame, polars.DataFrame "
            "or pyarrow.Table"
        )
    loaded = list[pa.Table]()
    for partition in context.asset_partition_keys if context.has_asset_partitions else [""]:
        if not (parts := [*tables(workspace.folder(dataset, partition), "kept")]):
            raise ValueError(f"{name} {partition}".strip() + " was not made: materialise it first")
        loaded += parts
    return convert(pa.concat_tables(loaded or [dataset.shape.kept.empty_table()]))


def _polars(table: pa.Table) -> polars.DataFrame:
    import polars  # no dependency; the argument's annotation has imported it

    frame = polars.from_arrow(table)
    assert isinstance(frame, polars.DataFrame)
    return frame


#: How Arrow's table becomes what an argument is annotated with.
_KINDS: dict[str, Callable[[pa.Table], Any]] = {
    "": pa.Table.to_pandas,
    "pandas.DataFrame": pa.Table.to_pandas,
    "polars.DataFrame": _polars,
    "pyarrow.Table": lambda table: table,
}
