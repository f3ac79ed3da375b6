"""Make one partition, as a run launched by Dagster's daemon does. Arguments: the dataset and the month."""

import sys

import dagster as dg

from silverloom.orchestration.dagster.instance import instance
from silverloom.orchestration.definitions import defs

name, month = sys.argv[1:]
result = defs.resolve_implicit_global_asset_job_def().execute_in_process(
    instance=instance(),
    partition_key=month or None,
    asset_selection=[dg.AssetKey(name.split("/"))],
    raise_on_error=False,
)
for event in result.all_events:
    if event.is_step_failure:
        data = event.step_failure_data
        print(data.user_failure_data.description if data.user_failure_data else data.error)
for check in result.get_asset_check_evaluations():
    if not check.passed:
        print(f"{check.severity.value} {check.check_name}: {check.description}")
sys.exit(not result.success)
