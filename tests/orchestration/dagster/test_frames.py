"""An asset of someone's own takes our rows as a DataFrame or a table."""

from types import SimpleNamespace

import dagster as dg
import pandas
import polars
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from silverloom.orchestration.dagster.frames import rows

SCHEMA = pa.schema([("id", pa.string())])
KEY = dg.AssetKey(["group", "rows"])
MONTHS = dg.StaticPartitionsDefinition(["2018-06", "2018-07"])


@pytest.fixture
def workspace(tmp_path):
    """A dataset with two partitions, of which the first has two parts, and a table of dropped rows."""
    for path, ids in (
        ("2018-06/kept-00000", ["a", "b"]),
        ("2018-06/kept-00001", ["c"]),
        ("2018-06/__dropped/dropped-00000", ["lost"]),
        ("2018-07/kept-00000", ["d"]),
    ):
        file = tmp_path / f"{path}.parquet"
        file.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table({"id": ids}, SCHEMA), file)
    datasets = {"group/rows": SimpleNamespace(shape=SimpleNamespace(kept=SCHEMA))}
    return SimpleNamespace(datasets=datasets, folder=lambda dataset, partition: tmp_path / partition)


def loaded(workspace, annotation, partition="2018-06", key=KEY, reads_all=False):
    """Return what an asset gets as its argument, or raise what stops it."""
    found = []
    mapping = dg.AllPartitionMapping() if reads_all else None

    def body(mine):
        found.append(mine)

    body.__annotations__ = {"mine": annotation} if annotation else {}
    reads = dg.AssetIn(key, input_manager_key="rows", partition_mapping=mapping)
    made = dg.asset(ins={"mine": reads}, partitions_def=MONTHS)(body)
    source = dg.AssetSpec(key, partitions_def=MONTHS)
    dg.materialize(
        [source, made], selection=[made], partition_key=partition, resources={"rows": rows(workspace)}
    )
    return found[0]


@pytest.mark.parametrize("annotation", [None, pandas.DataFrame])
def test_pandas_is_the_default(workspace, annotation):
    frame = loaded(workspace, annotation)
    assert isinstance(frame, pandas.DataFrame) and [*frame["id"]] == ["a", "b", "c"]


def test_polars_and_arrow_by_annotation(workspace):
    assert loaded(workspace, polars.DataFrame).equals(polars.DataFrame({"id": ["a", "b", "c"]}))
    assert loaded(workspace, pa.Table).equals(pa.table({"id": ["a", "b", "c"]}, SCHEMA))


def test_all_partitions_come_in_their_order(workspace):
    assert loaded(workspace, pa.Table, reads_all=True)["id"].to_pylist() == ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    ("annotation", "key", "says"),
    [
        (dict, KEY, "mine: .*dict.* cannot hold rows"),
        (pa.Table, dg.AssetKey("alien"), "alien is none"),
    ],
)
def test_what_cannot_be_read_is_said(workspace, annotation, key, says):
    with pytest.raises(Exception, match=says):
        loaded(workspace, annotation, key=key)


def test_a_partition_that_was_not_made_is_named(workspace, tmp_path):
    (tmp_path / "2018-07/kept-00000.parquet").unlink()
    with pytest.raises(Exception, match="group/rows 2018-07 was not made"):
        loaded(workspace, pa.Table, "2018-07")
