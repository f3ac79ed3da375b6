"""What happened to each row between two versions of a dataset, and what changed in its values.

Belongs here: matching rows by id over the three tables, with DuckDB (views.sql, cases.sql), which may spill
to disk; how much context is shown around a change. Part files with equal MD5s are never read. Not here: the
word-level comparison (ops/text/words.py), where versions are stored, and the report on the comparison
(orchestration/versions).
"""

from __future__ import annotations

import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from jinja2 import Environment

from silverloom.ops.core.database import escaped_paths
from silverloom.ops.core.parts import TABLES
from silverloom.ops.text.words import Piece, word_difference

if TYPE_CHECKING:
    import duckdb

#: Kinds of changes: of kept rows (first three), of input units, and of stored dropped or rejected rows.
KINDS = ("added", "removed", "changed", "other fate", "losses added", "losses removed", "losses changed")

#: Columns that the views add to those of the dataset.
_OURS = ("_partition", "_fate")
_NUMBER = re.compile(r"U?(TINY|SMALL|BIG)INT|U?INTEGER|FLOAT|DOUBLE")

_BY_PARTITION = "SELECT partition, kind, count(*) FROM cases GROUP BY ALL ORDER BY partition"
_MOVES = """SELECT was AS "from", now AS "to", count(*) AS units FROM cases WHERE kind = 'other fate'
GROUP BY ALL ORDER BY units DESC, was, now"""
_COLUMNS = """SELECT unnest(columns) AS name, count(*) AS rows FROM cases WHERE kind = 'changed'
GROUP BY name ORDER BY rows DESC, name"""
_FIRST = """SELECT kind, id, partition, was, now, columns, old, new FROM cases
QUALIFY row_number() OVER (PARTITION BY kind ORDER BY id) <= ? ORDER BY kind, id"""


class ComparedVersion(Protocol):
    """One version of a dataset."""

    @property
    def dataset(self) -> str:
        """The name of the dataset."""

    @property
    def label(self) -> str:
        """The name of the version."""

    @property
    def files(self) -> Mapping[str, str]:
        """MD5s by path relative to the dataset's folder."""

    def path(self, file: str) -> Path:
        """Return the path of one of its Parquet files."""


class Case(NamedTuple):
    """A row that differs between the versions: both of its values ({} if it is missing), and its fates."""

    id: str
    partition: str
    fates: tuple[str, str] | None
    """For units with another fate: `kept`, `dropped: <reason>` or `rejected`, before and now."""
    columns: list[str]
    """The changed columns of a row that both versions have."""
    old: dict[str, Any]
    new: dict[str, Any]


def difference(old: ComparedVersion, new: ComparedVersion, limit: int = 10) -> dict[str, Any]:
    """Return the differences between two versions of a dataset, as JSON-compatible data except `cases`.

    - `files`: the number of part files now, and how many of them are unchanged;
    - `totals`: rows of each kind; `partitions`: the same by partition;
    - `moves`: units by fate before (`from`) and now (`to`), most frequent first;
    - `columns`: changed kept rows by changed column, most frequent first. Only columns of both versions are
      compared; `new_columns` and `lost_columns` list the others;
    - `cases`: the first `limit` cases of each kind, by id.

    Two missing values are equal, and so are two NaNs. A unit has another fate if one version drops or rejects
    it, and the other has a different reason or uses it in a kept row. Units are counted separately from rows:
    a kept row may be made from several units, and is added or removed whatever happened to them. Raises
    ValueError if a file is not valid Parquet.
    """
    import duckdb  # late: takes a quarter of a second, and live pages seldom have anything to compare

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
    """Return the table that a part file of a dataset belongs to; None for other files."""
    name = file.rpartition("/")[2]
    return next(
        (table for table in TABLES if name.startswith(f"{table}-") and name.endswith(".parquet")), None
    )


def partition_of(file: str) -> str:
    """Return the partition of a file of a dataset, or ""."""
    first, _, rest = file.partition("/")
    return first if rest and not first.startswith("__") else ""


def _unequal(files: Mapping[str, str], others: Mapping[str, str]) -> list[str]:
    """Return the part files of one version that have no equal in the other, in order."""
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
    versions: tuple[ComparedVersion, ComparedVersion],
    files: tuple[list[str], list[str]],
) -> dict[str, list[str]]:
    """Fill the table of cases; return the columns that only one version has."""
    parts = {
        side: {
            table: {
                str(version.path(file)): partition_of(file) for file in unequal if table_of(file) == table
            }
            for table in TABLES
        }
        for side, version, unequal in zip(("old", "new"), versions, files, strict=True)
    }
    database.execute(_sql("views.sql", parts=parts))
    old, new = _types(database, "old_kept"), _types(database, "new_kept")
    tables = {
        "kept": _common(old, new),
        "lost": _common(_types(database, "old_lost"), _types(database, "new_lost")),
    }
    database.execute(_sql("cases.sql", tables=tables))
    if not (parts["old"]["kept"] and parts["new"]["kept"]):
        return {"new_columns": [], "lost_columns": []}
    return {"new_columns": sorted(new.keys() - old), "lost_columns": sorted(old.keys() - new)}


def _types(database: duckdb.DuckDBPyConnection, view: str) -> dict[str, str]:
    """Return the types of the columns to compare."""
    columns = database.execute(f"DESCRIBE {view}").fetchall()
    return {name: kind for name, kind, *_ in columns if name != "_partition"}


def _common(old: Mapping[str, str], new: Mapping[str, str]) -> dict[str, bool]:
    """Return the columns that two tables share, and whether their types are comparable."""
    return {
        name: kind == new[name] or all(map(_NUMBER.fullmatch, (kind, new[name])))
        for name, kind in old.items()
        if name in new
    }


def _sql(template: str, **values: object) -> str:
    environment = Environment(autoescape=False)  # noqa: S701  not HTML
    environment.filters["literal"] = lambda text: "'" + text.replace("'", "''") + "'"
    environment.filters["escaped"] = escaped_paths
    environment.filters["identifier"] = lambda name: '"' + name.replace('"', '""') + '"'
    return environment.from_string((Path(__file__).parent / template).read_text()).render(values)


def _counts(database: duckdb.DuckDBPyConnection) -> dict[str, Any]:
    partitions: dict[str, dict[str, int]] = {}
    for partition, kind, rows in database.execute(_BY_PARTITION).fetchall():
        partitions.setdefault(partition, dict.fromkeys(KINDS, 0))[kind] = rows
    return {
        "totals": {kind: sum(rows[kind] for rows in partitions.values()) for kind in KINDS},
        "partitions": partitions,
        "moves": database.sql(_MOVES).to_arrow_table().to_pylist(),
        "columns": dict(database.execute(_COLUMNS).fetchall()),
    }


def _first_cases(database: duckdb.DuckDBPyConnection, limit: int) -> dict[str, list[Case]]:
    """Return the first cases of each kind by id."""
    first = database.execute(_FIRST, [limit]).fetchall()
    rows = _rows(database, {("old", *case[-2]) for case in first} | {("new", *case[-1]) for case in first})
    cases: dict[str, list[Case]] = {kind: [] for kind in KINDS}
    for kind, row_id, partition, was, now, names, old_place, new_place in first:
        sides = rows.get(("old", *old_place), {}), rows.get(("new", *new_place), {})
        cases[kind].append(Case(row_id, partition, (was, now) if was else None, names or [], *sides))
    return cases


def _rows(
    database: duckdb.DuckDBPyConnection, places: Iterable[tuple[str, str, str]]
) -> dict[tuple[str, str, str], dict[str, Any]]:
    """Return rows by side, table and id."""
    ids: dict[tuple[str, str], list[str]] = {}
    for side, table, row_id in places:
        ids.setdefault((side, table), []).append(row_id)
    by_place = {}
    for (side, table), wanted in ids.items():
        rows = database.sql(f"FROM {side}_{table} WHERE list_contains(?, id)", params=[wanted])
        for row in rows.to_arrow_table().to_pylist():
            by_place[side, table, row["id"]] = {
                name: value for name, value in row.items() if name not in _OURS
            }
    return by_place


#: Words shown around a change, and maximum characters of one piece.
_AROUND, _LONGEST = 6, 400


def pieces(old: Any, new: Any) -> list[Piece]:
    """Return the changes between two values, with a few words around each change.

    Values other than strings are compared as JSON.
    """
    changes = word_difference(written(old), written(new))
    return [_short(piece, at == 0, at == len(changes) - 1) for at, piece in enumerate(changes)]


def written(value: Any) -> str:
    """Return a value as text."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=repr)


def _short(piece: Piece, first: bool, last: bool) -> Piece:
    text = piece.text
    words = re.findall(r"\s*\S+\s*", text)
    if piece.sign != "=":
        text = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    elif len(words) > 2 * _AROUND + 1:
        before = "" if first else "".join(words[:_AROUND])[:_LONGEST]
        after = "" if last else "".join(words[-_AROUND:])[-_LONGEST:]
        text = f"{before}… {after}" if after else f"{before}…"
    elif len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2]}…{text[-_LONGEST // 2 :]}"
    return Piece(piece.sign, text)
