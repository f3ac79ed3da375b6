"""Dagster's own backfill, sensor and schedule: real webserver, real daemon, queried through GraphQL."""

import pytest
import yaml

from tests.end_to_end.servers import failures, serving
from tests.end_to_end.ticks import TICK, broken
from tests.projects import differing
from tests.ray_cluster import PARSER, three_nodes

#: Datasets that read a month of one source and all months of another; `make run` makes the rest, which is faster.
CHOSEN = ["sources/papers", "sources/talks", "talksumm/matches"]
MONTHS = ["2018-06", "2018-07"]
PLACE = {"repositoryName": "__repository__", "repositoryLocationName": "silverloom.orchestration.definitions"}
START = """mutation($it: SensorSelector!) { startSensor(sensorSelector: $it) {
  __typename ... on Sensor { sensorState { id status } } ... on PythonError { message } } }"""
TICKS = """query($it: SensorSelector!) { sensorOrError(sensorSelector: $it) { ... on Sensor { sensorState {
  ticks(limit: 5) { status skipReason error { message causes { message } } runIds } } } } }"""
RUN = "query($id: ID!) { runOrError(runId: $id) { ... on Run { status assetSelection { path } tags { key value } } } }"
DRY = """mutation($it: ScheduleSelector!) { scheduleDryRun(selectorData: $it, timestamp: 1600000000) {
  __typename ... on DryRunInstigationTick { evaluationResult { skipReason error { message }
  runRequests { assetSelection { path } tags { key value } } } } ... on PythonError { message } } }"""


@pytest.mark.long
def test_backfill_sensor_and_schedule_run_in_the_daemon(done, fresh):
    place = broken(fresh, "sources/talks", "2018-07")
    fresh.silverloom("setup")
    with serving(fresh.root) as servers:
        ended = servers.backfill(CHOSEN, MONTHS)
        assert ended["status"] == "COMPLETED_FAILED", ended
        states = {run["runId"]: run["status"] for run in ended["runs"]}
        failed = [run for run in ended["runs"] if run["status"] == "FAILURE"]
        causes = [cause for run in failed for cause in failures(servers, run["runId"])]
        assert any("sources/talks 2018-07: Is a directory" in cause for cause in causes), (states, causes)
        logs = [servers.console_log(run["runId"]) for run in failed]
        assert any("sources/talks 2018-07: Is a directory" in log for log in logs), logs
        listed = fresh.silverloom("health", ok=False).splitlines()
        left = "\n".join(line for line in listed if not line.startswith("warning"))
        assert "failed    sources/talks 2018-07: sources/talks 2018-07: Is a directory" in left
        assert not any(f"{name} 2018-06: " in left for name in CHOSEN), "the other month is left alone"
        assert "missing   talksumm/matches 2018-07: " in left

        place.rmdir()
        ended = servers.backfill([name for name in CHOSEN if name in left], ["2018-07"])
        assert ended["status"] == "COMPLETED_SUCCESS", ended
        fresh.run()
        assert yaml.safe_load(fresh.lock) == yaml.safe_load(done.lock), "the order is that of commits"
        assert fresh.data() == done.data()

        observe(fresh)  # else all would count as changed
        sensor = {**PLACE, "sensorName": "source_files"}
        assert servers.ask(START, it=sensor)["startSensor"]["__typename"] == "Sensor"
        ticks = servers.until(
            lambda: servers.ask(TICKS, it=sensor)["sensorOrError"]["sensorState"]["ticks"],
            lambda found: any(tick["status"] in ("SUCCESS", "FAILURE", "SKIPPED") for tick in found),
        )
        assert not any(tick["error"] or tick["runIds"] for tick in ticks), ticks
        fresh.edit("corpus/papers/alpha.txt", "half as many errors", "a third as many errors")
        observe(fresh)
        ticks = servers.until(
            lambda: servers.ask(TICKS, it=sensor)["sensorOrError"]["sensorState"]["ticks"],
            lambda found: any(tick["runIds"] or tick["error"] for tick in found),
        )
        (run_ids,) = [tick["runIds"] for tick in ticks if tick["runIds"]]
        made = []
        for run_id in run_ids:
            run = servers.until(
                lambda run_id=run_id: servers.ask(RUN, id=run_id)["runOrError"],
                lambda run: run["status"] in ("SUCCESS", "FAILURE"),
            )
            assert run["status"] == "SUCCESS"
            assert {"key": "dagster/partition", "value": "2018-06"} in run["tags"]
            made += ["/".join(key["path"]) for key in run["assetSelection"]]
        assert sorted(made) == ["sources/citations", "sources/papers", "sources/sentences"]

        (fresh.root / "manifests/sources/talks/2018-07.json").unlink()
        dry = servers.ask(DRY, it={**PLACE, "scheduleName": "newest_partition"})["scheduleDryRun"]
        assert dry["__typename"] == "DryRunInstigationTick", dry
        assert dry["evaluationResult"]["error"] is None, dry
        (request,) = dry["evaluationResult"]["runRequests"]
        asked = ["/".join(key["path"]) for key in request["assetSelection"]]
        assert "talksumm/pairs" in asked and "sources/talks" in asked and "sources/papers" not in asked
        assert {"key": "dagster/partition", "value": "2018-07"} in request["tags"]


@pytest.mark.long
def test_a_backfill_of_the_daemon_is_computed_on_a_cluster(done, fresh, tmp_path):
    pytest.importorskip("ray")
    log = tmp_path / "log"
    told = f"""
parse = parse_papers
def parse_papers(records):
    with open({str(log)!r}, "a") as file, open("/proc/self/cmdline") as words:
        file.write(words.read().partition("\\0")[0] + "\\n")
    return parse(records)
"""
    fresh.append(PARSER, told)
    with three_nodes() as cluster:
        fresh.params(lambda params: params.update(engine={"kind": "ray", "address": cluster.address}))
        fresh.silverloom("setup")
        with serving(fresh.root) as servers:
            ended = servers.backfill(CHOSEN, MONTHS)
    assert ended["status"] == "COMPLETED_SUCCESS", ended
    assert differing(fresh, done, CHOSEN) == []
    assert set(log.read_text().splitlines()) == {"ray::run"}


def observe(project):
    ended = project.zygote.run(project.root, ["source_files", "observe"], path=TICK, env={})
    assert ended.status == 0, ended.output
