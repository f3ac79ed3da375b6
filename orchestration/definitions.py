"""The one entry of Dagster: every asset with the resources that make it.

Belongs here: putting the pieces together. Not here: any of the pieces.
"""

from __future__ import annotations

import dagster as dg

import orchestration  # noqa: F401  pins the environment before anything heavy is loaded
from assets.sources import SOURCES
from assets.talksumm import TALKSUMM
from orchestration.graph import datasets
from orchestration.materialise import Store


def build_definitions(commit: bool = True) -> dg.Definitions:
    """Return the definitions; drivers that commit to dvc.lock themselves pass commit=False."""
    datasets()  # every section of params.yaml is checked before anything runs
    from orchestration.pages.asset import pages

    return dg.Definitions(
        assets=[*SOURCES, *TALKSUMM, pages],
        resources={"store": Store(commit=commit)},
        executor=dg.in_process_executor,
    )


defs = build_definitions()
