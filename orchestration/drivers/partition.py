"""The task that makes one partition as a run of Dagster, in this process or in a worker.

Belongs here: what a worker imports, Dagster above all. An interrupt ends a worker without a word while it
imports this module, so nothing is imported later. Not here: which partitions are made (loop.py).
"""

from __future__ import annotations

import time
from collections.abc import Mapping

from orchestration.catalogue import workspace
from orchestration.drivers.dagster_runs import materialise
from orchestration.executors.base import EventSink
from orchestration.messages.failures import describe
from orchestration.messages.progress import listening


def make(
    name: str, month: str, run_id: str, tags: Mapping[str, str], listener: EventSink
) -> tuple[str | None, float]:
    """Make a partition of a dataset; return why it failed, if it did, and the seconds it took."""
    begun = time.monotonic()
    with listening(listener):
        try:
            error = materialise(workspace(), workspace().datasets[name], month, run_id, tags).error
        except Exception as fault:
            error = describe(fault)
    return error, time.monotonic() - begun
