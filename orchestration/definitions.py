"""The one entry of Dagster: every asset with the resources that make it.

Belongs here: putting the pieces together. Not here: any of the pieces.
"""

from __future__ import annotations

import dagster as dg

import orchestration  # noqa: F401  pins the environment before anything heavy is loaded
from assets.discofuse import DISCOFUSE
from assets.sources import SOURCES
from assets.talksumm import TALKSUMM
from assets.talksumm_models import TALKSUMM_MODELS
from orchestration.graph import datasets
from orchestration.materialise import Store
from orchestration.schedules import hourly, newest_month
from orchestration.sensors import source_files
from orchestration.standing import standing_check


def build_definitions(commit: bool = True) -> dg.Definitions:
    """Return the definitions; drivers that commit to dvc.lock themselves pass commit=False."""
    datasets()  # every section of params.yaml is checked before anything runs
    from orchestration.pages.asset import pages

    # Drivers of their own have their own loop and end; how things stand is asked through the browser.
    standing = [standing_check(dg.AssetKey(["quality", "pages"]))] if commit else []
    return dg.Definitions(
        assets=[*SOURCES, *TALKSUMM, *TALKSUMM_MODELS, *DISCOFUSE, pages],
        asset_checks=standing,
        schedules=[newest_month, *(hourly(check) for check in standing)] if commit else [],
        sensors=[source_files] if commit else [],
        resources={"store": Store(commit=commit)},
        executor=dg.in_process_executor,
    )


defs = build_definitions()
