"""What a step returns: every input unit is kept, dropped or rejected, and none is lost.

Belongs here: the `Outcome` of one part of work, the shape of its three tables, and their columns with
meanings and roles. Not here: writing them (orchestration/files) and checking them
(orchestration/checks/conservation.py).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

import pyarrow as pa

Row: TypeAlias = Mapping[str, Any]
Item = TypeVar("Item")


class Role(NamedTuple):
    """How a column is to be shown."""

    name: Literal[
        "title",
        "text",
        "name",
        "time",
        "place",
        "spans",
        "transcript",
        "passage",
        "passages",
        "vector",
        "holes",
    ]
    detail: str = ""


#: What a row is about: in a few words, or at length.
TITLE, TEXT = Role("title"), Role("text")
#: A name that identifies a row, such as a path or an address; and the time of publication.
NAME, TIME = Role("name"), Role("time")
#: A list of spoken words: structs with `text` and, if known, `start` in seconds.
TRANSCRIPT = Role("transcript")

#: A list of numbers whose size depends on params; the step fixes the stored size with `Shape.sized`.
VECTOR = Role("vector")

#: The holes of a text (ops/text/holes.py): their places, in characters; beside a sentence, their number.
HOLES = Role("holes")

#: The passages of the row's text: a list of structs with `start` and `end`, in characters.
PASSAGES = Role("passages")


def place(phrase: str) -> Role:
    """Return the role of a column that locates a row in its source.

    `phrase` is a template over the row's columns: "{locator}, characters {start}-{end}".
    """
    return Role("place", phrase)


def passage(column: str) -> Role:
    """Return the role of a field of a list of sentences that indexes the passages in `column` of the row."""
    return Role("passage", column)


def spans(words: str) -> Role:
    """Return the role of a list of spans of words (`first` and `last` are indices, both inclusive).

    `words` says where the words are: "pair_id.words" is the column `words` of the row that `pair_id` names.
    """
    return Role("spans", words)


def column(
    name: str, kind: pa.DataType, meaning: str = "", role: Role | None = None, nullable: bool = True
) -> pa.Field:
    """Return a column with its meaning and role, which are not written to Parquet files."""
    metadata = {"meaning": meaning} if meaning else {}
    metadata |= {"role": role.name, "detail": role.detail} if role else {}
    return pa.field(name, kind, nullable, metadata or None)


_CHECKED = frozenset({b"optional", b"values"})


def optional(name: str, kind: pa.DataType, meaning: str = "", role: Role | None = None) -> pa.Field:
    """Return a column that may lack a value; every other column that is no list has one in every row."""
    return _with(column(name, kind, meaning, role), optional="yes")


def one_of(name: str, values: Sequence[str], meaning: str = "", role: Role | None = None) -> pa.Field:
    """Return a column of texts that are all among these values."""
    return _with(column(name, pa.string(), meaning, role), values=json.dumps(list(values)))


def _with(field: pa.Field, **more: str) -> pa.Field:
    return field.with_metadata({**(field.metadata or {}), **more})


def unchecked(field: pa.Field) -> pa.Field:
    """Return a column without what checks read: whether it is optional, and its values."""
    left = {key: value for key, value in (field.metadata or {}).items() if key not in _CHECKED}
    return field.with_metadata(left) if left else field.remove_metadata()


def required(schema: pa.Schema) -> list[str]:
    """Return the columns that have a value in every row."""
    return [
        field.name
        for field in schema
        if not pa.types.is_nested(field.type) and b"optional" not in (field.metadata or {})
    ]


def values_of(schema: pa.Schema) -> dict[str, list[str]]:
    """Return the columns whose values are among a few, with these."""
    listed = {field.name: (field.metadata or {}).get(b"values") for field in schema}
    return {name: json.loads(values) for name, values in listed.items() if values}


def role(field: pa.Field) -> Role | None:
    """Return the role of a column, or None if it declares none."""
    metadata = field.metadata or {}
    return Role(metadata[b"role"].decode(), metadata[b"detail"].decode()) if b"role" in metadata else None


def of_role(schema: pa.Schema, name: str) -> dict[str, str]:
    """Return the columns that have a role, in order, each with the role's detail."""
    return {
        field.name: column_role.detail
        for field in schema
        if (column_role := role(field)) and column_role.name == name
    }


def meaning(field: pa.Field) -> str:
    """Return what a column means, followed by what each nested field means."""
    own = (field.metadata or {}).get(b"meaning", b"").decode()
    kind = field.type.value_type if pa.types.is_list(field.type) else field.type
    nested = [kind.field(index) for index in range(kind.num_fields)] if pa.types.is_struct(kind) else []
    parts = [f"{inner.name}: {text}" if (text := meaning(inner)) else inner.name for inner in nested]
    return ". ".join(filter(None, [own, "; ".join(parts)]))


#: The first columns of every table.
IDENTITY = pa.schema(
    [
        column("id", pa.string(), "stable: made from content or source, not from position", nullable=False),
        column("source_ids", pa.list_(pa.string()), "rows or files that it was made from", nullable=False),
        column("licence", pa.string(), "of all sources that it was made from", NAME, nullable=False),
    ]
)

DROP_COLUMNS = pa.schema(
    [
        column("reason", pa.string(), "the rule or threshold that dropped it", nullable=False),
        column("score", pa.float64(), "what the threshold was compared with"),
        column("detail", pa.string(), "what else there is to know"),
    ]
)

REJECT_COLUMNS = pa.schema(
    [column("error", pa.string(), "what was wrong: the file, the row and the cause", nullable=False)]
)


#: A column as shapes declare it: name, type and optionally meaning and role, or a field of another shape.
Field: TypeAlias = (
    tuple[str, pa.DataType] | tuple[str, pa.DataType, str] | tuple[str, pa.DataType, str, Role] | pa.Field
)


def columns(*fields: Field) -> pa.Schema:
    """Return a schema of the identity columns followed by `fields`."""
    return extended(IDENTITY, *fields)


def extended(schema: pa.Schema, *fields: Field) -> pa.Schema:
    """Return the columns of a schema followed by `fields`."""
    return pa.schema([*schema, *_fields(fields)])


def struct(*fields: Field) -> pa.DataType:
    """Return a struct type with these fields."""
    return pa.struct(_fields(fields))


def _fields(fields: Iterable[Field]) -> list[pa.Field]:
    return [field if isinstance(field, pa.Field) else column(*field) for field in fields]


@dataclass(frozen=True)
class Shape:
    """The columns of a step's tables: `kept` rows, and the input `unit` that dropped and rejected rows store.

    A dropped row is its whole unit with `reason`, `score` and `detail`. A rejected row is its whole unit with
    `error`. Both keep the unit's own id, so that a unit can be followed from step to step.
    """

    kept: pa.Schema
    unit: pa.Schema

    def __post_init__(self) -> None:
        taken = set(self.unit.names) & {*DROP_COLUMNS.names, *REJECT_COLUMNS.names}
        if taken:
            raise ValueError(f"a unit cannot have the columns {sorted(taken)}: a lost one gets these")

    def sized(self, size: int) -> Shape:
        """Return the shape with the vector columns of kept rows as fixed-size Arrow lists."""
        vectors = of_role(self.kept, "vector")
        fields = [
            field.with_type(pa.list_(field.type.value_type, size)) if field.name in vectors else field
            for field in self.kept
        ]
        return Shape(pa.schema(fields), self.unit)

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
    """What happened to the input units of one part.

    `units` are the ids of all input units. Each is the id of one dropped or one rejected row, or occurs in
    the `id` or the `source_ids` of a kept row; it is never in more than one of the three tables.
    `combinations` counts by reason what the step itself generated (such as all sentence pairs of a paper) and
    does not store in full. `files` are what it made in addition to rows (such as a model), by path in the
    partition's folder of files.
    """

    units: pa.Array
    kept: pa.Table
    dropped: pa.Table
    rejected: pa.Table
    combinations: Mapping[str, int] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        shape: Shape,
        units: Iterable[str],
        kept: Sequence[Row],
        dropped: Sequence[Row] = (),
        rejected: Sequence[Row] = (),
        combinations: Mapping[str, int] | None = None,
        files: Mapping[str, bytes] | None = None,
    ) -> Outcome:
        """Build the tables from rows; a row that does not fit its schema raises pyarrow.ArrowInvalid."""
        return cls(
            units=pa.array(units, pa.string()),
            kept=_table(kept, shape.kept),
            dropped=_table(dropped, shape.dropped),
            rejected=_table(rejected, shape.rejected),
            combinations=dict(combinations or {}),
            files=dict(files or {}),
        )

    @classmethod
    def joined(cls, outcomes: Sequence[Outcome]) -> Outcome:
        """Return several outcomes of one step as one, as if all their units had been its input at once."""
        if len(outcomes) == 1:
            return outcomes[0]
        combinations: Counter[str] = Counter()
        for outcome in outcomes:
            combinations.update(outcome.combinations)
        tables = {
            name: pa.concat_tables([getattr(outcome, name) for outcome in outcomes]).combine_chunks()
            for name in ("kept", "dropped", "rejected")
        }
        return cls(
            pa.concat_arrays([outcome.units for outcome in outcomes]),
            **tables,
            combinations=dict(combinations),
            files={name: content for outcome in outcomes for name, content in outcome.files.items()},
        )


Outcomes: TypeAlias = Iterator[Outcome]


#: Outcomes that `in_parts` holds before it joins them.
_HELD = 64


def in_parts(outcomes: Iterable[Outcome], rows: int = 4096) -> Outcomes:
    """Merge consecutive outcomes until each has at least `rows` rows; the last one may have fewer.

    Holds few outcomes, even if most have no rows: each takes tens of kilobytes.
    """
    held: list[Outcome] = []
    count = 0
    for outcome in outcomes:
        held.append(outcome)
        count += outcome.kept.num_rows + outcome.dropped.num_rows + outcome.rejected.num_rows
        if count >= rows:
            yield Outcome.joined(held)
            held, count = [], 0
        elif len(held) == _HELD:
            held = [Outcome.joined(held)]
    if held:
        yield Outcome.joined(held)


def in_blocks(items: Iterable[Item], size: int = 256) -> Iterator[list[Item]]:
    """Yield lists of `size` consecutive items; the last one may be shorter."""
    remaining = iter(items)
    while block := list(islice(remaining, size)):
        yield block


def drop(unit: Row, reason: str, score: float | None = None, detail: str | None = None) -> Row:
    """Return the dropped row of a unit."""
    return {**unit, "reason": reason, "score": score, "detail": detail}


def reject(unit: Row, error: str) -> Row:
    """Return the rejected row of a unit; `error` names the file, the row and the cause."""
    return {**unit, "error": error}


def _table(rows: Sequence[Row], schema: pa.Schema) -> pa.Table:
    names = set(schema.names)
    for row in rows:
        if row.keys() != names:
            odd = sorted(row.keys() ^ names)
            raise pa.ArrowInvalid(f"row {row.get('id')!r} does not have the columns of its table: {odd}")
    return pa.Table.from_pylist(list(rows), schema=schema)
