"""The raw corpora of params.yaml, ready to be scanned.

Belongs here: the sources of a dataset with the formats that it declares, and whether DVC can version all of
them. Not here: scanning (ops/parse/scan.py).
"""

from __future__ import annotations

from functools import cache

from ops.parse.row_format import folder_formats
from ops.parse.scan import Corpus
from orchestration.executors.parts import engine
from orchestration.workspace.workspace import Workspace


@cache
def corpus(workspace: Workspace, name: str) -> Corpus:
    """Return the corpus `sources.<name>`, its index scanned at most once in a process."""
    chosen = workspace.settings
    return Corpus(
        name=name,
        sources=chosen.folders(name),
        formats=folder_formats(
            next(item.formats for item in workspace.datasets.values() if item.records == name)
        ),
        root=workspace.root,
        first_month=chosen.partitions.start,
        last_month=chosen.partitions.end,
        every=chosen.partitions.every,
        records_per_part=chosen.store.records_per_part,
        engine=engine(),
    )


def check_versions(workspace: Workspace) -> None:
    """Raise SourceError that names a file which DVC fails at, or a pipe, which it would wait for."""
    for name in workspace.settings.sources:
        corpus(workspace, name).check()
        corpus(workspace, name).check_versions()
