"""Prepare a process of the project. Importing anything else of it, apart from definitions, has no effect.

Belongs here: what must happen before numpy, torch, params or assets are loaded. Entry points call `prepare`
first: the command line, Dagster's definitions, worker processes, tasks on a cluster.
"""

from __future__ import annotations

from functools import cache

from silverloom.orchestration.files.edits import code_stamp
from silverloom.orchestration.files.identity import keep_hashes
from silverloom.orchestration.workspace.environment import protect, set_environment
from silverloom.orchestration.workspace.workspace import Workspace


@cache
def prepare() -> None:
    """Set the environment, reuse cached hashes of files, and record params and code to notice later edits.

    Repeated calls do nothing. Raises ForeignCodeError in another checkout than that of this code.
    """
    protect()
    workspace = Workspace.here()
    set_environment(workspace)
    keep_hashes(workspace)
    code_stamp(workspace)
