"""Print, as JSON, what Dagster itself thinks of every partition: its staleness, data version and last run."""

import json

import dagster as dg
from dagster._core.definitions.data_version import DATA_VERSION_TAG, CachingStaleStatusResolver
from dagster._core.loader import LoadingContextForTest

from assets.declare.dataset import asset_key, partitions
from orchestration.dagster.instance import instance
from orchestration.definitions import defs, workspace

MONTHS = partitions()


def shown(item, month):
    """How the partition's own page has it; None where nothing was ever made."""
    found = (instance().get_status_by_partition(asset_key(item.key), [month], MONTHS) or {}).get(month)
    return found and found.value


loading = LoadingContextForTest(instance())
graph = defs.resolve_asset_graph()
resolver = CachingStaleStatusResolver(instance(), graph, loading)
answer = {}
for name, item in workspace().datasets.items():
    for month in item.made_partitions:
        records = (
            instance()
            .fetch_materializations(
                dg.AssetRecordsFilter(asset_key(item.key), asset_partitions=[month] if month else None),
                limit=1,
            )
            .records
        )
        latest = records[0] if records else None
        checks = {}
        for key in (key for key in graph.asset_check_keys if key.asset_key == asset_key(item.key)):
            for execution in instance().event_log_storage.get_asset_check_execution_history(key, limit=100):
                event = execution.event.dagster_event if execution.event else None
                if event and event.event_type_value == "ASSET_CHECK_EVALUATION":
                    evaluation = event.asset_check_evaluation_data
                    if (evaluation.partition or "") == month:
                        checks.setdefault(key.name, evaluation.passed)
        answer[f"{name} {month}".strip()] = {
            "status": resolver.get_status(asset_key(item.key), month or None).value,
            "shown": shown(item, month) if month else None,
            "version": latest.asset_materialization.tags.get(DATA_VERSION_TAG) if latest else None,
            "run": latest.run_id if latest else None,
            "checks": checks,
        }
print(json.dumps(answer))
