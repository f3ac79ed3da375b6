"""The one entry of Dagster's servers: definitions that are built on import. Not here: building (build.py)."""

import dagster as dg

from orchestration.catalogue import workspace
from orchestration.dagster.build import build_definitions, plain_definitions

defs = dg.Definitions.merge(build_definitions(workspace()), plain_definitions())
