"""The two blocking checks: `conservation` of units, and the `schema` of tables.

Belongs here: checking a partition that was just written, using its files and those of its inputs on disk.
Not here: expectations about the content (validate.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ops.core.outcome import Shape
from ops.core.parts import TABLES, Parts, part_files, part_name
from orchestration.messages import escaped

_SHOWN = 5


@dataclass(frozen=True)
class Finding:
    """The result of a check: its faults, if any."""

    faults: tuple[str, ...]
    summary: str
    shown: Mapping[str, Any] = field(default_factory=dict)
    """More metadata for Dagster."""

    @property
    def passed(self) -> bool:
        """Whether no fault was found."""
        return not self.faults

    @property
    def description(self) -> str:
        """The text for Dagster, as Markdown."""
        return escaped("; ".join(self.faults) or self.summary)


def conservation(folder: Path, units: Sequence[pa.Array], expected: Iterable[str]) -> Finding:
    """Check that each input unit is used, dropped or rejected exactly once, and that none is lost.

    `units` are the ids that the step reports it took, part by part. `expected` are the ids in its input, read
    independently. A unit is used if it is the `id` of a kept row or among its `source_ids`.
    """
    faults: list[str] = []
    totals: Counter[str] = Counter()
    for index, part in enumerate(units):
        fates = _fates(part, {table: [folder / part_name(table, index)] for table in TABLES})
        totals.update({fate: len(ids) for fate, ids in fates.items()})
        faults += _faults(part, fates, f" in part {index}")
    all_units, all_due = _chunked(units), _chunked(_batches(expected))
    if not _same(all_units, all_due):
        taken, due = Counter(all_units.to_pylist()), Counter(all_due.to_pylist())
        faults += _listed("units of the input were not taken", (due - taken).elements())
        faults += _listed("units were taken that are not in the input", (taken - due).elements())
    return Finding(tuple(faults), _summary(len(all_due), totals))


def on_disk(folder: Path, expected: Iterable[str]) -> Finding:
    """Check conservation for a partition made earlier, of which only the files remain.

    The files do not say which units the step took in which part, so this checks one fate for each input unit.
    """
    due = pc.unique(_chunked(_batches(expected)))
    fates = _fates(due, {table: part_files(folder, table) for table in TABLES})
    summary = _summary(len(due), {fate: len(ids) for fate, ids in fates.items()})
    return Finding(tuple(_faults(due, fates, "")), summary)


def _fates(units: pa.Array, paths: Mapping[str, Iterable[Path]]) -> dict[str, pa.Array | pa.ChunkedArray]:
    """Return the units that are used, dropped and rejected, given each table's files."""
    mentioned: list[pa.Array] = []
    for path in paths["kept"]:
        kept = pq.read_table(path, columns=["id", "source_ids"])
        mentioned += [*kept["id"].chunks, *pc.list_flatten(kept["source_ids"]).chunks]
    used = pc.unique(units.filter(pc.is_in(units, pa.chunked_array(mentioned, pa.string()))))
    lost = ("dropped", "rejected")
    return {
        "used": used,
        **{
            table: _chunked(pq.read_table(path, columns=["id"])["id"] for path in paths[table])
            for table in lost
        },
    }


def _faults(units: pa.Array, fates: Mapping[str, pa.Array | pa.ChunkedArray], where: str) -> Iterator[str]:
    """Yield faults: units without exactly one fate, and fates of ids that are not units."""
    if pc.count_distinct(units).as_py() == len(units) and _same(_chunked([units]), _chunked(fates.values())):
        return
    taken = Counter(units.to_pylist())
    ended = Counter(unit for ids in fates.values() for unit in ids.to_pylist())
    yield from _listed(f"units occur twice{where}", _repeated(taken))
    yield from _listed(f"units are lost{where}", taken.keys() - ended.keys())
    yield from _listed(f"units have more than one fate{where}", _repeated(ended))
    yield from _listed(f"dropped or rejected ids are not input units{where}", ended.keys() - taken.keys())


def _summary(units: int, totals: Mapping[str, int]) -> str:
    return f"{units} in = {' + '.join(f'{totals[fate]} {fate}' for fate in ('used', 'dropped', 'rejected'))}"


def schema(folder: Path, shape: Shape) -> Finding:
    """Check the columns, and that every row has a unique id, sources and a licence."""
    faults: list[str] = []
    rows = 0
    for table in TABLES:
        ids: Counter[str] = Counter()
        declared = getattr(shape, table).names
        for path in part_files(folder, table):
            found = pq.read_schema(path).names
            if found != declared:
                faults.append(f"{path.name} has the columns {found}, but {declared} are declared")
                continue
            part = pq.read_table(path, columns=["id", "source_ids", "licence"])
            rows += part.num_rows
            ids.update(part["id"].to_pylist())
            missing = {f"without {name}": part[name].null_count for name in part.column_names}
            missing["without a source"] = pc.sum(
                pc.equal(pc.list_value_length(part["source_ids"]), 0)
            ).as_py()
            faults += [f"{path.name}: {number} rows {what}" for what, number in missing.items() if number]
        faults += _listed(f"ids occur twice in {table}", _repeated(ids))
    return Finding(tuple(faults), f"{rows} rows with the declared columns")


def unit_ids(parts: Parts, path: str | None = None) -> Iterator[str]:
    """Yield the ids of the units in an input: its rows, or the entries of a nested column."""
    for part in parts.parts:
        if path is None:
            yield from part.read(["id"])["id"].to_pylist()
        else:
            yield from pc.struct_field(pc.list_flatten(part.read([path])[path]), "id").to_pylist()


def _same(first: pa.ChunkedArray, second: pa.ChunkedArray) -> bool:
    """Return whether two lists hold the same ids in any order. Arrow takes 50 bytes per id, Python 200."""
    if len(first) != len(second):
        return False
    first, second = first.cast(pa.large_string()), second.cast(pa.large_string())  # string ends at 2 GiB
    return bool(first.take(pc.sort_indices(first)).equals(second.take(pc.sort_indices(second))))


def _chunked(lists: Iterable[pa.Array | pa.ChunkedArray]) -> pa.ChunkedArray:
    chunks = (found.chunks if isinstance(found, pa.ChunkedArray) else [found] for found in lists)
    return pa.chunked_array(chain.from_iterable(chunks), pa.string())


def _batches(ids: Iterable[str]) -> Iterator[pa.Array]:
    waiting = iter(ids)
    while batch := list(islice(waiting, 100_000)):
        yield pa.array(batch, pa.string())


def _repeated(counts: Counter[str]) -> Iterator[str]:
    return (name for name, count in counts.items() if count > 1)


def _listed(what: str, ids: Iterable[str]) -> list[str]:
    found = sorted(ids)
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return [f"{len(found)} {what}: {', '.join(found[:_SHOWN])}{more}"] if found else []
