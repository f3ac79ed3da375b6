"""Print the runs that Dagster knows as JSON: dataset, month, job, status, tags."""

import json

from silverloom.orchestration.compat import REPOSITORY_LABEL_TAG
from silverloom.orchestration.dagster.instance import instance
from silverloom.orchestration.process import prepare

prepare()

print(
    json.dumps(
        [
            {
                "asset": next(iter(run.asset_selection or ()), None)
                and next(iter(run.asset_selection)).to_user_string(),
                "month": run.tags.get("dagster/partition", ""),
                "job": run.job_name,
                "status": run.status.value,
                "tags": dict(run.tags),
                "repository": run.tags.get(REPOSITORY_LABEL_TAG),
            }
            for run in instance().get_runs()
            if run.asset_selection
        ]
    )
)
