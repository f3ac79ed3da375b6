"""Print what Dagster itself thinks of every partition as JSON: its staleness, data version and last run.

Staleness is the answer of Dagster's own web application.
"""

import json
import os
from pathlib import Path

import dagster as dg
from starlette.testclient import TestClient

from silverloom.assets.declare.dagster_asset import asset_key, partitions
from silverloom.orchestration.compat import DATA_VERSION_TAG, web_application
from silverloom.orchestration.dagster.instance import instance
from silverloom.orchestration.definitions import defs, workspace

MONTHS = partitions()
NODES = "{ assetNodes { assetKey { path } isPartitioned staleStatus } }"
PARTITIONS = """query($keys: [AssetKeyInput!]) { assetNodes(assetKeys: $keys) {
  assetKey { path } partitionKeys staleStatusByPartition } }"""


def staleness():
    """Return the staleness of each partition, by dataset and partition; "" is an unpartitioned dataset."""
    module = {"module_name": "silverloom.orchestration.definitions", "working_directory": str(Path.cwd())}
    place = Path(os.environ["DAGSTER_HOME"], "locations.yaml")
    place.parent.mkdir(exist_ok=True)  # no command has run in a new clone
    place.write_text(json.dumps({"load_from": [{"python_module": module}]}))
    with web_application(instance(), place) as application:
        client = TestClient(application)

        def nodes(query, **variables):
            answer = client.post("/graphql", json={"query": query, "variables": variables}).json()
            return answer["data"]["assetNodes"]

        known = nodes(NODES)
        assert known, "Dagster did not load the code: its server must begin within three minutes"
        partitioned = nodes(PARTITIONS, keys=[node["assetKey"] for node in known if node["isPartitioned"]])
    found = {("/".join(node["assetKey"]["path"]), ""): node["staleStatus"] for node in known}
    for node in partitioned:
        name, keys = "/".join(node["assetKey"]["path"]), node["partitionKeys"]
        found |= {
            (name, key): status for key, status in zip(keys, node["staleStatusByPartition"], strict=True)
        }
    return found


def shown(dataset, month):
    """The staleness on the partition's own page; None for a partition that was never made."""
    found = (instance().get_status_by_partition(asset_key(dataset.key), [month], MONTHS) or {}).get(month)
    return found and found.value


def checks(key, month):
    """Return the last result of each check of a partition."""
    found = {}
    for check in (check for check in graph.asset_check_keys if check.asset_key == key):
        for execution in instance().event_log_storage.get_asset_check_execution_history(check, limit=100):
            event = execution.event.dagster_event if execution.event else None
            if event and event.event_type is dg.DagsterEventType.ASSET_CHECK_EVALUATION:
                evaluation = event.asset_check_evaluation_data
                if (evaluation.partition or "") == month:
                    found.setdefault(check.name, evaluation.passed)
    return found


graph = defs.resolve_asset_graph()
status = staleness()
answer = {}
for name, dataset in workspace().datasets.items():
    key = asset_key(dataset.key)
    for month in dataset.made_partitions:
        chosen = dg.AssetRecordsFilter(key, asset_partitions=[month] if month else None)
        records = instance().fetch_materializations(chosen, limit=1).records
        latest = records[0] if records else None
        answer[f"{name} {month}".strip()] = {
            "status": status[name, month],
            "shown": shown(dataset, month) if month else None,
            "version": latest.asset_materialization.tags.get(DATA_VERSION_TAG) if latest else None,
            "run": latest.run_id if latest else None,
            "checks": checks(key, month),
        }
print(json.dumps(answer))
