"""`silverloom repro`: make what is stale, then let DVC look at every stage and record it.

Belongs here: what comes before `dvc repro`. Not here: a stage of it (stage.py), what is checked beforehand
(corpora.py, dvc_lock.py).

DVC starts a process for every stage, and what makes partitions takes seconds to load. So they are made here,
in one process; a stage then finds that they are fresh. `dvc repro` alone does the same, but takes longer.
"""

from __future__ import annotations

import subprocess

from rich.console import Console

from orchestration.drivers.loop import bring_up_to_date
from orchestration.state.corpora import check_versions
from orchestration.state.dvc_lock import check_before_dvc
from orchestration.state.input_snapshot import input_snapshot
from orchestration.workspace.workspace import Workspace


def repro(workspace: Workspace, jobs: int = 1) -> int:
    """Make what is stale, then run `dvc repro`; return its status. A stage tries again what failed here.

    Raises, before anything is made, what DVC fails at, waits for, or would write over.
    """
    check_versions(workspace)
    check_before_dvc(workspace)
    input_snapshot(workspace)
    wanted = [(item, item.made_months) for item in workspace.datasets.values()]
    for _ in bring_up_to_date(workspace, wanted, Console(soft_wrap=True), jobs=jobs):
        pass  # what ends is shown as it ends
    return subprocess.run(["dvc", "repro"], cwd=workspace.root, check=False).returncode
