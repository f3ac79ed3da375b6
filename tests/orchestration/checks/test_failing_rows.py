"""Every failing row is kept once, with all its columns, until the partition passes."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from silverloom.assets.declare.expectations import among, between, matches, not_null, unique
from silverloom.ops.core.outcome import Outcome, Shape, columns, drop
from silverloom.ops.core.parts import part_files
from silverloom.orchestration.checks.results import Result, failing_file, keep_failing
from silverloom.orchestration.checks.slices import repeated
from silverloom.orchestration.checks.validate import validate
from silverloom.orchestration.files.parquet import write_outcomes
from silverloom.orchestration.workspace.workspace import Workspace

SHAPE = Shape(
    unit=columns(("path", pa.string())),
    kept=columns(("text", pa.string()), ("count", pa.int32()), ("items", pa.list_(pa.int32()))),
)
NEW = dict.fromkeys(("kept.of_previous", "drop_share.rise", "reject_share.rise"))


@pytest.fixture
def dataset(tmp_workspace):
    return tmp_workspace.datasets["talksumm/pairs"]


def row(index, **values):
    name = f"row-{index:06d}"
    return {"id": name, "source_ids": [name], "licence": "CC0", "text": f"<b>{index}</b>", "count": index, "items": [index], **values}  # fmt: skip


def keep(dataset, folder, parts, *suite):
    write_outcomes(folder, [Outcome.of(SHAPE, [one["id"] for one in part], part) for part in parts], SHAPE)
    found = validate(folder, suite, NEW, "2018-06")
    return keep_failing(Workspace(folder), dataset, "2018-06", folder, found.results)


def test_every_failing_row_is_kept_whole_with_the_names_of_the_failed_expectations(dataset, tmp_path):
    rows = [row(index) for index in range(2_500)]
    rows[7]["text"] = None
    (path,) = keep(
        dataset,
        tmp_path,
        [rows[:900], rows[900:]],
        between("count", 1_000),
        *not_null("text"),
        between("items.length", 1),
    )
    assert (
        path
        == failing_file(Workspace(tmp_path), dataset, "2018-06")
        == tmp_path / "data/quality/failing/talksumm/pairs/2018-06.parquet"
    )
    found = pq.read_table(path)
    assert found.schema.names == [*SHAPE.kept.names, "failed"]
    kept = found.to_pylist()
    assert [{name: one[name] for name in SHAPE.kept.names} for one in kept] == rows[:1_000]
    assert kept[7]["failed"] == ["count at least 1000", "text is there"]
    assert {tuple(one["failed"]) for one in kept if one["id"] != "row-000007"} == {("count at least 1000",)}


def test_rows_that_fail_together_are_all_kept(dataset, tmp_path):
    (path,) = keep(dataset, tmp_path, [[row(1), row(2)], [row(1), row(3)]], unique("id"))
    assert pq.read_table(path)["id"].to_pylist() == ["row-000001", "row-000001"]


def test_rows_of_other_tables_are_in_a_separate_file(dataset, tmp_path):
    lost = {"id": "u", "source_ids": ["f"], "licence": "CC0", "path": "p"}
    write_outcomes(tmp_path, [Outcome.of(SHAPE, ["u"], [], [drop(lost, "odd", 2.0)])], SHAPE)
    suite = [between("score", 0, 1, table="dropped"), among("text", "x")]
    found = validate(tmp_path, suite, NEW, "")
    (path,) = keep_failing(Workspace(tmp_path), dataset, "", tmp_path, found.results)
    assert path.name == "all.dropped.parquet"
    assert pq.read_table(path).to_pylist() == [
        {**drop(lost, "odd", 2.0), "failed": ["score at least 0 and at most 1"]}
    ]


def test_they_are_removed_when_the_partition_passes_again(dataset, tmp_path):
    (path,) = keep(dataset, tmp_path, [[row(1)]], matches("text", "^nothing"))
    assert path.exists()
    assert keep(dataset, tmp_path, [[row(1)]], matches("text", "<b>")) == []
    assert not path.exists() and list(path.parent.iterdir()) == []


def test_an_expectation_that_could_not_be_evaluated_has_no_rows(dataset, tmp_path):
    write_outcomes(tmp_path, [Outcome.of(SHAPE, ["row-000001"], [row(1)])], SHAPE)
    broken = Result(between("text", 1), False, 0, "", (), "texts are no numbers")
    assert keep_failing(Workspace(tmp_path), dataset, "2018-06", tmp_path, [broken]) == []


@pytest.mark.parametrize("name", ["a?b", "a[bc]d", "text=x"])
def test_repeated_values_are_found_in_a_folder_named_like_a_pattern(tmp_path, name):
    for folder, texts in (("axb", "aaa"), ("abd", "aaa"), (name, "aba")):
        part = [row(index, text=text) for index, text in enumerate(texts)]
        (tmp_path / folder).mkdir()
        write_outcomes(tmp_path / folder, [Outcome.of(SHAPE, [one["id"] for one in part], part)], SHAPE)
    found, positions = repeated(part_files(tmp_path / name, "kept"), ["text"], None)
    assert (found["text"].to_pylist(), positions) == (["a", "a"], [0, 2])
