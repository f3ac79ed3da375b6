"""What `make repro` checks before DVC starts: the raw corpora, and dvc.lock, which DVC writes in place.

Belongs here: these checks, as one. Not here: DVC itself (`silverloom repro` starts it), what is checked
(corpora.py, lock_damage.py).
"""

from __future__ import annotations

from orchestration.state.corpora import check_versions
from orchestration.state.dvc_lock import check_before_dvc
from orchestration.workspace.workspace import Workspace


def check(workspace: Workspace) -> None:
    """Raise what DVC fails at, waits for, or would write over."""
    check_versions(workspace)
    check_before_dvc(workspace)
