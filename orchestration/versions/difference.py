"""What became of each row between two versions of a dataset.

Belongs here: matching rows by id over the three tables, by DuckDB, which may leave memory for the disk. Part
files of one MD5 are never read. Not here: where files are (revisions.py), what is said of it (compare.py).
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import duckdb

from orchestration.files.parquet import TABLES
from orchestration.versions.revisions import Version

#: What became of kept rows; of input units; of what is stored as dropped or rejected.
KINDS = ("added", "removed", "changed", "re-reasoned", "loss added", "loss removed", "loss changed")

#: Columns of views that are none of the dataset's.
_OURS = ("_month", "_fate")
_NUMBERS = {
    "TINYINT",
    "SMALLINT",
    "INTEGER",
    "BIGINT",
    "UTINYINT",
    "USMALLINT",
    "UINTEGER",
    "UBIGINT",
    "FLOAT",
    "DOUBLE",
}

#: What stands for a table of which a version has no file.
_NO_ROWS = """CREATE VIEW {view} AS
SELECT NULL::TEXT id, NULL::TEXT[] source_ids, NULL::TEXT reason, NULL::TEXT _month WHERE false"""

_VIEW = """CREATE VIEW {view} AS SELECT * EXCLUDE (_file), MAP {{{months}}}[_file] AS _month
FROM read_parquet([{files}], union_by_name = true, filename = '_file')"""

_LOST = """CREATE VIEW {side}_lost AS
SELECT *, concat('dropped: ', reason) AS _fate FROM {side}_dropped
UNION ALL BY NAME SELECT *, 'rejected' AS _fate FROM {side}_rejected"""

#: Units, each with the kept row that it is, or else the first one that is made of it.
_USERS = """CREATE VIEW {side}_users AS
SELECT unit, min_by({{id: id, month: _month}}, (id <> unit, _month, id)) AS row
FROM (SELECT unnest(list_append(source_ids, id)) AS unit, id, _month FROM {side}_kept) GROUP BY unit"""

#: The rows of a table that only one version has, or that differ in a column that both have.
_DIFFERING = """CREATE TEMP TABLE {table} AS
SELECT old.id AS old_id, new.id AS new_id, coalesce(new._month, old._month) AS month, {fates}
    list_filter([{columns}], lambda name: name IS NOT NULL) AS columns
FROM old_{table} old FULL JOIN new_{table} new ON old.id = new.id WHERE len(columns) > 0"""

_CASES = """CREATE TEMP TABLE cases AS
SELECT CASE WHEN old_id IS NULL THEN 'added' WHEN new_id IS NULL THEN 'removed' ELSE 'changed' END AS kind,
    coalesce(new_id, old_id) AS id, month, NULL AS was, NULL AS now, columns,
    ('kept', old_id) AS old, ('kept', new_id) AS new
FROM kept
UNION ALL
SELECT if(was = now, 'loss changed', 're-reasoned'), new_id, month,
    if(was = now, NULL, was), if(was = now, NULL, now), columns, ('lost', old_id), ('lost', new_id)
FROM lost WHERE old_id = new_id
UNION ALL
SELECT if(unit IS NULL, 'loss removed', 're-reasoned'), old_id, coalesce(row.month, month),
    if(unit IS NULL, NULL, was), if(unit IS NULL, NULL, 'kept'), NULL, ('lost', old_id), ('kept', row.id)
FROM lost LEFT JOIN new_users ON unit = old_id WHERE new_id IS NULL
UNION ALL
SELECT if(unit IS NULL, 'loss added', 're-reasoned'), new_id, month,
    if(unit IS NULL, NULL, 'kept'), if(unit IS NULL, NULL, now), NULL, ('kept', row.id), ('lost', new_id)
FROM lost LEFT JOIN old_users ON unit = new_id WHERE old_id IS NULL"""

_FIRST = """SELECT kind, id, month, was, now, columns, old, new FROM cases
QUALIFY row_number() OVER (PARTITION BY kind ORDER BY id) <= ? ORDER BY kind, id"""


class Case(NamedTuple):
    """A row that is not as it was: what it was and is, {} where there was or is none; and its fates."""

    id: str
    month: str
    fates: tuple[str, str] | None
    """Of a unit that is re-reasoned: `kept`, `dropped: <reason>` or `rejected`, before and now."""
    columns: list[str]
    """Those in which it changed, of a row that both versions have."""
    old: dict[str, Any]
    new: dict[str, Any]


@dataclass
class VersionDifference:
    """All that differs: counts of everything, and the first cases of each kind by id."""

    months: dict[str, Counter[str]] = field(default_factory=dict)
    moves: dict[tuple[str, str], int] = field(default_factory=dict)
    """Units by former fate and present one, the most first: `kept`, `dropped: <reason>`, `rejected`."""
    columns: dict[str, int] = field(default_factory=dict)
    """Changed kept rows by the columns in which they changed, the most first."""
    new_columns: list[str] = field(default_factory=list)
    lost_columns: list[str] = field(default_factory=list)
    cases: dict[str, list[Case]] = field(default_factory=dict)
    files: int = 0
    files_same: int = 0

    def total(self, kind: str) -> int:
        """Return the number of cases of a kind over all months."""
        return sum(counts[kind] for counts in self.months.values())


def difference(old: Version, new: Version, limit: int = 10) -> VersionDifference:
    """Compare two versions of a dataset; `limit` bounds the cases that are kept of each kind.

    Only columns that both have are compared. Two missing values are equal, and so are two NaNs. A unit is
    re-reasoned where it is dropped or rejected in one version, and in the other has another reason or is used
    by a kept row. That is counted beside the rows: a kept row is made of any number of units, and is added or
    removed whatever became of them. Raises NotInCacheError where a file is not here, ValueError where one is
    no Parquet.
    """
    found = VersionDifference()
    files = _unequal(old.files, new.files), _unequal(new.files, old.files)
    found.files = sum(1 for file in new.files if table_of(file))
    found.files_same = found.files - len(files[1])
    try:
        with duckdb.connect(config={"temp_directory": tempfile.gettempdir()}) as database:
            _fill(database, found, (old, new), files, limit)
    except duckdb.Error as error:
        message = str(error).partition("\n")[0]
        raise ValueError(
            f"{old.dataset}: {old.label} and {new.label} cannot be compared: {message}"
        ) from error
    return found


def table_of(file: str) -> str | None:
    """Return the table that a file of a dataset is a part of."""
    name = file.rpartition("/")[2]
    return next(
        (table for table in TABLES if name.startswith(f"{table}-") and name.endswith(".parquet")), None
    )


def month_of(file: str) -> str:
    """Return the month that a file of a dataset belongs to; "" where it has no months."""
    return file.rpartition("/")[0]


def _unequal(files: Mapping[str, str], others: Mapping[str, str]) -> list[str]:
    """Return the part files of a version of which the other one has no equal, in order."""
    equal = Counter((table_of(file), md5) for file, md5 in others.items())
    unequal = []
    for file in sorted(filter(table_of, files)):
        mark = (table_of(file), files[file])
        equal[mark] -= 1
        if equal[mark] < 0:
            unequal.append(file)
    return unequal


def _fill(
    database: duckdb.DuckDBPyConnection,
    found: VersionDifference,
    versions: tuple[Version, Version],
    files: tuple[list[str], list[str]],
    limit: int,
) -> None:
    for side, version, unequal in zip(("old", "new"), versions, files, strict=True):
        for table in TABLES:
            parts = [file for file in unequal if table_of(file) == table]
            _create_view(database, f"{side}_{table}", version, parts)
        database.execute(_LOST.format(side=side))
        database.execute(_USERS.format(side=side))
    for table, fates in (("kept", ""), ("lost", "old._fate AS was, new._fate AS now,")):
        old, new = _types(database, f"old_{table}"), _types(database, f"new_{table}")
        columns = ", ".join(_name_if_unequal(name, old[name], new[name]) for name in old if name in new)
        database.execute(_DIFFERING.format(table=table, fates=fates, columns=columns))
        if table == "kept" and all(any(table_of(file) == table for file in unequal) for unequal in files):
            found.new_columns, found.lost_columns = sorted(new.keys() - old), sorted(old.keys() - new)
    database.execute(_CASES)
    counts = "SELECT month, kind, count(*) FROM cases GROUP BY ALL ORDER BY month"
    for month, kind, count in database.execute(counts).fetchall():
        found.months.setdefault(month, Counter())[kind] = count
    moves = """SELECT was, now, count(*) AS units FROM cases WHERE kind = 're-reasoned'
        GROUP BY ALL ORDER BY units DESC, was, now"""
    found.moves = {(was, now): units for was, now, units in database.execute(moves).fetchall()}
    columns = """SELECT unnest(columns) AS name, count(*) AS rows FROM cases WHERE kind = 'changed'
        GROUP BY name ORDER BY rows DESC, name"""
    found.columns = dict(database.execute(columns).fetchall())
    first = database.execute(_FIRST, [limit]).fetchall()
    rows = _rows(database, {("old", *case[6]) for case in first} | {("new", *case[7]) for case in first})
    for kind, row_id, month, was, now, names, old_place, new_place in first:
        sides = rows.get(("old", *old_place), {}), rows.get(("new", *new_place), {})
        case = Case(row_id, month, (was, now) if was else None, names or [], *sides)
        found.cases.setdefault(kind, []).append(case)


def _create_view(database: duckdb.DuckDBPyConnection, view: str, version: Version, files: list[str]) -> None:
    """Make a view of some part files, in which each row has its month."""
    months = {_text(version.path(file)): _text(month_of(file)) for file in files}
    pairs = ", ".join(f"{path}: {month}" for path, month in months.items())
    database.execute((_VIEW if months else _NO_ROWS).format(view=view, months=pairs, files=", ".join(months)))


def _types(database: duckdb.DuckDBPyConnection, view: str) -> dict[str, str]:
    """Return the type of each column that is compared."""
    columns = database.execute(f"DESCRIBE {view}").fetchall()
    return {name: kind for name, kind, *_ in columns if name != "_month"}


def _name_if_unequal(name: str, *types: str) -> str:
    """Return an expression that is a column's name where its values differ, else NULL.

    Values of two types are compared as numbers, or as they are written.
    """
    column = '"' + name.replace('"', '""') + '"'
    cast = "" if len({*types}) == 1 or _NUMBERS.issuperset(types) else "::TEXT"
    return f"CASE WHEN old.{column}{cast} IS DISTINCT FROM new.{column}{cast} THEN {_text(name)} END"


def _rows(
    database: duckdb.DuckDBPyConnection, places: Iterable[tuple[str, str, str]]
) -> dict[tuple[str, str, str], dict[str, Any]]:
    """Return rows by side, table and id."""
    ids: dict[tuple[str, str], list[str]] = {}
    for side, table, row_id in places:
        ids.setdefault((side, table), []).append(row_id)
    found = {}
    for (side, table), wanted in ids.items():
        rows = database.view(f"{side}_{table}").filter(
            duckdb.ColumnExpression("id").isin(*map(duckdb.ConstantExpression, wanted))
        )
        for row in rows.to_arrow_table().to_pylist():
            found[side, table, row["id"]] = {name: value for name, value in row.items() if name not in _OURS}
    return found


def _text(value: object) -> str:
    """Return a text as SQL has it."""
    return "'" + str(value).replace("'", "''") + "'"
