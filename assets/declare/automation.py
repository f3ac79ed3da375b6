"""When Dagster makes a partition by itself: as soon as something that it reads has another data version.

Belongs here: the one condition of all datasets. Not here: the sensor that evaluates it, and the files that
set it off (orchestration/dagster/automation.py, source_files.py).
"""

from __future__ import annotations

from typing import TypeAlias

import dagster as dg

Condition: TypeAlias = dg.AutomationCondition[dg.AssetKey | dg.AssetCheckKey]

#: How many steps up the graph a partition waits for what is being made: each takes longer to evaluate.
_STEPS_UP = 3


#: A change is done with once the partition is requested, however that ends: one that fails waits for the next
#: change. A partition that was made by hand meanwhile is requested all the same, and found fresh.
_PENDING = dg.AutomationCondition.any_deps_match(dg.AutomationCondition.data_version_changed()).since(
    dg.AutomationCondition.newly_requested() | dg.AutomationCondition.initial_evaluation()
)


def _unsettled(steps: int = _STEPS_UP) -> Condition:
    """Something above is to be made or being made, or its last attempt failed."""
    here = _PENDING | dg.AutomationCondition.in_progress() | dg.AutomationCondition.execution_failed()
    return dg.AutomationCondition.any_deps_match(here | _unsettled(steps - 1) if steps > 1 else here)


INPUTS_CHANGED = (
    _PENDING.with_label("a dependency has another data version")
    & (~dg.AutomationCondition.any_deps_missing()).with_label("none is missing")
    & (~_unsettled()).with_label("none is to be made, or failed")
    & ~dg.AutomationCondition.in_progress()
).with_label("inputs changed")
