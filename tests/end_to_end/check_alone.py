"""Run all checks of a dataset, or the named ones, without making it, as Dagster's asset page does. Prints JSON."""

import json
import sys

import dagster as dg

from silverloom.orchestration.dagster.instance import instance
from silverloom.orchestration.definitions import build, workspace

name, *checks = sys.argv[1:]
key = dg.AssetKey(name.split("/"))
chosen = dg.AssetSelection.checks(*(dg.AssetCheckKey(key, check) for check in checks))
job = dg.define_asset_job("chosen", chosen if checks else dg.AssetSelection.checks_for_assets(key))
repository = dg.Definitions.merge(build(workspace()), dg.Definitions(jobs=[job])).get_repository_def()
ran = repository.get_job("chosen").execute_in_process(instance=instance(), raise_on_error=False)
found = [[one.check_name, one.partition, one.passed] for one in ran.get_asset_check_evaluations()]
print(json.dumps([ran.success, found]))
