"""Which sources keep a release from being made, by their licences.

Belongs here: following rows that may not be released back to the sources that forbid it. Not here: which
licences may be released (params.yaml), the rule (ops/release.py).
"""

from __future__ import annotations

from collections import defaultdict

import pyarrow.compute as pc

from assets.declare.declaration import Declaration
from assets.declare.report import Everything
from ops.parse.records import record_place
from ops.release import FORBIDDEN, ReleaseParams, licence_names
from orchestration.lineage.ancestry import Ancestry
from orchestration.lineage.origins import rows
from orchestration.lineage.rows import tables
from orchestration.workspace.workspace import Workspace

#: Rows of each licence that are followed to their sources.
_FOLLOWED = 200


class ForbiddenError(ValueError):
    """Sources have licences under which their rows may not be released; the text names them."""


def check(workspace: Workspace, item: Declaration, params: ReleaseParams) -> None:
    """Raise ForbiddenError where rows were left out of the files of a release for their licence."""
    forbidden: dict[str, list[str]] = defaultdict(list)
    for table in tables(workspace.folder(item), "dropped", ["id", "licence", "reason"]):
        for row in table.filter(pc.field("reason") == FORBIDDEN).to_pylist():
            forbidden[row["licence"]].append(row["id"])
    if not forbidden:
        return
    count = sum(map(len, forbidden.values()))
    ids = [name for names in forbidden.values() for name in names[:_FOLLOWED]]
    sources = _sources(workspace, item, params, ids)
    named = "; ".join(f"{source} ({licence})" for source, licence in sorted(sources))
    raise ForbiddenError(
        f"{count} rows of {item.key.group} may not be released: {named}; take these sources out, or let"
        " release.licences in params.yaml list what may be released"
    )


def _sources(
    workspace: Workspace, item: Declaration, params: ReleaseParams, ids: list[str]
) -> set[tuple[str, str]]:
    """Return the sources that forbid the release of some rows, by name, with their licences."""
    datasets = workspace.graph.ancestors(item)
    folders = {
        dataset.name: {month: workspace.folder(dataset, month) for month in dataset.made_months}
        for dataset in datasets
    }
    ancestry = Ancestry(Everything(folders, workspace.graph))
    waiting, seen, found = ancestry.codes(ids), set[int](), set[tuple[str, str]]()
    while waiting:
        code = waiting.pop()
        if code in seen or code < 0:
            continue
        seen.add(code)
        lineage = ancestry.lineage(code)
        waiting += lineage.made_of
        for place, row in zip(lineage.kept, rows(lineage.kept), strict=True):
            records = {record_place(name)[0] for name in ancestry.names(lineage.made_of) if "/" in name}
            named = {row["crawl"]} if place.file.item.crawl else records
            refused = [name for name in licence_names(row["licence"]) if name not in params.licences]
            found |= {
                (f"sources.{place.file.item.records}.{name}", licence)
                for name in named
                for licence in refused
            }
    return found
