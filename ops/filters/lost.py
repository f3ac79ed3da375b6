"""Rows of the units that a filter drops.

Belongs here: adding the reasons without converting whole units to Python objects. Not here: the reasons.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from silverloom.ops.core.outcome import DROP_COLUMNS, Row, Shape


def lost_rows(units: pa.Table, reasons: Sequence[Row], shape: Shape) -> pa.Table:
    """Return N units with the N reasons for dropping them: `reason`, `score`, `detail`."""
    told = pa.Table.from_pylist(list(reasons), schema=DROP_COLUMNS)
    for field in DROP_COLUMNS:
        units = units.append_column(field, told[field.name])
    return units.cast(shape.dropped)
