"""`silverloom repro`: make what is stale, then let DVC look at every stage and record it.

Belongs here: what comes before `dvc repro`. Not here: a stage of it (stage.py), what is checked beforehand
(corpora.py, dvc_lock_damage.py).

DVC starts a process for every stage, and what makes partitions takes seconds to load. So they are made here,
in one process; a stage then finds that they are fresh. `dvc repro` alone does the same, but takes longer.
"""

from __future__ import annotations

import subprocess

from rich.console import Console

from orchestration.drivers.loop import bring_up_to_date
from orchestration.state.corpora import check_versions
from orchestration.state.dvc_lock import check_before_dvc
from orchestration.state.graph import datasets
from orchestration.state.input_snapshot import footing


def repro(jobs: int = 1) -> int:
    """Make what is stale, then run `dvc repro`; return its status. A stage tries again what failed here.

    Raises, before anything is made, what DVC fails at, waits for, or would write over.
    """
    check_versions()
    check_before_dvc()
    footing()
    wanted = [(item, item.made_months) for item in datasets().values()]
    for _ in bring_up_to_date(wanted, Console(soft_wrap=True), jobs=jobs):
        pass  # what ends is shown as it ends
    return subprocess.run(["dvc", "repro"], check=False).returncode
