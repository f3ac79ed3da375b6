"""Two blocking checks, `conservation` of units and the `schema` of tables, and what a finding decides.

Belongs here: which units a partition must account for, read from its inputs, and checking its files. Not
here: expectations about the content (validate.py), opening inputs (partition/inputs.py).
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from silverloom.assets.declare.checks import ADVISORY
from silverloom.assets.declare.declaration import Dataset
from silverloom.assets.rows.reading import read
from silverloom.ops.core.outcome import Shape
from silverloom.ops.core.parts import (
    FILES,
    TABLES,
    Artifact,
    Parts,
    part_files,
    part_name,
    temporary_folder,
)
from silverloom.ops.crawl.journal import asked_units
from silverloom.orchestration.checks.ids import IdCounts, StoredIds, counted
from silverloom.orchestration.messages import escaped
from silverloom.orchestration.state.freshness import CheckResult
from silverloom.orchestration.state.sources import corpus
from silverloom.orchestration.workspace.workspace import Workspace

#: The most ids whose repetition is looked for in memory.
FEW = 100_000


@dataclass(frozen=True)
class Finding:
    """The result of a check: its faults, if any."""

    faults: tuple[str, ...]
    summary: str
    results: tuple[CheckResult, ...] = ()
    """What a manifest holds."""
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


def accepted(findings: Mapping[str, Finding]) -> bool:
    """Return whether these findings let a partition be published."""
    return all(finding.passed for name, finding in findings.items() if name not in ADVISORY)


def recorded(findings: Mapping[str, Finding]) -> dict[str, list[CheckResult]]:
    """Return the results of checks as a manifest holds them."""
    return {name: list(finding.results) for name, finding in findings.items()}


#: What these checks expect.
_CONSERVED = "each input unit is used, dropped or rejected, once"
_SCHEMA = "the declared columns; unique ids, sources and a licence in every row"


def _finding(expected: str, faults: Iterable[str], summary: str) -> Finding:
    faults = tuple(faults)
    observed = "; ".join(faults) or summary
    result = CheckResult(expected=expected, severity="error", passed=not faults, observed=observed)
    return Finding(faults, summary, (result,))


def expected_units(
    workspace: Workspace,
    dataset: Dataset,
    partition: str,
    inputs: Mapping[str, Parts | Artifact],
    folder: Path,
) -> Iterator[str]:
    """Return the ids of the units that a partition in `folder` must account for.

    A crawl finds units itself; the journal in its folder lists those it requested.
    """
    listed = _listed(workspace, dataset, partition, inputs)
    if not dataset.crawl:
        return listed
    known = list(listed)
    return chain(known, asked_units(folder / FILES, besides=known))


def _listed(
    workspace: Workspace, dataset: Dataset, partition: str, inputs: Mapping[str, Parts | Artifact]
) -> Iterator[str]:
    """Yield the units in the inputs: raw records, and rows of the datasets that params.yaml lists as sources;
    else those of the input that the dataset consumes.
    """
    if dataset.records:
        yield from corpus(workspace, dataset.records).ids(partition)
        for source in workspace.settings.named_datasets(dataset.records).values():
            yield from unit_ids(_rows(inputs[source.dataset]))
    elif dataset.consumes:
        argument, _, nested = dataset.consumes.partition(".")
        yield from unit_ids(_rows(inputs[argument]), nested or None)


def _rows(read: Parts | Artifact) -> Parts:
    return read.rows if isinstance(read, Artifact) else read


def unit_ids(parts: Parts, path: str | None = None) -> Iterator[str]:
    """Yield the ids of the units in an input: its rows, or the entries of a nested column."""
    for part in parts.parts:
        if path is None:
            yield from part.read(["id"])["id"].to_pylist()
        else:
            yield from pc.struct_field(pc.list_flatten(part.read([path])[path]), "id").to_pylist()


def conservation(
    folder: Path, units: Iterable[pa.Array], expected: Iterable[str], scratch: Path | None = None
) -> Finding:
    """Check that each input unit is used, dropped or rejected exactly once, and that none is lost.

    `units` are the ids that the step reports it took, part by part; they are read twice if there are faults.
    `expected` are the ids in its input, read independently. A unit is used if it is the `id` of a kept row or
    among its `source_ids`. Memory holds one part.
    """
    faults: list[str] = []
    totals: Counter[str] = Counter()
    taken = 0
    for index, part in enumerate(units):
        fates = _fates(part, {table: [folder / part_name(table, index)] for table in TABLES})
        totals.update({fate: len(ids) for fate, ids in fates.items()})
        of_part = _checksum([part])
        if pc.count_distinct(part).as_py() < len(part) or of_part != _checksum(fates.values()):
            lists = {"taken": [part], **{fate: ids.chunks for fate, ids in fates.items()}}
            with counted(scratch, lists) as ids:
                faults += ids.listed(f"units occur twice in part {index}", "taken > 1")
                faults += _faults(ids, "used", f" in part {index}")
        taken += of_part
    with temporary_folder(scratch) as stored:
        due = StoredIds(stored / "due")
        number = due.write(_batches(expected))
        if taken != _checksum(due):
            with counted(scratch, {"taken": units, "due": due}, having="taken <> due") as ids:
                faults += ids.listed("units of the input were not taken", "due - taken")
                faults += ids.listed("units were taken that are not in the input", "taken - due")
    return _finding(_CONSERVED, faults, _summary(number, totals))


def on_disk(folder: Path, expected: Iterable[str], scratch: Path | None = None) -> Finding:
    """Check conservation for a partition made earlier, of which only the files remain.

    The files do not say which units the step took in which part, so this checks one fate for each input unit.
    """
    used = "(taken > 0 AND mentioned > 0)::INT"
    with temporary_folder(scratch) as stored:
        due = StoredIds(stored / "due")
        due.write(_batches(expected))
        lists = {"taken": due, "mentioned": _mentioned(part_files(folder, "kept"))}
        lost = {table: _ids(part_files(folder, table)) for table in ("dropped", "rejected")}
        with counted(scratch, {**lists, **lost}) as ids:
            totals = {"used": ids.total(used), **{table: ids.total(table) for table in lost}}
            summary = _summary(ids.total("(taken > 0)::INT"), totals)
            return _finding(_CONSERVED, _faults(ids, used, ""), summary)


def _fates(units: pa.Array, paths: Mapping[str, Iterable[Path]]) -> dict[str, pa.ChunkedArray]:
    """Return the units that are used, dropped and rejected, given each table's files."""
    mentioned = _chunked(_mentioned(paths["kept"]))
    return {
        "used": _chunked([pc.unique(units.filter(pc.is_in(units, mentioned)))]),
        **{table: _chunked(_ids(paths[table])) for table in ("dropped", "rejected")},
    }


def _mentioned(paths: Iterable[Path]) -> Iterator[pa.Array]:
    """Yield the ids of kept rows and of their sources."""
    for path in paths:
        table = read(path, ["id", "source_ids"])
        yield from table["id"].chunks
        yield from pc.list_flatten(table["source_ids"]).chunks


def _ids(paths: Iterable[Path]) -> Iterator[pa.Array]:
    for path in paths:
        yield from read(path, ["id"])["id"].chunks


def _faults(ids: IdCounts, used: str, where: str) -> Iterator[str]:
    """Yield faults: units without exactly one fate, and fates of ids that are not units."""
    ended = f"{used} + dropped + rejected"
    yield from ids.listed(f"units are lost{where}", f"taken > 0 AND {ended} = 0")
    yield from ids.listed(f"units have more than one fate{where}", f"{ended} > 1")
    yield from ids.listed(f"dropped or rejected ids are not input units{where}", f"taken = 0 AND {ended} > 0")


def _summary(units: int, totals: Mapping[str, int]) -> str:
    return f"{units} in = {' + '.join(f'{totals[fate]} {fate}' for fate in ('used', 'dropped', 'rejected'))}"


def schema(folder: Path, shape: Shape, scratch: Path | None = None) -> Finding:
    """Check the columns, and that every row has a unique id, sources and a licence."""
    faults: list[str] = []
    rows = 0
    for table in TABLES:
        sound: list[Path] = []
        few: list[pa.ChunkedArray] = []  # the ids, as long as they are few enough for memory
        before = rows
        declared = getattr(shape, table).names
        for path in part_files(folder, table):
            with pq.ParquetFile(path) as file:
                columns = file.schema_arrow.names
                if columns != declared:
                    faults.append(f"{path.name} has the columns {columns}, but {declared} are declared")
                    continue
                part = file.read(["id", "source_ids", "licence"])
            rows += part.num_rows
            sound.append(path)
            few = [*few, part["id"]] if rows - before <= FEW else []
            missing = {f"without {name}": part[name].null_count for name in part.column_names}
            missing["without a source"] = pc.sum(
                pc.equal(pc.list_value_length(part["source_ids"]), 0)
            ).as_py()
            faults += [f"{path.name}: {number} rows {what}" for what, number in missing.items() if number]
        present = _chunked(few).drop_null()
        if rows - before > FEW or pc.count_distinct(present).as_py() < len(present):
            with counted(scratch, {"present": _ids(sound)}, having="present > 1") as ids:
                faults += ids.listed(f"ids occur twice in {table}", "present > 1")
    return _finding(_SCHEMA, faults, f"{rows} rows with the declared columns")


def _checksum(lists: Iterable[pa.Array | pa.ChunkedArray]) -> int:
    """Return the sum of the hashes of ids: equal lists in any order have the same, others do not."""
    names = (str(name) for ids in lists for name in ids.to_pylist())
    return sum(int.from_bytes(hashlib.blake2b(name.encode(), digest_size=16).digest()) for name in names)


def _chunked(lists: Iterable[pa.Array | pa.ChunkedArray]) -> pa.ChunkedArray:
    chunks = (array.chunks if isinstance(array, pa.ChunkedArray) else [array] for array in lists)
    return pa.chunked_array(chain.from_iterable(chunks), pa.string())


def _batches(ids: Iterable[str]) -> Iterator[pa.Array]:
    waiting = iter(ids)
    while batch := list(islice(waiting, 100_000)):
        yield pa.array(batch, pa.string())
