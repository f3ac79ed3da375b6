"""Let Dagster evaluate a sensor or a schedule, make what it asks for, and print both as JSON.

Arguments: the name, then `run` to make what is asked for. The sensor's cursor is kept in a file of the project.
What the schedule of a check asks for is evaluated always: printed is what the check found.
"""

import json
import sys
from pathlib import Path

import dagster as dg

from orchestration.catalogue import workspace
from orchestration.dagster.definitions import defs
from orchestration.dagster.instance import instance
from orchestration.dagster.runs import materialise

name, also = sys.argv[1], sys.argv[2:]
repository = defs.get_repository_def()
kept = Path(".silverloom/cursor.json")
if name == "source_files":
    cursor = kept.read_text() if kept.exists() else None
    context = dg.build_sensor_context(instance(), cursor=cursor, repository_def=repository)
    tick = repository.get_sensor_def(name).evaluate_tick(context)
    kept.write_text(tick.cursor)
else:
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
for request in tick.run_requests:
    for key in request.asset_selection:
        month = request.partition_key or ""
        asked.append(f"{key.to_user_string()} {month}".strip())
        if also:
            item = workspace().datasets[key.to_user_string()]
            if error := materialise(workspace(), item, month, tags=request.tags).error:
                failed[asked[-1]] = error
keys = [request.run_key for request in tick.run_requests]
print(json.dumps({"asked": asked, "keys": keys, "skipped": tick.skip_message, "failed": failed}))
