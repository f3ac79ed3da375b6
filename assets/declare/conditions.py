"""When Dagster makes datasets and reports by itself: their automation conditions.

Belongs here: what counts as a change, and what a change waits for. Not here: how often conditions are
evaluated and folders observed (orchestration/dagster/automation.py).

Dagster stores the whole condition of a dataset at every evaluation that differs from the last one. So a
condition is small, and changes only with what it waits for.
"""

from __future__ import annotations

from typing import TypeAlias

import dagster as dg

Condition: TypeAlias = dg.AutomationCondition[dg.AssetKey | dg.AssetCheckKey]

#: How many levels upstream a partition waits for unfinished work: each level takes longer to evaluate.
_STEPS_UP = 3

#: A change is handled once the partition is requested, whatever the outcome: a failed one waits for the next
#: change. A partition that was made manually in the meantime is requested anyway, and found fresh. A change
#: that the partition's own run made has been read by it.
_CHANGED = dg.AutomationCondition.any_deps_match(
    dg.AutomationCondition.data_version_changed() & ~dg.AutomationCondition.executed_with_root_target()
).since(dg.AutomationCondition.newly_requested() | dg.AutomationCondition.initial_evaluation())
#: Or an input is requested right now: then both are made in one run.
_PENDING = _CHANGED | dg.AutomationCondition.any_deps_match(dg.AutomationCondition.will_be_requested())
_UNFINISHED = dg.AutomationCondition.in_progress() | dg.AutomationCondition.execution_failed()


def _unsettled(steps: int = _STEPS_UP) -> Condition:
    """Return whether something upstream is to be made, in progress, or failed in its last attempt.

    What is requested right now does not count: it is made first in the same run. It looks only at what can be
    made: folders wait for nothing, and are observed every quarter of an hour.
    """
    here = (_PENDING | _UNFINISHED) & ~dg.AutomationCondition.will_be_requested()
    above = here | _unsettled(steps - 1) if steps > 1 else here
    return dg.AutomationCondition.any_deps_match(above).allow(dg.AssetSelection.all())


_NONE_MISSING = (~dg.AutomationCondition.any_deps_missing()).with_label("none is missing")

INPUTS_CHANGED = (
    _PENDING.with_label("a dependency has another data version")
    & _NONE_MISSING
    & (~_unsettled()).with_label("none is to be made, or failed")
    & ~dg.AutomationCondition.in_progress()
).with_label("inputs changed")

#: For reports, which read every dataset: three levels above all of these take 11 MB. Work that goes on shows
#: in each evaluation as a request, a run or a result; a report is made at the first evaluation without any.
INPUTS_AT_REST = (
    _CHANGED.with_label("a dependency has another data version")
    & _NONE_MISSING
    & (
        ~dg.AutomationCondition.any_deps_match(
            dg.AutomationCondition.newly_requested() | dg.AutomationCondition.newly_updated() | _UNFINISHED
        )
    ).with_label("none was just requested or made, is being made, or failed")
    & ~dg.AutomationCondition.in_progress()
).with_label("inputs changed and at rest")
