"""The names that Dagster keeps to itself still mean what a run of Dagster's own writes."""

import dagster as dg

from orchestration import compat


@dg.asset(code_version="3")
def words() -> dg.MaterializeResult:
    return dg.MaterializeResult(data_version=dg.DataVersion("seven"))


@dg.asset(deps=[words])
def sentences() -> None:
    pass


def test_the_tags_of_a_materialisation_are_those_that_a_run_writes():
    with dg.instance_for_test() as instance:
        assert dg.materialize([words, sentences], instance=instance).success
        made, read = (
            instance.get_latest_materialization_event(dg.AssetKey(name)) for name in ("words", "sentences")
        )
        stored = instance.fetch_materializations(dg.AssetKey("words"), limit=1).records[0].storage_id
    tags = made.asset_materialization.tags
    assert tags[compat.DATA_VERSION_TAG] == "seven" and tags[compat.CODE_VERSION_TAG] == "3"
    assert tags[compat.DATA_VERSION_IS_USER_PROVIDED_TAG] == "true"
    of_input = read.asset_materialization.tags
    assert of_input[compat.get_input_data_version_tag(dg.AssetKey("words"))] == "seven"
    assert of_input[compat.get_input_event_pointer_tag(dg.AssetKey("words"))] == str(stored)


def test_staleness_is_looked_at_over_as_many_partitions_as_documented():
    assert compat.SKIP_PARTITION_DATA_VERSION_DEPENDENCY_THRESHOLD == 100


def test_runs_of_a_repository_are_found_by_its_label():
    assert compat.REPOSITORY_LABEL_TAG == ".dagster/repository"
