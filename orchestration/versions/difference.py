"""What became of each row between two versions of a dataset.

Belongs here: matching rows by id over the three tables, by DuckDB, which may leave memory for the disk. Part
files of one MD5 are never read. Not here: where files are (revisions.py), what is said of it (compare.py).
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
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

_BY_MONTH = "SELECT month, kind, count(*) FROM cases GROUP BY ALL ORDER BY month"
_MOVES = """SELECT was AS "from", now AS "to", count(*) AS units FROM cases WHERE kind = 're-reasoned'
GROUP BY ALL ORDER BY units DESC, was, now"""
_COLUMNS = """SELECT unnest(columns) AS name, count(*) AS rows FROM cases WHERE kind = 'changed'
GROUP BY name ORDER BY rows DESC, name"""
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


def difference(old: Version, new: Version, limit: int = 10) -> dict[str, Any]:
    """Return what differs between two versions of a dataset, as JSON has it but for `cases`.

    - `files`: how many part files there are now, and how many of them are the same;
    - `totals`: rows of each kind; `months`: the same by month;
    - `moves`: units by fate before (`from`) and now (`to`), the most first;
    - `columns`: changed kept rows by the columns in which they changed, the most first. Only columns that
      both have are compared; `new_columns` and `lost_columns` are the others;
    - `cases`: the first `limit` ones of each kind by id.

    Two missing values are equal, and so are two NaNs. A unit is re-reasoned where it is dropped or rejected
    in one version, and in the other has another reason or is used by a kept row. That is counted beside the
    rows: a kept row is made of any number of units, and is added or removed whatever became of them. Raises
    NotInCacheError where a file is not here, ValueError where one is no Parquet.
    """
    files = _unequal(old.files, new.files), _unequal(new.files, old.files)
    count = sum(1 for file in new.files if table_of(file))
    try:
        with duckdb.connect(config={"temp_directory": tempfile.gettempdir()}) as database:
            columns = _find_cases(database, (old, new), files)
            return {
                "files": {"all": count, "same": count - len(files[1])},
                **_counts(database),
                **columns,
                "cases": _first_cases(database, limit),
            }
    except duckdb.Error as error:
        message = str(error).partition("\n")[0]
        raise ValueError(
            f"{old.dataset}: {old.label} and {new.label} cannot be compared: {message}"
        ) from error


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


def _find_cases(
    database: duckdb.DuckDBPyConnection,
    versions: tuple[Version, Version],
    files: tuple[list[str], list[str]],
) -> dict[str, list[str]]:
    """Fill the table of cases; return the columns that only one version has."""
    for side, version, unequal in zip(("old", "new"), versions, files, strict=True):
        for table in TABLES:
            parts = [file for file in unequal if table_of(file) == table]
            _create_view(database, f"{side}_{table}", version, parts)
        database.execute(_LOST.format(side=side))
        database.execute(_USERS.format(side=side))
    only: dict[str, list[str]] = {"new_columns": [], "lost_columns": []}
    for table, fates in (("kept", ""), ("lost", "old._fate AS was, new._fate AS now,")):
        old, new = _types(database, f"old_{table}"), _types(database, f"new_{table}")
        columns = ", ".join(_name_if_unequal(name, old[name], new[name]) for name in old if name in new)
        database.execute(_DIFFERING.format(table=table, fates=fates, columns=columns))
        if table == "kept" and all("kept" in map(table_of, unequal) for unequal in files):
            only = {"new_columns": sorted(new.keys() - old), "lost_columns": sorted(old.keys() - new)}
    database.execute(_CASES)
    return only


def _counts(database: duckdb.DuckDBPyConnection) -> dict[str, Any]:
    months: dict[str, dict[str, int]] = {}
    for month, kind, rows in database.execute(_BY_MONTH).fetchall():
        months.setdefault(month, dict.fromkeys(KINDS, 0))[kind] = rows
    return {
        "totals": {kind: sum(rows[kind] for rows in months.values()) for kind in KINDS},
        "months": months,
        "moves": database.sql(_MOVES).to_arrow_table().to_pylist(),
        "columns": dict(database.execute(_COLUMNS).fetchall()),
    }


def _first_cases(database: duckdb.DuckDBPyConnection, limit: int) -> dict[str, list[Case]]:
    """Return the first cases of each kind by id."""
    first = database.execute(_FIRST, [limit]).fetchall()
    rows = _rows(database, {("old", *case[-2]) for case in first} | {("new", *case[-1]) for case in first})
    cases: dict[str, list[Case]] = {kind: [] for kind in KINDS}
    for kind, row_id, month, was, now, names, old_place, new_place in first:
        sides = rows.get(("old", *old_place), {}), rows.get(("new", *new_place), {})
        cases[kind].append(Case(row_id, month, (was, now) if was else None, names or [], *sides))
    return cases


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
