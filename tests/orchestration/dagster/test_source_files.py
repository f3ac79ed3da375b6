"""Dagster's requests, observation by observation, as source files change: the observable sources and the condition."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import groupby

import dagster as dg
import pytest

from silverloom.assets.declare.conditions import INPUTS_AT_REST, INPUTS_CHANGED
from silverloom.assets.declare.dagster_asset import asset_key, source_key
from silverloom.orchestration.compat import DATA_VERSION_IS_USER_PROVIDED_TAG, DATA_VERSION_TAG
from silverloom.orchestration.dagster import automation
from silverloom.orchestration.dagster.automation import observed, source_assets
from silverloom.orchestration.definitions import defs, workspace

MONTHS = dg.StaticPartitionsDefinition(["2018-06", "2018-07"])
EVERY = dg.SpecificPartitionsPartitionMapping(["2018-06", "2018-07"])


def evaluated(definitions, instance, cursor, time=None):
    """Let Dagster evaluate all conditions, in a thread: another test's browser may have left an event loop in this."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(
            dg.evaluate_automation_conditions, definitions, instance, cursor=cursor, evaluation_time=time
        ).result()


class World:
    """Files of two months, the datasets made from them, and Dagster's evaluation of the condition.

    texts -> parsed -> counted -> summed (all months); paired reads parsed and summed; shown reads all of them.
    reported reads all of these, with the condition of a report.
    """

    def __init__(self, instance):
        self.instance, self.cursor, self.broken = instance, None, set()
        self.files = {"2018-06": "a", "2018-07": "b"}
        self.contents = {}

        @dg.observable_source_asset(name="texts", partitions_def=MONTHS)
        def texts():
            return dg.DataVersionsByPartition(self.files)

        of_month = [texts]
        parsed = self.dataset("parsed", of_month)
        counted = self.dataset("counted", [parsed])
        summed = self.dataset("summed", [dg.AssetDep(counted, partition_mapping=EVERY)], None)
        paired = self.dataset("paired", [parsed, summed])
        every = [dg.AssetDep(dataset, partition_mapping=EVERY) for dataset in (parsed, counted, paired)]
        shown = self.dataset("shown", [*every, summed], None)
        reported = self.dataset("reported", [*every, summed, shown], None, INPUTS_AT_REST)
        self.defs = dg.Definitions(assets=[texts, parsed, counted, summed, paired, shown, reported])
        self.names = ["parsed", "counted", "summed", "paired", "shown", "reported"]

    def dataset(self, name, deps, months=MONTHS, condition=INPUTS_CHANGED):
        @dg.asset(name=name, deps=deps, partitions_def=months, automation_condition=condition)
        def made(context):
            month = context.partition_key if months else ""
            if (name, month) in self.broken:
                raise RuntimeError("broken")
            return dg.MaterializeResult(data_version=dg.DataVersion(self.version(name, month)))

        return made

    def version(self, name, month):
        if name == "parsed":
            return self.files[month]
        if name == "counted":  # the same for every text of one length
            return str(len(self.files[month]))
        return "summed of counts" if name == "summed" else "".join(self.files.values())

    def look(self):
        """Observe the files, and return what is requested."""
        self.run(["texts"], "2018-07")
        return self.asked()

    def asked(self):
        found = evaluated(self.defs, self.instance, self.cursor)
        self.cursor = found.cursor
        keys = [(name, found.get_requested_partitions(dg.AssetKey(name))) for name in self.names]
        places = [(month or "", name) for name, months in keys for month in months]
        order = [*MONTHS.get_partition_keys(), ""]
        places.sort(key=lambda place: (order.index(place[0]), self.names.index(place[1])))
        return [f"{name} {month}".strip() for month, name in places]

    def run(self, names, month=None):
        job = self.defs.resolve_implicit_global_asset_job_def()
        job.execute_in_process(
            instance=self.instance,
            asset_selection=[dg.AssetKey(name) for name in names],
            partition_key=month,
            raise_on_error=False,
        )

    def make(self, asked):
        for month, places in groupby(asked, lambda place: place.partition(" ")[2]):
            self.run([place.split()[0] for place in places], month or None)

    def follow(self):
        """Observe, make what is requested, and repeat until nothing is; return the requests, round by round."""
        rounds = [self.look()]
        while rounds[-1]:
            self.make(rounds[-1])
            rounds.append(self.asked())
        return rounds[:-1]


@pytest.fixture
def world():
    with dg.DagsterInstance.ephemeral() as instance:
        world = World(instance)
        world.make(f"{name} {month}" for name in ("parsed", "counted") for month in world.files)
        world.make(["summed"])
        world.make(f"paired {month}" for month in world.files)
        world.make(["shown", "reported"])
        assert world.asked() == []
        first = [f"{name} {month}" for month in world.files for name in ("parsed", "counted")]
        assert world.follow() == [first], "the first observation"
        yield world


def test_nothing_is_requested_while_no_file_changes(world):
    assert world.follow() == []


def test_a_change_is_followed_as_far_as_versions_differ_once_for_each_dataset(world):
    world.files["2018-06"] = "c"
    assert world.follow() == [["parsed 2018-06", "counted 2018-06"], ["paired 2018-06"], ["shown"]]


def test_a_dataset_that_depends_on_a_change_by_several_paths_waits_for_the_longest(world):
    world.files.update({"2018-06": "cc", "2018-07": "dd"})
    assert world.follow() == [
        ["parsed 2018-06", "counted 2018-06", "parsed 2018-07", "counted 2018-07"],
        ["summed"],
        ["paired 2018-06", "paired 2018-07"],
        ["shown"],
    ]


def test_a_report_is_made_once_at_the_first_evaluation_in_which_nothing_is_made_or_requested(world):
    world.asked()
    world.files["2018-06"] = "cc"
    assert world.follow()[-1] == ["shown"]
    assert world.follow() == [["reported"]]
    assert world.follow() == []


def test_a_report_waits_while_a_dataset_that_it_reads_has_failed(world):
    world.asked()
    world.files["2018-06"] = "cc"
    world.broken.add(("counted", "2018-06"))
    assert world.follow() == [["parsed 2018-06", "counted 2018-06"]]
    assert world.follow() == world.follow() == []


def test_a_failing_dataset_is_requested_once_and_its_readers_wait(world):
    world.files["2018-06"] = "cc"
    world.broken.add(("counted", "2018-06"))
    assert world.follow() == [["parsed 2018-06", "counted 2018-06"]]
    assert world.follow() == []
    world.broken.clear()
    world.files["2018-06"] = "dd"
    assert world.follow() == [
        ["parsed 2018-06", "counted 2018-06"],
        ["summed"],
        ["paired 2018-06"],
        ["shown"],
    ]


def test_all_levels_of_a_month_are_made_in_one_run():
    with dg.DagsterInstance.ephemeral() as instance:
        world = World(instance)
        levels = [world.defs.resolve_assets_def("parsed")]
        for number in range(1, 7):
            levels.append(world.dataset(f"level{number}", [levels[0], levels[-1]]))
        world.defs = dg.Definitions(assets=[world.defs.resolve_assets_def("texts"), *levels])
        world.names = ["parsed", *(f"level{number}" for number in range(1, 7))]
        world.make(f"{name} {month}" for month in world.files for name in world.names)
        world.asked()
        world.follow()
        world.files["2018-06"] = "cc"
        assert world.follow() == [[f"{name} 2018-06" for name in world.names]]


def test_all_levels_over_all_months_are_made_in_a_second_run():
    with dg.DagsterInstance.ephemeral() as instance:
        world = World(instance)
        parsed = world.defs.resolve_assets_def("parsed")
        whole = [world.dataset("whole0", [dg.AssetDep(parsed, partition_mapping=EVERY)], None)]
        for number in range(1, 4):
            whole.append(world.dataset(f"whole{number}", [whole[0], whole[-1]], None))
        world.defs = dg.Definitions(assets=[world.defs.resolve_assets_def("texts"), parsed, *whole])
        world.names = ["parsed", *(f"whole{number}" for number in range(4))]
        world.make(["parsed 2018-06", "parsed 2018-07"])
        world.make(world.names[1:])
        world.asked()
        world.follow()
        world.files["2018-06"] = "cc"
        assert world.follow() == [["parsed 2018-06"], world.names[1:]]


def test_readers_of_a_failing_dataset_wait_with_it_for_the_next_change(world):
    world.files["2018-06"] = "cc"
    world.broken.add(("parsed", "2018-06"))
    assert world.follow() == [["parsed 2018-06", "counted 2018-06"]]
    assert world.follow() == []
    world.broken.clear()
    world.files["2018-06"] = "dd"
    assert world.follow()[0] == ["parsed 2018-06", "counted 2018-06"]


def test_datasets_that_are_stale_only_by_code_are_left_alone(world):
    world.run(["parsed"], "2018-06")
    assert world.follow() == [], "made again with the same result"


def test_an_observation_reports_each_new_version_to_dagster_once(monkeypatch):
    answers = {"papers": {"2018-06": "one", "2018-07": "two", "2018-08": "three"}}
    monkeypatch.setattr(automation, "versions", lambda _, records: answers[records])
    monkeypatch.setattr(automation, "observed", lambda _: ["papers"])
    (papers,) = source_assets(workspace())
    key = dg.AssetKey(["source_files", "papers"])

    def look():
        before = len(instance.fetch_observations(key, limit=100).records)
        job = dg.Definitions(assets=[papers]).resolve_implicit_global_asset_job_def()
        assert job.execute_in_process(instance=instance, partition_key="2018-08").success
        records = instance.fetch_observations(key, limit=100).records
        return sorted(record.partition_key for record in records[: len(records) - before])

    with dg.DagsterInstance.ephemeral() as instance:
        assert look() == ["2018-06", "2018-07", "2018-08"]
        assert look() == []
        answers["papers"]["2018-07"] = "changed"
        assert look() == ["2018-07"]


def test_an_hour_without_changes_stores_less_than_a_megabyte_of_evaluations(tmp_path):
    """Counts what Dagster's daemon stores: an evaluation that requests something or differs from the last one."""
    versions = {DATA_VERSION_TAG: "one", DATA_VERSION_IS_USER_PROVIDED_TAG: "true"}
    with dg.DagsterInstance.local_temp(str(tmp_path)) as instance:
        for dataset in workspace().datasets.values():
            for partition in dataset.partitions:
                key = asset_key(dataset.key)
                instance.report_runless_asset_event(
                    dg.AssetMaterialization(key, partition=partition or None, tags=versions)
                )
        for records in observed(workspace()):
            for partition in workspace().settings.partitions.names:
                instance.report_runless_asset_event(
                    dg.AssetObservation(source_key(records), partition=partition, tags=versions)
                )
        begun, cursor, former = datetime(2026, 11, 28, 11, 42, 7, tzinfo=UTC), None, {}
        requests, stored = [], []
        for minute in range(6):  # 11:45 is among them
            found = evaluated(defs, instance, cursor, begun + timedelta(minutes=minute))
            changed = [
                result
                for result in found.results
                if former.get(result.key) != result.value_hash or not result.true_subset.is_empty
            ]
            former, cursor = {result.key: result.value_hash for result in found.results}, found.cursor
            requests.append(found.total_requested)
            stored.append(sum(len(dg.serialize_value(result.serializable_evaluation)) for result in changed))
    assert requests == [0, 0, 0, len(observed(workspace())), 0, 0], "the folders, each quarter of an hour"
    assert stored[2] == 0 < stored[3] and 4 * sum(stored[2:]) < 1e6, stored


def test_every_month_of_every_folder_has_a_version():
    here = workspace().settings
    names = automation.observed(workspace())
    assert names == sorted(name for name in here.sources if here.folders(name))
    for name in names:
        assert list(automation.versions(workspace(), name)) == here.partitions.names
