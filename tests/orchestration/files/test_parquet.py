"""A file contains its rows and nothing else, and readers of a folder get the kept rows."""

import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from silverloom.ops.core.outcome import (
    TEXT,
    TITLE,
    VECTOR,
    Outcome,
    Shape,
    columns,
    drop,
    one_of,
    optional,
    place,
    reject,
    struct,
)
from silverloom.ops.core.parts import TABLES, Part, Parts, part_files
from silverloom.orchestration.files.identity import folder_files
from silverloom.orchestration.files.parquet import write_outcomes
from tests.readers import READERS

PLAIN = columns(("title", pa.string()), ("lines", pa.list_(struct(("text", pa.string())))))
TOLD = columns(
    ("title", pa.string(), "as in the source", TITLE),
    ("lines", pa.list_(struct(("text", pa.string(), "read aloud", TEXT))), "in order", place("by {title}")),
)


def written(folder, schema):
    """The files of an outcome with these columns."""
    folder.mkdir()
    row = {
        "id": "a",
        "source_ids": ["f"],
        "licence": "CC0-1.0",
        "title": "On rows",
        "lines": [{"text": "One."}],
    }
    shape = Shape(unit=schema, kept=schema)
    write_outcomes(folder, [Outcome.of(shape, ["a"], [row])], shape)
    return {name: path.read_bytes() for name, path in folder_files(folder).items()}


def test_meanings_and_roles_of_columns_are_not_written_to_files(tmp_path):
    assert written(tmp_path / "plain", PLAIN) == written(tmp_path / "told", TOLD)


VECTORS = ("vector", pa.list_(pa.float32()), "of one size", VECTOR)
UNITS = Shape(unit=columns(), kept=columns(("text", pa.string()), VECTORS))
CHECKED = Shape(unit=columns(), kept=columns(optional("text", pa.string()), VECTORS, one_of("split", ["a"])))
UNCHECKED = Shape(unit=columns(), kept=columns(("text", pa.string()), VECTORS, ("split", pa.string())))
BESIDE = ("table.json", "rows.jsonl", "rows.csv", "README.md", "pages.warc", "data/train-00000.parquet")


@pytest.fixture
def month(tmp_path):
    """A month of four parts: two kept rows, four dropped ones, six rejected; two parts without rows, and files."""
    folder = tmp_path / "dataset" / "2020-01"
    folder.mkdir(parents=True)
    pq.write_table(pa.table({"id": ["c"]}), tmp_path / "released.parquet")
    shape = UNITS.sized(2)
    parts = [Outcome.of(shape, [], [])]
    for part in "ab":
        units = [{"id": f"{part}{n}", "source_ids": ["f"], "licence": "CC0-1.0"} for n in range(6)]
        lost = [drop(unit, "short") for unit in units[1:3]], [reject(unit, "torn") for unit in units[3:]]
        kept = [{**units[0], "text": "x", "vector": [1.5, 2.5]}]
        files = {f"{part}/{name}": (tmp_path / "released.parquet").read_bytes() for name in BESIDE}
        names = [unit["id"] for unit in units]
        parts.append(Outcome.of(shape, names, kept, *lost, {"pairs made": 9}, files))
    parts.append(Outcome.of(shape, [], []))
    write_outcomes(folder, parts, UNITS)
    return folder


@pytest.mark.parametrize("reader", READERS)
def test_the_folder_of_a_month_reads_as_its_kept_rows(month, reader, tmp_path, monkeypatch):
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
    assert READERS[reader](month, "") == 2
    assert {
        table: sum(pq.read_metadata(path).num_rows for path in part_files(month, table)) for table in TABLES
    } == {
        "kept": 2,
        "dropped": 4,
        "rejected": 6,
    }


@pytest.mark.parametrize("reader", READERS)
def test_the_folder_of_a_dataset_reads_as_the_kept_rows_of_all_months(month, reader, tmp_path, monkeypatch):
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
    shutil.copytree(month, month.with_name("2020-02"))
    assert READERS[reader](month.parent, "*/") == 4


def test_vectors_are_fixed_size_lists_and_read_as_declared(month):
    files = part_files(month, "kept")
    kinds = [pq.read_table(path).schema.field("vector").type for path in files]
    assert kinds == [pa.list_(pa.float32(), 2)] * 4
    parts = Parts(UNITS.kept, tuple(Part(str(path)) for path in files), None)
    for read in (parts.read(), parts.read(where=("id", ["a0", "b0"]))):
        assert read.schema == UNITS.kept and read["vector"].to_pylist() == [[1.5, 2.5]] * 2


def test_what_checks_expect_of_columns_is_not_written_to_files(tmp_path):
    row = {"id": "a", "source_ids": ["f"], "licence": "MIT", "text": "x", "vector": [1.5, 2.5], "split": "a"}
    files = []
    for name, shape in (("checked", CHECKED), ("plain", UNCHECKED)):
        write_outcomes(tmp_path / name, [Outcome.of(shape.sized(2), ["a"], [row])], shape)
        files.append({name: path.read_bytes() for name, path in folder_files(tmp_path / name).items()})
    assert files[0] == files[1]


def test_a_vector_of_another_size_is_refused():
    unit = {"id": "a", "source_ids": ["f"], "licence": "-"}
    with pytest.raises(pa.ArrowInvalid):
        Outcome.of(UNITS.sized(2), ["a"], [{**unit, "text": "x", "vector": [0.5] * 3}])
