"""The raw corpora of params.yaml, ready to be scanned.

Belongs here: which formats read which kind of document, and whether DVC can version all of them. Not here:
scanning (ops/parse/scan.py).
"""

from __future__ import annotations

from functools import cache
from typing import Any

from ops.parse.scan import Corpus
from ops.parse.source import Format
from orchestration.engine.local import engine
from orchestration.workspace.workspace import Workspace


@cache
def corpus(workspace: Workspace, name: str) -> Corpus:
    """Return the corpus `sources.<name>`, its index scanned at most once in a process."""
    chosen = workspace.settings
    return Corpus(
        name=name,
        sources=chosen.sources.get(name, {}),
        formats=_formats(name),
        root=workspace.root,
        first_month=chosen.partitions.start,
        last_month=chosen.partitions.end,
        records_per_part=chosen.store.records_per_part,
        engine=engine(),
    )


def check_versions(workspace: Workspace) -> None:
    """Raise SourceError that names a file which DVC fails at, or a pipe, which it would wait for."""
    for name in workspace.settings.sources:
        corpus(workspace, name).check()
        corpus(workspace, name).check_versions()


def _formats(name: str) -> dict[str, Format[Any]]:
    if name == "papers":
        from ops.parse.papers import FORMATS as PAPERS

        return dict(PAPERS)
    if name == "gold_alignments":
        from ops.parse.gold_alignments import FORMATS as GOLD_ALIGNMENTS

        return dict(GOLD_ALIGNMENTS)
    if name == "human_summaries":
        from ops.parse.summaries import FORMATS as HUMAN_SUMMARIES

        return dict(HUMAN_SUMMARIES)
    if name == "ratings":
        from ops.annotation.answers import FORMATS as RATINGS

        return dict(RATINGS)
    if name == "prose":
        from ops.parse.prose import FORMATS as PROSE

        return dict(PROSE)
    if name == "fusion_pairs":
        from ops.parse.fusion_pairs import FORMATS as FUSION_PAIRS

        return dict(FUSION_PAIRS)
    from ops.parse.talks import FORMATS as TALKS

    return dict(TALKS)
