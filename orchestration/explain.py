"""`orchestration.explain ROW_ID`: from any row back to the bytes it was made of, and on to what became of it.

Belongs here: finding rows by id and following `source_ids` through the datasets.
Not here: writing rows, and pages that show them.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import yaml

from assets.declaration import Declaration
from assets.settings import ROOT, settings
from orchestration.freshness import View
from orchestration.graph import datasets, folder, label
from orchestration.store.parquet import TABLES
from orchestration.store.records import read_record

_SOURCES_SHOWN, _WIDTH = 3, 240


@dataclass(frozen=True)
class Found:
    """One row as it stands in one dataset."""

    item: Declaration
    month: str
    table: str
    path: Path
    row: Mapping[str, Any]

    @property
    def name(self) -> str:
        """Dataset, month and table, as people read them."""
        return f"{label(self.item, self.month)} [{self.table}]"


def find(ids: Collection[str]) -> Iterator[Found]:
    """Yield every row with one of these ids, in the order of the DAG: a dropped unit is found where it
    was kept before, too."""
    yield from _matching(
        lambda table: pc.is_in(table["id"], value_set=pa.array(sorted(ids), pa.string())), ["id"]
    )


def users(row_id: str) -> Iterator[Found]:
    """Yield every kept row that names a row among its sources."""
    yield from (
        found
        for found in _matching(lambda table: _mentions(table, row_id), ["source_ids"])
        if found.table == "kept"
    )


def explain(row_id: str) -> str:
    """Return the passport of a row as text.

    Raises LookupError where no dataset has a row of that id.
    """
    here = list(find([row_id]))
    if not here:
        raise LookupError(
            f"no row {row_id!r} in any dataset; ids stand in the `id` column of every Parquet file"
        )
    lines = [f"row {row_id}"]
    for found in here:
        lines += ["", *_describe(found)]
    lines += ["", "made of"]
    lines += _origins(here[-1].row["source_ids"], "  ", {row_id})
    later = [f"  {found.name}: {found.row['id']}" for found in users(row_id) if found.row["id"] != row_id]
    return "\n".join([*lines, "", "used by", *(later or ["  nothing"])])


def _describe(found: Found) -> list[str]:
    record = read_record(found.item, found.month) or View().known(found.item, found.month)
    run = (record.run_id if record else None) or "not made here (it came through DVC)"
    lines = [found.name, f"  file: {found.path.relative_to(ROOT).as_posix()}", f"  run: {run}"]
    lines += [
        f"  {name}: {_short(value)}" for name, value in found.row.items() if name not in ("id", "source_ids")
    ]
    if record:
        lines += [f"  params {name}: {_flow(value)}" for name, value in sorted(record.key["params"].items())]
        lines.append(f"  code: {record.key['code'].get('code')}")
    return lines


def _origins(ids: Collection[str], indent: str, seen: set[str]) -> Iterator[str]:
    shown = [name for name in ids if name not in seen]
    for row_id in shown[:_SOURCES_SHOWN]:
        seen.add(row_id)
        rows = [found for found in find([row_id]) if found.table == "kept"]
        if not rows:
            yield f"{indent}{_file(row_id)}"
            continue
        found = rows[-1]
        yield f"{indent}{found.name} {row_id}{_place(found.row)}"
        sources = [name for row in rows for name in row.row["source_ids"]]
        yield from _origins(list(dict.fromkeys(sources)), indent + "  ", seen)
    if len(shown) > _SOURCES_SHOWN:
        yield f"{indent}and {len(shown) - _SOURCES_SHOWN} more rows of the same kind"


def _place(row: Mapping[str, Any]) -> str:
    if "locator" in row:
        return f": {row['locator']}, characters {row['start']}-{row['end']}: {_short(row['text'])}"
    if "count" in row:
        return f": {row['count']} spoken words: {_short(row['text'])}"
    title = row.get("title") or row.get("paper_title")
    return f": {_short(title)}" if title else ""


def _file(record_id: str) -> str:
    """Return the file of a raw record: its id is `source/path`, and `#line` in files of many records."""
    name, slash, path = record_id.partition("/")
    if not slash:
        return f"{record_id} (in no dataset any more)"
    path, _, row = path.partition("#")
    for sources in settings().sources.values():
        if name in sources:
            line = f", line {row}" if row else ""
            return f"file {(Path(sources[name].path) / path).as_posix()}{line}"
    return f"{record_id} (its source is not in params.yaml any more)"


def _matching(condition: Any, columns: list[str]) -> Iterator[Found]:
    for item in datasets().values():
        for month in item.made_months:
            for table in TABLES:
                for path in sorted(folder(item, month).glob(f"{table}-*.parquet")):
                    mask = condition(pq.read_table(path, columns=columns))
                    if pc.any(mask).as_py():
                        for row in pq.read_table(path).filter(mask).to_pylist():
                            yield Found(item, month, table, path, row)


def _mentions(table: pa.Table, row_id: str) -> pa.Array:
    lists = table["source_ids"].combine_chunks()
    hits = pc.equal(pc.list_flatten(lists), row_id)
    rows = pc.unique(pc.filter(pc.list_parent_indices(lists), hits))
    return pc.is_in(pa.array(range(len(lists)), pa.int64()), value_set=rows.cast(pa.int64()))


def _short(value: object) -> str:
    text = " ".join(str(value)[: 4 * _WIDTH].split())
    return text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…"


def _flow(value: object) -> str:
    return (
        yaml.safe_dump(value, default_flow_style=True, width=10_000, sort_keys=True)
        .removesuffix("...\n")
        .strip()
    )


if __name__ == "__main__":
    from orchestration.command import run

    if len(sys.argv) != 2 or not sys.argv[1]:
        sys.exit("usage: python -m orchestration.explain ROW_ID   (make explain ID=<row id>)")
    run(lambda: print(explain(sys.argv[1])))
