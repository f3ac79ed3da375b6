"""Which sources keep a release from being made, by their licences.

Belongs here: following rows that may not be released back to the sources that forbid it. Not here: which
licences may be released (params.yaml), the rule (ops/release.py).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import pyarrow.compute as pc

from assets.declare.declaration import Declaration
from assets.declare.report import Everything
from ops.parse.records import record_place
from ops.release import FORBIDDEN, ReleaseParams, licence_names
from orchestration.lineage.ancestry import Ancestry, File, RowPlace
from orchestration.lineage.rows import read, tables
from orchestration.workspace.workspace import Workspace


class ForbiddenError(ValueError):
    """Sources have licences under which their rows may not be released; the text names them."""


def check(workspace: Workspace, item: Declaration, params: ReleaseParams) -> None:
    """Raise ForbiddenError where rows were left out of the files of a release for their licence."""
    ids = [
        name
        for table in tables(workspace.folder(item), "dropped", ["id", "reason"])
        for name in table.filter(pc.field("reason") == FORBIDDEN)["id"].to_pylist()
    ]
    if not ids:
        return
    named = "; ".join(
        f"{source} ({licence})" for source, licence in sorted(_sources(workspace, item, params, ids))
    )
    raise ForbiddenError(
        f"{len(ids)} rows of {item.key.group} may not be released: {named}; take these sources out, or let"
        " release.licences in params.yaml list what may be released"
    )


def _sources(
    workspace: Workspace, item: Declaration, params: ReleaseParams, ids: Sequence[str]
) -> set[tuple[str, str]]:
    """Return the sources that forbid the release of some rows, by name, with their licences."""
    folders = {
        dataset.name: {month: workspace.folder(dataset, month) for month in dataset.made_months}
        for dataset in workspace.graph.ancestors(item)
    }
    ancestry = Ancestry(Everything(folders, workspace.graph))
    places: dict[File, list[RowPlace]] = defaultdict(list)
    for place in _first_rows(ancestry, ids):
        places[place.file].append(place)
    found = set()
    for file, of_file in places.items():
        rows = read(file.path, ["licence", *(["crawl"] if file.item.crawl else [])])
        for place, row in zip(
            of_file, rows.take([place.index for place in of_file]).to_pylist(), strict=True
        ):
            records = (name for name in ancestry.names(ancestry.sources(place.code)) if "/" in name)
            named = {row["crawl"]} if file.item.crawl else {record_place(name)[0] for name in records}
            refused = [name for name in licence_names(row["licence"]) if name not in params.licences]
            found |= {
                (f"sources.{file.item.records}.{name}", licence) for name in named for licence in refused
            }
    return found


def _first_rows(ancestry: Ancestry, ids: Sequence[str]) -> Iterator[RowPlace]:
    """Yield the rows that were read of sources and that some rows come from, each once."""
    waiting, seen = set(ancestry.codes(ids)) - {-1}, set[int]()
    while waiting:
        seen |= waiting
        following = set[int]()
        units: dict[str, tuple[Declaration, set[int]]] = {}
        for code in waiting:
            made_of = ancestry.sources(code)
            following.update(made_of)
            for place in ancestry.standings(code):
                if place.file.table == "kept" and place.file.item.records:
                    yield place
                else:  # what it was made of may be no rows, but stand in a list of rows
                    units.setdefault(place.file.item.name, (place.file.item, set()))[1].update(made_of)
        for item, codes in units.values():
            following |= ancestry.holders(item, ancestry.names([*codes - seen]))
        waiting = following - seen
