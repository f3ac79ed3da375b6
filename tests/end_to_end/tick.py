"""Let Dagster evaluate a sensor or a schedule, make what it requests, and print both as JSON.

Arguments: the name, then `run` to make what is requested, or `observe` to only observe the folders.
`source_files` observes the folders and evaluates the conditions of all datasets; its cursor is kept in a file
of the project. The schedule of a check is always executed, and the result of the check is printed.
"""

import json
import sys
from pathlib import Path

import dagster as dg

from silverloom.assets.declare.dagster_asset import asset_key, source_key
from silverloom.orchestration.dagster.automation import observed
from silverloom.orchestration.dagster.instance import instance
from silverloom.orchestration.definitions import defs, workspace
from silverloom.orchestration.run.dagster_run import materialise

name, also = sys.argv[1], sys.argv[2:]
repository = defs.get_repository_def()
kept = Path(".silverloom/cursor.json")


def made(keys, month, tags):
    """Make some datasets of a month; return what failed, with its cause."""
    return {
        f"{key.to_user_string()} {month}".strip(): error
        for key in keys
        if (
            error := materialise(
                workspace(), workspace().datasets[key.to_user_string()], month, tags=tags
            ).error
        )
    }


def made_in_one_run(keys, month):
    """Make some datasets of a month as the daemon does; return what failed, with its cause."""
    ran = defs.resolve_implicit_global_asset_job_def().execute_in_process(
        instance=instance(), asset_selection=keys, partition_key=month or None, raise_on_error=False
    )
    steps = ran.filter_events(lambda event: event.is_step_failure)
    return {
        f"{step.step_key.replace('__', '/')} {month}".strip(): step.step_failure_data.error.to_string()
        for step in steps
        if step.step_failure_data.error is not None
    }


if name == "source_files":
    keys = [source_key(records) for records in observed(workspace())]
    job = defs.resolve_implicit_global_asset_job_def()
    job.execute_in_process(
        instance=instance(), asset_selection=keys, partition_key=workspace().settings.partitions.names[-1]
    )
    if also == ["observe"]:
        sys.exit()
    cursor = dg.deserialize_value(kept.read_text()) if kept.exists() else None
    found = dg.evaluate_automation_conditions(defs, instance(), cursor=cursor)
    kept.write_text(dg.serialize_value(found.cursor))
    due = [
        (dataset, month or "")
        for dataset in workspace().datasets.values()
        for month in sorted(found.get_requested_partitions(asset_key(dataset.key)), key=str)
    ]
    failed = {}
    for month in dict.fromkeys(month for _, month in due) if also else ():
        failed |= made_in_one_run([asset_key(dataset.key) for dataset, own in due if own == month], month)
    print(
        json.dumps({"asked": [f"{dataset.name} {month}".strip() for dataset, month in due], "failed": failed})
    )
    sys.exit()
context = dg.build_schedule_context(instance(), repository_def=repository)
tick = repository.get_schedule_def(name).evaluate_tick(context)
if name == "health":
    (request,) = tick.run_requests
    job = repository.get_schedule_def(name).job_name
    ran = repository.get_job(job).execute_in_process(instance=instance(), tags=request.tags)
    (found,) = ran.get_asset_check_evaluations()
    shown = found.metadata["partitions"].value
    said = {
        "asset": found.asset_key.to_user_string(),
        "passed": found.passed,
        "severity": found.severity.name,
    }
    print(json.dumps({**said, "description": found.description, "partitions": shown}))
    sys.exit()
asked, failed = [], {}
for request in tick.run_requests or ():
    asked += [f"{key.to_user_string()} {request.partition_key}" for key in request.asset_selection]
    if also:
        failed |= made(request.asset_selection, request.partition_key, request.tags)
print(json.dumps({"asked": asked, "failed": failed}))
