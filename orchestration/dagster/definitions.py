"""The one entry of Dagster's servers: definitions that are built on import. Not here: building (build.py)."""

from orchestration.catalogue import workspace
from orchestration.dagster.build import build_definitions

defs = build_definitions(workspace())
