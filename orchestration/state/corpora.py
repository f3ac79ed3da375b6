"""The raw corpora of params.yaml, ready to be scanned.

Belongs here: the sources of a dataset with the formats that it declares, and whether DVC can version all of
them. Not here: scanning (ops/parse/scan.py).
"""

from __future__ import annotations

from functools import cache

from assets.declare.settings import ROOT, settings
from ops.parse.scan import Corpus
from orchestration.engine.local import engine
from orchestration.state.graph import datasets


@cache
def corpus(name: str) -> Corpus:
    """Return the corpus `sources.<name>`, its index scanned at most once in a process."""
    chosen = settings()
    return Corpus(
        name=name,
        sources=chosen.sources.get(name, {}),
        formats=next(item.formats for item in datasets().values() if item.records == name),
        root=ROOT,
        first_month=chosen.partitions.start,
        last_month=chosen.partitions.end,
        records_per_part=chosen.store.records_per_part,
        engine=engine(),
    )


def check_versions() -> None:
    """Raise SourceError that names a file which DVC fails at, or a pipe, which it would wait for."""
    for name in settings().sources:
        corpus(name).check()
        corpus(name).check_versions()
