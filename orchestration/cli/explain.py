"""`silverloom explain`: trace a row back to its source files and forward to the rows made from it.

Belongs here: the rows that a name means, their fate, and a row's lineage as text, with the run that made the
row. Not here: finding rows by id (assets/rows/ancestry.py) and lineage as pages (pages/lineage.py).
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow.compute as pc

from silverloom.assets.declare.graph import Everything, label
from silverloom.assets.rows.ancestry import Ancestry, File, Lineage, RowPlace, opened
from silverloom.assets.rows.origins import flow, raw_file, rows, short, spoken, summary_column, where
from silverloom.assets.rows.reading import read
from silverloom.ops.core.identity import row_id
from silverloom.ops.core.outcome import Row
from silverloom.ops.parse.decoding import one_line
from silverloom.orchestration.dagster.health import made_by
from silverloom.orchestration.dagster.instance import dagster_errors
from silverloom.orchestration.state.freshness import read_manifest
from silverloom.orchestration.workspace.workspace import Workspace

_SOURCES_SHOWN = 3
_ROWS_SHOWN = 10

#: Columns of a parsed source that name a document as its source does.
_NAMES = ("document", "url")


def explain(workspace: Workspace, name: str) -> str:
    """Return a row's fate and lineage as text, or the fates of all rows of a document.

    `name` is the id of a row, or what a source calls a document: its id, URL or file. Raises LookupError if
    no dataset has such a row.
    """
    folders = {
        dataset.name: {
            partition: workspace.folder(dataset, partition) for partition in dataset.made_partitions
        }
        for dataset in workspace.datasets.values()
    }
    scratch = workspace.state / "parts"
    scratch.mkdir(parents=True, exist_ok=True)
    with opened(Everything(folders, workspace.graph, scratch=scratch)) as ancestry:
        return "\n".join(map(one_line, _explained(workspace, ancestry, name)))


def _explained(workspace: Workspace, ancestry: Ancestry, name: str) -> list[str]:
    ids = _meant(ancestry, name)
    if not ids:
        raise LookupError(
            f"no dataset has a row or a document {name!r}; the ids of rows are in the column `id` of every "
            "Parquet file; a record that was dropped or rejected when it was read has its source, file and "
            "line as its id, such as texts/2018.jsonl#7"
        )
    lines = list[str]()
    for id in ids[:_ROWS_SHOWN]:
        places = ancestry.places([id])[id]
        lines += [f"row {id}", *map(_fate, places, rows(places))]
    if len(ids) > 1:
        more = f"and {len(ids) - _ROWS_SHOWN} more rows; " if len(ids) > _ROWS_SHOWN else ""
        lines += ["", f"{more}`silverloom explain ID` shows where one of them comes from"]
    else:
        lines += _lineage(workspace, ancestry, ids[0])
    return lines


def _meant(ancestry: Ancestry, name: str) -> list[str]:
    """Return the row with an id, else the rows of a raw record or file, or of a document with that name."""
    known = ancestry.matching(name)
    ancestry.look_up(known)
    lineages = map(ancestry.lineage, known)
    ids = [id for lineage in lineages for id in ([lineage.id] if lineage.places else lineage.user_ids())]
    for file in () if ids else ancestry.files:
        for column in _NAMES if file.dataset.records else ():
            if column in file.schema.names:
                table = read(file.path, ["id", column])
                ids += table.filter(pc.equal(table[column], name))["id"].to_pylist()
    return list(dict.fromkeys(ids))


def _fate(place: RowPlace, row: Row) -> str:
    """Return what became of a row in a dataset, in a line."""
    fate = place.file.table
    if fate == "dropped":
        score = "" if row["score"] is None else f", score {row['score']:g}"
        fate = f"dropped as {row['reason']}{score}" + (f" ({short(row['detail'])})" if row["detail"] else "")
    elif fate == "rejected":
        fate = f"rejected: {short(row['error'])}"
    return f"  {label(place.file.dataset, place.file.partition)}: {fate}"


def _lineage(workspace: Workspace, ancestry: Ancestry, id: str) -> Iterator[str]:
    lineage = ancestry.lineage(id)
    for place, row in zip(lineage.places, rows(lineage.places, whole=True), strict=True):
        yield from ("", *_describe(workspace, place, row))
    yield from ("", "made of", *_origins(ancestry, lineage, "  ", {id}), "", "used by")
    for place, row in zip(lineage.used_by, rows(lineage.used_by), strict=True):
        yield f"  {place.file.name}: {row['id']}"
    if not lineage.used_by:
        yield "  nothing"


def _describe(workspace: Workspace, place: RowPlace, row: Row) -> list[str]:
    file = place.file
    manifest = read_manifest(workspace, file.dataset, file.partition)
    with dagster_errors():
        run = made_by(file.dataset, file.partition, manifest.version) if manifest else None
    run = run or "not made here (pulled by DVC)"
    lines = [file.name, f"  file: {file.address}", f"  run: {run}"]
    lines += [f"  {name}: {short(value)}" for name, value in row.items() if name not in ("id", "source_ids")]
    if manifest:
        lines += [f"  params {name}: {flow(value)}" for name, value in sorted(manifest.key["params"].items())]
        lines.append(f"  code: {manifest.key['code'].get('code')}")
    return lines


def _origins(ancestry: Ancestry, lineage: Lineage, indent: str, seen: set[str]) -> Iterator[str]:
    found_on, made_of = _finder(ancestry, lineage)
    if found_on:
        yield f"{indent}found on {short(found_on)}"
    elif lineage.raw:
        yield f"{indent}{raw_file(lineage.id, lineage.kind)}"
    fresh = [id for id in made_of if id not in seen]
    ancestry.look_up(fresh[:_SOURCES_SHOWN])
    for id in fresh[:_SOURCES_SHOWN]:
        seen.add(id)
        origin = ancestry.lineage(id)
        if not origin.kept and (holder := ancestry.holder(lineage, origin.id)) is not None:
            if holder in seen:
                continue
            seen.add(holder)
            yield f"{indent}{origin.id}, of"
            origin = ancestry.lineage(holder)
        if not origin.kept:
            lost = _origins(ancestry, origin, indent, seen)
            yield from lost if found_on else [f"{indent}{raw_file(origin.id, origin.kind)}"]
            continue
        place = origin.kept[-1]
        (row,) = rows([place])
        yield f"{indent}{place.file.name} {origin.id}{_about(place.file, row)}"
        yield from (f"{indent}  {line}" for line in spoken(ancestry, [place], [row])[0])
        yield from _origins(ancestry, origin, indent + "  ", seen)
    if len(fresh) > _SOURCES_SHOWN:
        yield f"{indent}and {len(fresh) - _SOURCES_SHOWN} more rows like these"


def _finder(ancestry: Ancestry, lineage: Lineage) -> tuple[str, list[str]]:
    """Return the URL or article on which a crawl found this page ("" if the row is not a page) and the rows
    to follow next.

    For a crawled page, those are the row of that URL or article, which leads on to the list or the dump, or
    else what is recorded about it if it was lost. The page's own unit is not a row.
    """
    place = next((place for place in lineage.places if place.file.dataset.crawl), None)
    (row,) = rows([place]) if place else ({},)
    if place is None or not (finder := row.get("found_on")):
        return "", lineage.made_of
    ids = [finder, row_id("page", row["crawl"], place.file.partition, finder)]
    ancestry.look_up(ids)
    known = [id for id in ids if ancestry.lineage(id).places or ancestry.lineage(id).used_by]
    listed = [id for id in lineage.made_of if "/" in id]
    return finder, known or listed or ancestry.lost_finder(place, row["crawl"], finder)


def _about(file: File, row: Row) -> str:
    summary = row.get(summary_column(file, row.keys()) or "")
    return "".join(f": {part}" for part in (where(file, row), summary and short(summary)) if part)
