"""What a step returns: every input unit used, dropped or rejected, and nothing lost between.

Belongs here: the `Outcome` of one part of work, the shape of its three tables, and their columns.
Not here: writing them (orchestration/store) and checking them (orchestration/conservation.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import pyarrow as pa

Row: TypeAlias = Mapping[str, Any]

#: The columns that every table of the project begins with.
IDENTITY = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("source_ids", pa.list_(pa.string()), nullable=False),
        pa.field("licence", pa.string(), nullable=False),
    ]
)

DROP_COLUMNS = pa.schema(
    [
        pa.field("reason", pa.string(), nullable=False),
        pa.field("score", pa.float64()),
        pa.field("detail", pa.string()),
    ]
)

REJECT_COLUMNS = pa.schema([pa.field("error", pa.string(), nullable=False)])


def columns(*fields: tuple[str, pa.DataType]) -> pa.Schema:
    """Return a schema of the identity columns followed by `fields`."""
    return pa.schema([*IDENTITY, *(pa.field(name, kind) for name, kind in fields)])


@dataclass(frozen=True)
class Shape:
    """The columns of a step's tables: `kept` rows, and the input `unit` that a lost one is stored as.

    A dropped row is its whole unit with `reason`, `score` and `detail`; a rejected row is its whole
    unit with `error`. Both keep the unit's own id, so that a unit can be followed from step to step.
    """

    kept: pa.Schema
    unit: pa.Schema

    def __post_init__(self) -> None:
        taken = set(self.unit.names) & {*DROP_COLUMNS.names, *REJECT_COLUMNS.names}
        if taken:
            raise ValueError(f"a unit cannot have the columns {sorted(taken)}: a lost one gets these")

    @property
    def dropped(self) -> pa.Schema:
        """The unit's columns, then why it was dropped."""
        return pa.schema([*self.unit, *DROP_COLUMNS])

    @property
    def rejected(self) -> pa.Schema:
        """The unit's columns, then what was wrong with it."""
        return pa.schema([*self.unit, *REJECT_COLUMNS])


@dataclass(frozen=True)
class Outcome:
    """What became of the input units of one part.

    `units` are the ids of all units that went in. Each is the id of one dropped or one rejected row,
    or stands in the `id` or the `source_ids` of a kept row; never in two of the three.
    `combinations` counts by reason what the step itself generated (all pairs of a paper's sentences),
    which is not stored whole.
    """

    units: pa.Array
    kept: pa.Table
    dropped: pa.Table
    rejected: pa.Table
    combinations: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        shape: Shape,
        units: Iterable[str],
        kept: Sequence[Row],
        dropped: Sequence[Row] = (),
        rejected: Sequence[Row] = (),
        combinations: Mapping[str, int] | None = None,
    ) -> Outcome:
        """Build the tables from rows; a row that does not fit its schema raises pyarrow.ArrowInvalid."""
        return cls(
            units=pa.array(units, pa.string()),
            kept=_table(kept, shape.kept),
            dropped=_table(dropped, shape.dropped),
            rejected=_table(rejected, shape.rejected),
            combinations=dict(combinations or {}),
        )


Outcomes: TypeAlias = Iterator[Outcome]


def drop(unit: Row, reason: str, score: float | None = None, detail: str | None = None) -> Row:
    """Return the dropped row of a unit."""
    return {**unit, "reason": reason, "score": score, "detail": detail}


def reject(unit: Row, error: str) -> Row:
    """Return the rejected row of a unit; `error` names the file, the row and the cause."""
    return {**unit, "error": error}


def _table(rows: Sequence[Row], schema: pa.Schema) -> pa.Table:
    for row in rows:
        if row.keys() != set(schema.names):
            odd = sorted(row.keys() ^ set(schema.names))
            raise pa.ArrowInvalid(f"row {row.get('id')!r} does not have the columns of its table: {odd}")
    return pa.Table.from_pylist(list(rows), schema=schema)
