"""Dagster's requests, observation by observation, as source files change: the observable sources and the condition."""

from concurrent.futures import ThreadPoolExecutor
from itertools import groupby

import dagster as dg
import pytest

from assets.declare.dataset import INPUTS_CHANGED
from orchestration.dagster import automation
from orchestration.dagster.automation import source_assets
from orchestration.definitions import workspace

MONTHS = dg.StaticPartitionsDefinition(["2018-06", "2018-07"])
EVERY = dg.SpecificPartitionsPartitionMapping(["2018-06", "2018-07"])


class World:
    """Files of two months, the datasets made from them, and Dagster's evaluation of the condition.

    texts -> parsed -> counted -> summed (all months); paired reads parsed and summed; shown reads all of them.
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
        self.defs = dg.Definitions(assets=[texts, parsed, counted, summed, paired, shown])
        self.names = ["parsed", "counted", "summed", "paired", "shown"]

    def dataset(self, name, deps, months=MONTHS):
        @dg.asset(name=name, deps=deps, partitions_def=months, automation_condition=INPUTS_CHANGED)
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
        return "".join(self.files.values()) if name in ("paired", "shown") else "summed of counts"

    def look(self):
        """Observe the files, and return what is requested."""
        self.run(["texts"], "2018-07")
        return self.asked()

    def asked(self):
        with ThreadPoolExecutor(
            1
        ) as thread:  # another test's browser may have left an event loop in this process
            found = thread.submit(
                dg.evaluate_automation_conditions, self.defs, self.instance, cursor=self.cursor
            ).result()
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
        world.make(["shown"])
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


def test_every_month_of_every_folder_has_a_version():
    here = workspace().settings
    names = automation.observed(workspace())
    assert names == sorted(name for name in here.sources if here.folders(name))
    for name in names:
        assert list(automation.versions(workspace(), name)) == here.partitions.names
