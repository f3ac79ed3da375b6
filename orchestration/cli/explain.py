"""`silverloom explain`: trace a row back to its source files and forward to the rows made from it.

Belongs here: a row's lineage as text, with the run that made the row. Not here: finding rows
(assets/rows/ancestry.py) and lineage as pages (pages/lineage.py).
"""

from __future__ import annotations

from collections.abc import Iterator

from assets.declare.graph import Everything
from assets.rows.ancestry import Ancestry, File, Lineage, RowPlace
from assets.rows.origins import flow, raw_file, rows, short, spoken, summary_column, where
from ops.core.identity import row_id
from ops.core.outcome import Row
from ops.parse.decoding import one_line
from orchestration.checks import history
from orchestration.state.freshness import read_manifest
from orchestration.workspace.workspace import Workspace

_SOURCES_SHOWN = 3


def explain(workspace: Workspace, name: str) -> str:
    """Return a row's lineage as text.

    Raises LookupError if no dataset has a row with that id.
    """
    folders = {
        dataset.name: {
            partition: workspace.folder(dataset, partition) for partition in dataset.made_partitions
        }
        for dataset in workspace.datasets.values()
    }
    ancestry = Ancestry(Everything(folders, workspace.graph))
    code = ancestry.codes([name])[0]
    if code < 0 or not (lineage := ancestry.lineage(code)).places:
        raise LookupError(
            f"no dataset has a row with id {name!r}; ids are in the `id` column of every Parquet file"
        )
    lines = [f"row {name}"]
    for place, row in zip(lineage.places, rows(lineage.places, whole=True), strict=True):
        lines += ["", *_describe(workspace, place, row)]
    lines += ["", "made of", *_origins(ancestry, lineage, "  ", {code})]
    users = zip(lineage.used_by, rows(lineage.used_by), strict=True)
    later = [f"  {place.file.name}: {row['id']}" for place, row in users]
    return "\n".join(map(one_line, [*lines, "", "used by", *(later or ["  nothing"])]))


def _describe(workspace: Workspace, place: RowPlace, row: Row) -> list[str]:
    file = place.file
    manifest = read_manifest(workspace, file.dataset, file.partition)
    made_by = history.made_by(workspace, file.dataset, file.partition, manifest.version) if manifest else None
    run = made_by or "not made here (pulled by DVC)"
    lines = [file.name, f"  file: {file.address}", f"  run: {run}"]
    lines += [f"  {name}: {short(value)}" for name, value in row.items() if name not in ("id", "source_ids")]
    if manifest:
        lines += [f"  params {name}: {flow(value)}" for name, value in sorted(manifest.key["params"].items())]
        lines.append(f"  code: {manifest.key['code'].get('code')}")
    return lines


def _origins(ancestry: Ancestry, lineage: Lineage, indent: str, seen: set[int]) -> Iterator[str]:
    found_on, made_of = _finder(ancestry, lineage)
    if found_on:
        yield f"{indent}found on {short(found_on)}"
    elif lineage.raw:
        yield f"{indent}{raw_file(lineage.id, lineage.kind)}"
    fresh = [code for code in made_of if code not in seen]
    for code in fresh[:_SOURCES_SHOWN]:
        seen.add(code)
        origin = ancestry.lineage(code)
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


def _finder(ancestry: Ancestry, lineage: Lineage) -> tuple[str, list[int]]:
    """Return the URL or article on which a crawl found this page ("" if the row is not a page) and the rows
    to follow next.

    For a crawled page, those are the row of that URL or article, which leads on to the list or the dump, or
    else what is recorded about it if it was lost. The page's own unit is not a row.
    """
    place = next((place for place in lineage.places if place.file.dataset.crawl), None)
    (row,) = rows([place]) if place else ({},)
    if place is None or not (finder := row.get("found_on")):
        return "", [*lineage.made_of]
    codes = ancestry.codes([finder, row_id("page", row["crawl"], place.file.partition, finder)])
    known = [code for code in codes if code >= 0]
    sources = zip(lineage.made_of, ancestry.names(lineage.made_of), strict=True)
    listed = [code for code, name in sources if "/" in name]
    return finder, known or listed or ancestry.lost_finder(place, row["crawl"], finder)


def _about(file: File, row: Row) -> str:
    summary = row.get(summary_column(file, row.keys()) or "")
    return "".join(f": {part}" for part in (where(file, row), summary and short(summary)) if part)
