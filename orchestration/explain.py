"""`orchestration.explain ROW_ID`: from any row back to the bytes it was made of, and on to what became of it.

Belongs here: finding rows by id and following `source_ids` through the datasets.
Not here: writing rows, and pages that show them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
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
    """Yield every row with one of these ids, in the order of the DAG.

    A dropped unit is found where it was kept before, too.
    """
    wanted = pa.array(sorted(ids), pa.string())
    yield from _matching(lambda path: pc.is_in(_column(path, "id"), value_set=wanted))


def users(row_id: str) -> Iterator[Found]:
    """Yield every kept row that names a row among its sources."""
    found = _matching(lambda path: _mentions(_column(path, "source_ids"), row_id))
    yield from (one for one in found if one.table == "kept")


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
        yield from (f"{indent}  {line}" for line in _spoken(found.row))
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


def _spoken(row: Mapping[str, Any]) -> Iterator[str]:
    """Yield the words of the transcript that an aligned sentence stands for, with their place in its file."""
    if not row.get("spans"):
        return
    pair = next(found.row for found in find([row["pair_id"]]) if found.table == "kept")
    for span in row["spans"][:_SOURCES_SHOWN]:
        words = pair["words"][span["first"] : span["last"] + 1]
        end = words[-1]["offset"] + len(words[-1]["text"])
        said = " ".join(word["text"] for word in words)
        yield f"spoken at characters {words[0]['offset']}-{end} of the transcript: {_short(said)}"


def _file(record_id: str) -> str:
    """Return the file of a raw record: its id is `source/path`, and `#line` in files of many records."""
    name, slash, path = record_id.partition("/")
    if not slash:
        return f"{record_id} (in no dataset any more)"
    path, _, row = path.partition("#")
    line = f", line {row}" if row else ""
    # papers and talks may each have a source of that name
    places = [Path(group[name].path) / path for group in settings().sources.values() if name in group]
    for place in sorted(places, key=lambda place: not (ROOT / place).exists()):
        return f"file {place.as_posix()}{line}"
    return f"{record_id} (its source is not in params.yaml any more)"


def _matching(condition: Callable[[Path], pa.Array]) -> Iterator[Found]:
    for item in datasets().values():
        for month in item.made_months:
            for table in TABLES:
                for path in sorted(folder(item, month).glob(f"{table}-*.parquet")):
                    mask = condition(path)
                    if pc.any(mask).as_py():
                        for row in pq.read_table(path).filter(mask).to_pylist():
                            yield Found(item, month, table, path, row)


@cache
def _column(path: Path, name: str) -> pa.Array:
    return pq.read_table(path, columns=[name])[name].combine_chunks()


def _mentions(lists: pa.Array, row_id: str) -> pa.Array:
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
